/** For tests of sessions: opened on any tree, with the real tokenizer. */
import { readFileSync } from 'node:fs'
import { tokenizerFrom, tokenTable } from '../../src/adapters/tokens.ts'
import { type Clock, systemClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import type { SessionPorts } from '../../src/protocols/shared-agent/ports.ts'
import { defaultSettings, type SessionSettings } from '../../src/protocols/shared-agent/settings.ts'
import { Sessions } from '../../src/protocols/shared-agent/store/sessions.ts'
import type { Tree } from '../../src/tree/tree.ts'

/** Bundled into a child program, this file lies as deep in the repository as it does here. */
export const realTokenizer = (encoding = 'o200k_base') =>
  tokenizerFrom(readFileSync(new URL(`../../${tokenTable(encoding)}`, import.meta.url)))

/** As the package has it. */
export const weights = () => readFileSync(new URL('../../data/sentences.bin', import.meta.url))

export interface SessionOptions {
  readonly clock?: Clock
  readonly settings?: Partial<SessionSettings>
  readonly ports?: Partial<SessionPorts>
  /** What `.signalbox/session.yaml` says. */
  readonly roles?: string
}

export function sessionsOn(tree: Tree, { clock = systemClock, settings, ports, roles }: SessionOptions = {}): Sessions {
  return new Sessions({
    tree,
    clock,
    settings: { ...defaultSettings, ...settings },
    tokenizer: async (encoding) => realTokenizer(encoding),
    messagePlaces: async () => [treePath('llm/missions'), treePath('state/agents')],
    readRoles: async () => (roles === undefined ? undefined : { path: '.signalbox/session.yaml', text: roles }),
    sentenceModel: () => weights(),
    ...ports,
  })
}

/** Says a line as somebody, and answers what is printed. */
export const speaker =
  (sessions: Sessions, session = 'ctx_789') =>
  async (agent: string, line: string): Promise<string> =>
    (await sessions.say(line, { session, agent })).answer
