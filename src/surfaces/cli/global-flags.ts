/** The flags that every command takes, at any place in the line. */
import { choice, type Fields, flag, type InputOf, text } from '../../kernel/field.ts'
import { settings } from '../../operations/workspace/settings.ts'

const { engine, agent, durability } = settings

export const globalFlags = {
  root: text('The directory of the workspace; else the nearest one upwards.', {
    placeholder: 'DIR',
    completes: 'folder',
    // An empty value comes from a shell variable that is not set. It must not mean the current directory.
    pattern: /./,
    expected: 'a directory',
  }),
  engine: text(engine.help, { placeholder: engine.placeholder, longest: engine.longest, expected: engine.expected }),
  as: text('Who acts.', { placeholder: agent.placeholder, pattern: agent.pattern, expected: agent.expected }),
  durability: choice(durability.help, durability.choices, { placeholder: durability.placeholder }),
  json: flag('Print exactly one JSON document, errors too.'),
  quiet: flag('Print the result alone: no progress, no narration.'),
  color: flag('Print without colours.', { default: true }),
  help: flag('Explain the command, with examples.'),
  version: flag('Tell the version.'),
} as const satisfies Fields

export const shortFlags: Readonly<Record<string, keyof typeof globalFlags>> = { h: 'help', q: 'quiet', V: 'version' }

/** As typed, before any default. */
export type GlobalValues = Partial<InputOf<typeof globalFlags>>

/** Settings by their own names: on the command line the agent is `--as`. */
export function settingsFrom({ root, engine, as, durability }: GlobalValues) {
  return { root, engine, agent: as, durability }
}
