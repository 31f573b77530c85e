/** Stories of CIRCE: what agents, people and strangers do with one task, by how it stands before. */
import { type CirceActor, task } from './circe-actor.ts'
import type { Story, World } from './story.ts'

type Act = (actor: CirceActor) => Promise<unknown>
const story = (act: Act): Story<CirceActor> => ({ act })
const inTurn = (...acts: readonly Act[]): Story<CirceActor> => ({
  act: async (actor) => {
    for (const act of acts) if ((await act(actor)) === false) return
  },
  isMeanwhile: true,
})
const foreign = (verb: string, act: (actor: CirceActor) => Promise<boolean>): Story<CirceActor> => ({
  act: (actor) => actor.stranger(verb, () => act(actor)),
  isForeign: true,
})

const workBy =
  (from: string, to = 'all'): Act =>
  (a) =>
    a.send(to, 'implement_feature', { from })
const claim: Act = (a) => a.claim()
const news: Act = (a) => a.send('all', 'inform', { from: 'coordinator' })
const release: Act = (a) => a.release()
const complete: Act = (a) => a.status('completed')
const passed: Act = (a) => a.send('engineer', 'test_results', { from: 'qa', status: 'completed' })
const tasks: Act = (a) => a.tasks()

const pathsOf = async ({ outside }: CirceActor, pattern: RegExp) =>
  (await outside.files()).map(({ path }) => path).filter((path) => pattern.test(path))

/** As `mv` of whatever work waits, or of what somebody has. */
const moved = (from: RegExp, to: string) =>
  foreign('mv', async (actor) => {
    const [path] = await pathsOf(actor, from)
    return path !== undefined && actor.outside.move(path, `AI_MANAGER/${to}/${path.split('/').at(-1)}`)
  })
const owned = foreign('own', async ({ outside }) => {
  const path = `AI_MANAGER/TASKS/${task}.owner`
  if ((await outside.files()).some((file) => file.path === path)) return false
  await outside.write(path, 'owner: qa\nclaimed_at: 2026-03-01T10:00:00Z\n')
  return true
})
const put = (intent: string) =>
  foreign('put', async ({ outside }) => {
    const text = `# MESSAGE\nfrom: coordinator\nto: scribe\nintent: ${intent}\ntask_id: ${task}\nstatus: new\ncreated_at: 2099-03-01T10:00:00Z\n\n## Summary\nMore\n`
    await outside.write(`AI_MANAGER/NEW_MESSAGES/20990301_100000_coordinator-scribe_${intent}.md`, text)
    return true
  })

const setUp =
  (...acts: readonly Act[]): Act =>
  async (actor) => {
    await actor.init()
    for (const act of acts) await act(actor)
  }

const common = { tasks: story(tasks), doctor: { ...story((a) => a.doctor()), isMeanwhile: true } } as const

export const circeWorlds: Readonly<Record<string, World<CirceActor>>> = {
  waiting: {
    setUp: setUp(workBy('coordinator')),
    stories: {
      ...common,
      claim: story(claim),
      'claim as the same': story((a) => a.claim('engineer')),
      send: story((a) => a.send('qa', 'test', { from: 'coordinator' })),
      'send to all': story(news),
      'claim by a message': story((a) => a.send('coordinator', 'claim_task')),
      'claim, release': inTurn(claim, (a) => a.release(a.me)),
      'claim, start, done': inTurn(
        claim,
        (a) => a.start(),
        (a) => a.done(),
      ),
      mv: moved(/NEW_MESSAGES\/.*implement/, 'AGENTS/qa/INBOX'),
      own: owned,
    },
    closely: [
      'claim/claim',
      'claim/claim, release',
      'claim/mv',
      'claim/own',
      'claim/claim by a message',
      'send/send',
      'claim by a message/own',
    ],
  },
  'sending under a key': {
    setUp: setUp(workBy('coordinator')),
    stories: {
      ...common,
      'send once': story((a) => a.sendOnce()),
      'send another': story((a) => a.sendOnce('k2')),
      'send once, claim': inTurn(
        (a) => a.sendOnce(),
        (a) => a.claim('qa'),
      ),
      'send once, claim, give back': inTurn(
        (a) => a.sendOnce(),
        (a) => a.claim('qa'),
        (a) => a.giveBack('qa'),
      ),
      'send once, doctor': inTurn(
        (a) => a.sendOnce(),
        (a) => a.doctor(),
      ),
    },
    closely: ['send once/send once', 'send once/send another', 'send once/send once, claim', 'send once/doctor'],
  },
  claimed: {
    setUp: setUp(workBy('coordinator'), claim, (a) => a.start(), passed),
    stories: {
      ...common,
      complete: story(complete),
      'complete as whoever asked': story((a) => a.status('completed', 'coordinator')),
      release: story(release),
      status: story((a) => a.status('blocked')),
      'another status': story((a) => a.status('failed')),
      check: story((a) => a.check({ peer_reviewed: true })),
      ack: story((a) => a.ack('engineer')),
      done: story((a) => a.done('engineer')),
      claim: story((a) => a.claim('scribe')),
      'claim the results': story((a) => a.claim('engineer')),
      'send to all': story(news),
      'complete, new work, claim': inTurn(complete, workBy('coordinator', 'scribe'), (a) => a.claim('scribe')),
      'release, claim': inTurn(release, (a) => a.claim('scribe')),
      mv: moved(/engineer\/WORKSPACE\/.*implement/, 'LOGS'),
      'new work': put('fix_bug'),
    },
    closely: [
      'complete/complete as whoever asked',
      'complete/new work',
      'release/release, claim',
      'claim the results/complete',
      'ack/complete',
      'status/another status',
      'done/mv',
    ],
  },
  news: {
    setUp: setUp(workBy('coordinator'), claim, news),
    stories: {
      ...common,
      done: story((a) => a.done('scribe')),
      'claim, done': inTurn(
        (a) => a.claim('scribe'),
        (a) => a.done('scribe'),
      ),
      claim: story((a) => a.claim('scribe')),
      ack: story((a) => a.ack('scribe')),
      'claim, give back': inTurn(
        (a) => a.claim('scribe'),
        (a) => a.giveBack('scribe'),
      ),
      'send to all': story(news),
    },
    closely: ['done/done', 'claim/claim', 'claim/claim, done', 'ack/done', 'claim/claim, give back'],
  },
  /** A stranger has put a message to all where messages wait: nobody has brought it to anybody yet. */
  'news by hand': {
    setUp: async (actor) => {
      await setUp()(actor)
      const text =
        '# MESSAGE\nfrom: coordinator\nto: all\nintent: inform\nstatus: new\ncreated_at: 2026-03-01T10:00:00Z\n\n## Summary\nNoon\n'
      await actor.outside.write('AI_MANAGER/NEW_MESSAGES/20260301_100000_coordinator-all_inform.md', text)
    },
    stories: {
      ...common,
      claim: story((a) => a.claim('scribe')),
      'claim, done': inTurn(
        (a) => a.claim('scribe'),
        (a) => a.done('scribe'),
      ),
      mv: moved(/NEW_MESSAGES\/.*inform/, 'AGENTS/scribe/INBOX'),
    },
    closely: ['tasks/tasks', 'tasks/claim, done', 'tasks/mv'],
  },
  asked: {
    setUp: setUp(workBy('coordinator'), claim, (a) => a.send('ROOSTER', 'escalate', { status: 'blocked' })),
    stories: {
      ...common,
      answer: story((a) => a.answer('The first')),
      'answer otherwise': story((a) => a.answer('The second')),
      release: story(release),
      status: story((a) => a.status('in_progress')),
    },
    closely: ['answer/answer', 'answer/answer otherwise', 'answer/status'],
  },
}
