/** What agents and people do with CIRCE, and how things must stand in the end, wherever they die doing it. */
import type { Circe } from '../../src/protocols/circe/store/circe.ts'
import { type CirceFolder, foreign } from '../support/circe.ts'
import type { SeenFile } from '../support/circe-checker.ts'

export const task = 'FEAT-1'

export interface Verb {
  /** What is done before, unharmed. */
  prepare(circe: Circe, folder: CirceFolder): Promise<unknown>
  act(circe: Circe, folder: CirceFolder): Promise<unknown>
  /** Done again it would be another one: it is not repeated. */
  readonly isNewEachTime?: true
  /** How the task stands when it has been done, as `status owner`. */
  readonly stands?: string
  /** Only by being repeated is it put right: it is a person who asks for it. */
  readonly needsPerson?: true
  /** Who claims something by it. */
  readonly claims?: string
  /** The intent of the one message that there must be, however often it is sent. */
  readonly sendsOnce?: string
}

/** The message with this intent, wherever it lies; its name never changes. */
export function fileOf(folder: CirceFolder, intent: string): string {
  const places = [
    'NEW_MESSAGES',
    ...folder.names('AGENTS').flatMap((one) => [`AGENTS/${one}/INBOX`, `AGENTS/${one}/WORKSPACE`]),
  ]
  for (const place of [...places, 'LOGS']) {
    const name = folder.names(place).find((one) => one.includes(`_${intent.replaceAll('_', '-')}`))
    if (name !== undefined) return name
  }
  throw new Error(`no message with the intent ${intent}`)
}

/** The names of all messages with this intent, wherever they lie. */
export const namesWith = (files: readonly SeenFile[], intent: string): string[] => [
  ...new Set(
    files.flatMap(({ path }) => new RegExp(`AI_MANAGER/.*/(\\d{8}_[^/]*_${intent}[_.][^/]*)$`).exec(path)?.[1] ?? []),
  ),
]

const agents = ['coordinator', 'engineer', 'qa', 'scribe']
const setUp = async (circe: Circe) => {
  for (const agent of agents) await circe.agents.init(agent)
}
const work = (circe: Circe) =>
  circe.sending.send({ from: 'coordinator', to: 'all', intent: 'implement_feature', task, summary: 'Build it' })
const claim = (circe: Circe) => circe.claiming.claim('engineer')
const test = (circe: Circe) =>
  circe.sending.send({ from: 'engineer', to: 'qa', intent: 'test', task, summary: 'Try it' })
const passed = (circe: Circe) =>
  circe.sending.send({ from: 'qa', to: 'engineer', intent: 'test_results', task, status: 'completed', summary: 'Fine' })
const news = (circe: Circe) =>
  circe.sending.send({ from: 'coordinator', to: 'all', intent: 'inform', task, summary: 'Lunch is at noon' })
const mine = (folder: CirceFolder, intent = 'implement_feature') => fileOf(folder, intent)
const claimed = async (circe: Circe) => {
  await setUp(circe)
  await work(circe)
  await claim(circe)
}
const started = async (circe: Circe, folder: CirceFolder) => {
  await claimed(circe)
  await circe.settling.start('engineer', mine(folder))
}
const escalated = async (circe: Circe) => {
  await claimed(circe)
  await circe.sending.send({
    from: 'engineer',
    to: 'ROOSTER',
    intent: 'escalate',
    task,
    status: 'blocked',
    summary: 'Which?',
  })
}
/** A task with everything that a task can have: drafts, a request that QA has, news for all, and passed tests. */
const nearlyDone = async (circe: Circe, folder: CirceFolder) => {
  await started(circe, folder)
  await test(circe)
  await circe.claiming.claim('qa')
  await news(circe)
  await passed(circe)
  folder.put('AGENTS/engineer/WORKSPACE/notes.txt', 'mine, and about nothing\n')
  folder.put(`AGENTS/engineer/WORKSPACE/draft-${task}.md`, 'a draft\n')
  folder.put(`AGENTS/engineer/WORKSPACE/${task}/deep/plan.md`, 'a plan\n')
}

const inTurn =
  (...acts: readonly ((circe: Circe) => Promise<unknown>)[]) =>
  async (circe: Circe) => {
    for (const act of acts) await act(circe)
  }

export const verbs: Readonly<Record<string, Verb>> = {
  send: { prepare: setUp, act: work, isNewEachTime: true },
  'send without a task': {
    prepare: setUp,
    act: (circe) => circe.sending.send({ from: 'qa', to: 'engineer', intent: 'question', summary: 'Why?' }),
    isNewEachTime: true,
  },
  'send under a key': {
    prepare: setUp,
    act: (circe) => circe.sending.sendOnce({ from: 'qa', to: 'engineer', intent: 'question', summary: 'Why?' }, 'k1'),
    sendsOnce: 'question',
  },
  'send about a task under a key': {
    prepare: claimed,
    act: (circe) =>
      circe.sending.sendOnce({ from: 'engineer', to: 'qa', intent: 'test', task, summary: 'Try it' }, 'any key: ../?'),
    sendsOnce: 'test',
    stands: 'claimed engineer',
  },
  'send to all under a key': {
    prepare: setUp,
    act: (circe) => circe.sending.sendOnce({ from: 'qa', to: 'all', intent: 'inform', summary: 'Lunch' }, 'k1'),
    sendsOnce: 'inform',
  },
  'send to all': { prepare: claimed, act: news, isNewEachTime: true, stands: 'claimed engineer' },
  'claim work': {
    prepare: inTurn(setUp, work),
    act: claim,
    stands: 'claimed engineer',
    claims: 'engineer',
  },
  'claim another message': {
    prepare: inTurn(claimed, test),
    act: (circe) => circe.claiming.claim('qa'),
    stands: 'claimed engineer',
    claims: 'qa',
  },
  'claim a copy': {
    prepare: inTurn(claimed, news),
    act: (circe) => circe.claiming.claim('scribe'),
    stands: 'claimed engineer',
    claims: 'scribe',
  },
  start: {
    prepare: claimed,
    act: (circe, folder) => circe.settling.start('engineer', mine(folder)),
    stands: 'in_progress engineer',
  },
  ack: {
    prepare: inTurn(claimed, test, (circe) => circe.claiming.claim('qa')),
    act: (circe, folder) => circe.settling.ack('qa', fileOf(folder, 'test')),
    stands: 'claimed engineer',
  },
  done: {
    prepare: inTurn(claimed, test, (circe) => circe.claiming.claim('qa')),
    act: (circe, folder) => circe.settling.done('qa', fileOf(folder, 'test')),
    stands: 'claimed engineer',
  },
  'done with what was started': {
    prepare: started,
    act: (circe, folder) => circe.settling.done('engineer', mine(folder)),
    stands: 'in_progress engineer',
  },
  'start at once': {
    prepare: inTurn(setUp, work),
    act: (circe, folder) => circe.settling.start('engineer', mine(folder)),
    stands: 'in_progress engineer',
  },
  'give up': {
    prepare: claimed,
    act: (circe, folder) => circe.settling.failed('engineer', mine(folder)),
    stands: 'failed engineer',
  },
  'give a message back': {
    prepare: inTurn(claimed, test, (circe) => circe.claiming.claim('qa')),
    act: async (circe, folder) => {
      const isThere = folder.names('AGENTS/qa/INBOX').length > 0
      return isThere ? circe.settling.giveBack('qa', fileOf(folder, 'test')) : {}
    },
    stands: 'claimed engineer',
  },
  'give work back': {
    prepare: started,
    act: async (circe, folder) => {
      const isThere = folder.names('AGENTS/engineer/WORKSPACE').length > 0
      return isThere ? circe.settling.giveBack('engineer', mine(folder)) : {}
    },
    stands: 'new ',
  },
  release: { prepare: started, act: (circe) => circe.tasks.release('engineer', task), stands: 'new ' },
  'release what is logged only': {
    prepare: async (circe, folder) => {
      await started(circe, folder)
      await circe.settling.done('engineer', mine(folder))
    },
    act: (circe) => circe.tasks.release('engineer', task),
    stands: 'new ',
  },
  'release by a message': {
    prepare: started,
    act: (circe) =>
      circe.sending.send({ from: 'engineer', to: 'coordinator', intent: 'release_task', task, summary: 'Not me' }),
    isNewEachTime: true,
  },
  'claim by a message': {
    prepare: inTurn(setUp, work),
    act: (circe) =>
      circe.sending.send({ from: 'scribe', to: 'coordinator', intent: 'claim_task', task, summary: 'Me' }),
    isNewEachTime: true,
  },
  status: {
    prepare: started,
    act: (circe) => circe.tasks.status(task, 'blocked', 'engineer'),
    stands: 'blocked engineer',
  },
  check: {
    prepare: started,
    act: (circe) => circe.tasks.check(task, 'engineer', { tests_passed: true, peer_reviewed: true }),
    stands: 'in_progress engineer',
  },
  complete: {
    prepare: nearlyDone,
    act: (circe) => circe.tasks.status(task, 'completed', 'engineer'),
    stands: 'completed engineer',
  },
  'complete by a message': {
    prepare: nearlyDone,
    act: (circe) =>
      circe.sending.send({
        from: 'coordinator',
        to: 'engineer',
        intent: 'status_update',
        task,
        status: 'completed',
        summary: 'Over',
      }),
    isNewEachTime: true,
  },
  'open again and claim': {
    prepare: async (circe, folder) => {
      await nearlyDone(circe, folder)
      await circe.tasks.status(task, 'completed', 'engineer')
      await circe.sending.send({ from: 'coordinator', to: 'scribe', intent: 'fix_bug', task, summary: 'It broke' })
    },
    act: (circe) => circe.claiming.claim('scribe'),
    stands: 'claimed scribe',
    claims: 'scribe',
  },
  answer: {
    prepare: escalated,
    act: (circe, folder) => circe.people.answer(fileOf(folder, 'escalate'), { text: 'The first' }),
    stands: 'in_progress engineer',
  },
  'take up what a stranger moved': {
    prepare: async (circe, folder) => {
      await setUp(circe)
      folder.put(
        'AGENTS/qa/INBOX/20260301_100000_coordinator-all_fix-bug_FEAT-1.md',
        foreign('coordinator', 'all', 'fix_bug', { task }),
      )
    },
    act: (circe) => circe.overview.tasks(),
    stands: 'claimed qa',
  },
  'take up an owner by hand': {
    prepare: async (circe, folder) => {
      await setUp(circe)
      await work(circe)
      folder.put(`TASKS/${task}.owner`, 'owner: scribe\nclaimed_at: 2026-03-01T10:00:00Z\n')
    },
    act: (circe) => circe.overview.tasks(),
    stands: 'claimed scribe',
  },
  'make a task file again': {
    prepare: async (circe, folder) => {
      await started(circe, folder)
      folder.put(`TASKS/${task}.status`, 'status: [\n')
      folder.put(`TASKS/${task}.owner`, 'owner: ../../etc\n')
    },
    act: (circe) => circe.inspect({ repair: true }),
    needsPerson: true,
    stands: 'in_progress engineer',
  },
}
