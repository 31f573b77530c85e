/** What is asked back, in words: the likeliest readings with their commands. */
import { call } from '../../../kernel/call.ts'
import { type CommandSpec, usageOf } from '../commands/spec.ts'
import type { Asked, Reason } from './translation.ts'

/** What is asked for a parameter where `Which <parameter>?` would not do. */
const asking: Readonly<Record<string, string>> = {
  'agent|all': 'Which agent?',
  key: 'Under which key?',
  resource: 'Which file or resource?',
  condition: 'Which signal?',
  channel: 'On which channel?',
  msg: 'What should the message say?',
  name: 'What should it be called?',
  id: 'Which checkpoint?',
  filepath: 'Which file?',
  directory: 'Which folder?',
  topic: 'About what?',
  issue: 'What is the issue?',
  term: 'Which word?',
  category: 'About what?',
  text: 'How far is it?',
  code: 'Which error, E001 to E005?',
  desc: 'What went wrong?',
}

const ask = (reason: Reason, question: string, command?: string): Asked => ({
  outcome: 'asked',
  reason,
  question,
  ...(command === undefined ? {} : { command }),
})

const notUnderstoodBut = (near: string): Asked =>
  ask('unclear', `I did not understand that.${near} Say it another way, or "help" for what can be asked.`)
export const notUnderstood = notUnderstoodBut('')
export function notUnderstoodNear(specs: readonly CommandSpec[]): Asked {
  const usages = specs.map((spec) => usageOf(spec))
  return specs.length === 0 ? notUnderstood : notUnderstoodBut(` The nearest that I can do is ${listed(usages, 'or')}.`)
}

/** For a request that no command of a session meets, but a command of Signalbox or the shell does. */
export function elsewhere(said: string): Asked | undefined {
  const found = otherPrograms.find(([pattern]) => pattern.test(said))
  return found && ask('unclear', `No command of the session does that, but ${found[1]}.`)
}
const otherPrograms: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:sudo |(?:rm|mv|cp|ls|cd|cat|grep|git|npm|npx|yarn|pnpm|docker|kubectl|curl|wget|chmod|chown|ssh) (?!agent\b))/,
    'your shell may',
  ],
  [
    /^(?:(?:please|and|so) )*(?:who (?:holds|locked|is holding|(?:has|owns) (?:the lock|<(?:path|context|folder)>))|(?:which|what|show|list|are|welche|qué) .*\b(?:locks?|locked|sperren|gesperrt|bloqueos)\b)/,
    `${call('session locks')} tells who holds what`,
  ],
  [/\b(?:inbox|my messages|new messages|any (?:news|messages|mail))\b/, `${call('session inbox')} shows what has come`],
]

export const tooLong = ask('unclear', 'That is too long for one request, or has characters that no line has.')
export const cannotRead = ask(
  'unclear',
  'This installation has no model of sentences (data/sentences.bin). Say commands, such as #HELP.',
)

export const missing = (spec: CommandSpec, parameter: string): Asked =>
  ask('missing', `${asking[parameter] ?? `Which ${parameter}?`} The command is ${usageOf(spec)}.`)

export const reallyDestroy = (command: string, why = ''): Asked =>
  ask('destructive', `That would run ${command}. ${why && `${why} `}Is that what you want?`, command)

export const reallyMeant = (command: string, why: string): Asked =>
  ask('unclear', `Shall I run ${command}? ${why}`, command)

export const unknownAgent = (command: string, agent: string, known: readonly string[]): Asked =>
  ask(
    'unclear',
    `I know nobody called ${agent}, only ${listed(known, 'and')}. Shall I run ${command} all the same?`,
    command,
  )

/** The likeliest first: a `yes` means that one. */
export function oneOf(commands: readonly string[]): Asked {
  const [first, ...others] = [...new Set(commands)]
  if (first === undefined) return notUnderstood
  if (others.length === 0) return ask('unclear', `I am not sure that I understood. Do you mean ${first}?`, first)
  return ask('either', `I am not sure which you mean: ${listed([first, ...others], 'or')}?`, first)
}

export const severalRequests = (commands: readonly string[]): Asked =>
  ask(
    'several',
    commands.length > 1
      ? `I understand these requests: ${listed(commands, 'and')}. Say them one after the other, so that I run just what you want.`
      : 'That is more than one request. Say them one after the other.',
  )

const mostListed = 6
const listed = (some: readonly string[], joint: string): string => {
  const shown = some.length > mostListed ? [...some.slice(0, mostListed), `${some.length - mostListed} more`] : some
  return shown.length < 2 ? (shown[0] ?? 'nobody') : `${shown.slice(0, -1).join(', ')} ${joint} ${shown.at(-1)}`
}
