/** What is asked back, in words. */
import type { CommandSpec } from '../commands/spec.ts'
import { usageOf } from '../commands/spec.ts'
import type { Translation } from './translation.ts'

const asking: Readonly<Record<string, string>> = {
  agent: 'Which agent?',
  'agent|all': 'Which agent?',
  agents: 'Which agents?',
  task: 'Which task?',
  key: 'Under which key?',
  value: 'Which value?',
  resource: 'Which file or resource?',
  condition: 'Which signal?',
  channel: 'On which channel?',
  msg: 'What should the message say?',
  name: 'What should it be called?',
  id: 'Which checkpoint?',
  filepath: 'Which file?',
  directory: 'Which folder?',
  topic: 'About what?',
  metric: 'Which metric?',
  issue: 'What is the issue?',
  term: 'Which word?',
  category: 'About what?',
  version: 'Which version?',
  feature: 'Which feature?',
}

export const notUnderstood: Translation = {
  outcome: 'asked',
  reason: 'unclear',
  question: 'I did not understand that. Say it another way, or "help" for what can be asked.',
}

export const severalRequests: Translation = {
  outcome: 'asked',
  reason: 'several',
  question: 'That is more than one request. Say them one after the other.',
}

export const tooLong: Translation = {
  outcome: 'asked',
  reason: 'unclear',
  question: 'That is too long for one request, or has characters that no line has.',
}

export const missing = (spec: CommandSpec, open: readonly string[]): Translation => ({
  outcome: 'asked',
  reason: 'missing',
  question: `${asking[open[0] ?? ''] ?? `What is <${open[0]}>?`} The command is ${usageOf(spec)}.`,
})

export const missingInOneOf = (specs: readonly CommandSpec[]): Translation => ({
  outcome: 'asked',
  reason: 'missing',
  question: `A part of that is missing. It may be ${specs
    .slice(0, 3)
    .map((spec) => usageOf(spec))
    .join(' or ')}.`,
})

export const reallyDestroy = (command: string): Translation => ({
  outcome: 'asked',
  reason: 'destructive',
  question: `That would run ${command}. Is that what you want?`,
  command,
})

export const oneOf = (commands: readonly string[]): Translation => ({
  outcome: 'asked',
  reason: 'either',
  question: `That can mean ${commands.join(' or ')}. Which one?`,
})

export const reallyMeant = (command: string, why: string): Translation => ({
  outcome: 'asked',
  reason: 'unclear',
  question: `Shall I run ${command}? ${why[0]!.toUpperCase()}${why.slice(1)}.`,
  command,
})
