/**
 * Stories of AC-MQ: what agents, supervisors, persons and strangers do with one message, by the state it is in before. A
 * story of several verbs looks like several processes to the one that is paused.
 */
import { type AcmqActor, messageId } from './acmq-actor.ts'
import { fileOf, filesOf, missionFolder, nameOf, placeIn, queueOf } from './acmq-files.ts'
import type { Story, World } from './story.ts'

type Act = (actor: AcmqActor) => Promise<unknown>
const story = (act: Act): Story<AcmqActor> => ({ act })
/** What a stranger does. `work` answers what checks should know, or nothing if there was nothing to do it to. */
const foreign = (
  verb: string,
  act: (actor: AcmqActor) => Promise<Record<string, unknown> | undefined>,
): Story<AcmqActor> => ({
  act: (actor) => actor.stranger(verb, () => act(actor)),
  isForeign: true,
})
/** Several verbs in a row. Stops if one of them did not have the outcome that the next needs. */
const inTurn = (...acts: readonly Act[]): Story<AcmqActor> => ({
  act: async (actor) => {
    for (const act of acts) if ((await act(actor)) === false) return
  },
  isMeanwhile: true,
})

const send: Act = (a) => a.send()
const claim: Act = (a) => a.claim()
const complete: Act = (a) => a.complete()
const fail: Act = (a) => a.fail()
const retry: Act = (a) => a.retry()
const supervise: Act = (a) => a.supervise()
const archive: Act = (a) => a.archive()
const merge: Act = (a) => a.merge()

/** Where a stranger finds the message. Strangers ignore names that begin with a dot. */
const inQueue = async ({ outside }: AcmqActor, queue: string) =>
  filesOf(await outside.files(), messageId).find(({ path }) => queueOf(path) === queue && !nameOf(path).startsWith('.'))

/** By `mv`, as a worker that is a shell script does. */
const moved = (from: string, to: string) =>
  foreign('mv', async (actor) => {
    const file = await inQueue(actor, from)
    return file && (await actor.outside.move(file.path, placeIn(to, nameOf(file.path)))) ? {} : undefined
  })

const copied = (queue: string, to: string) =>
  foreign('cp', async (actor) => {
    const file = await inQueue(actor, queue)
    if (file) await actor.outside.write(placeIn(to, `copy-of-${nameOf(file.path)}`), file.text)
    return file && {}
  })

/** Replaces a part of the text, by a rename, as editors do. */
const edited = (queue: string, from: string, mark: string) =>
  foreign('edit', async (actor) => {
    const file = await inQueue(actor, queue)
    if (file) await actor.outside.write(file.path, file.text.replaceAll(from, mark))
    return file && { mark }
  })

const removed = (queue: string) =>
  foreign('rm', async (actor) => {
    const file = await inQueue(actor, queue)
    return file && (await actor.outside.remove(file.path)) ? {} : undefined
  })

/** The text of a file that a stranger puts where a message is about to go. */
export const inTheWay = 'Not a message, and not yours.\n'
const put = (...queues: readonly string[]) =>
  foreign('put', async ({ outside }) => {
    const all = await outside.files()
    const file = fileOf(all, messageId)
    // A private name ends with the old one.
    const name = file && (/(\d{14}-[^/]*)$/.exec(file.path)?.[1] ?? nameOf(file.path))
    const paths = name === undefined ? [] : queues.map((queue) => placeIn(queue, name))
    const written: string[] = []
    // Only where nothing is: nobody can protect a message from being overwritten.
    for (const path of paths) {
      await outside.write('.put', inTheWay)
      if (await outside.move('.put', path)) written.push(path)
      else await outside.remove('.put')
    }
    return written.length > 0 ? { paths: written } : undefined
  })

const asked = 'Please do it.'
const betterSaid = 'Edited: do it well.'

const setUpPending: Act = async (a) => {
  await a.create()
  await a.send()
}
const setUpProcessing: Act = async (a) => {
  await setUpPending(a)
  await a.claim()
}
const setUpFailed: Act = async (a) => {
  await setUpProcessing(a)
  await a.fail()
}

const common = {
  supervise: story(supervise),
  reconcile: story((a) => a.reconcile()),
  doctor: story((a) => a.doctor()),
  archive: story(archive),
} as const

/** What lies in `context/` of the world that is remembered. */
export const contextFiles: Readonly<Record<string, string>> = {
  'plan.md': 'The slow orders query scans the orders table.\n',
  'index.md': 'An index on the orders table makes the orders query less slow.\n',
  'times.csv': 'orders query,orders table,slow\n9100,40,1\n',
}
/** What a person adds to a document. */
export const ownWords = 'My own words.\n'

export const dangerous = 'rm -rf'
const harmful = `Please ${dangerous} it.`

const own = (act: Act): Story<AcmqActor> => ({ begin: claim, act })

export const acmqWorlds: Readonly<Record<string, World<AcmqActor>>> = {
  /** Nobody has sent anything yet. */
  absent: {
    setUp: (a) => a.create(),
    stories: {
      ...common,
      send: story(send),
      'send twice': inTurn(send, send),
      'send large': story((a) => a.send({ body: 'x'.repeat(300) })),
      claim: story(claim),
      'send, claim': inTurn(send, claim),
      'send, claim, complete, archive': inTurn(send, claim, complete, archive),
    },
    closely: ['send/send', 'send/send, claim'],
  },

  /** One message waits. */
  pending: {
    setUp: setUpPending,
    stories: {
      ...common,
      claim: story(claim),
      'claim by id': story((a) => a.claim('gemini', messageId)),
      send: story(send),
      deny: story((a) => a.deny()),
      'claim, complete': inTurn(claim, complete),
      'claim, complete, archive': inTurn(claim, complete, archive),
      'claim, fail': inTurn(claim, fail),
      'claim, fail, retry': inTurn(claim, fail, retry),
      'claim, fail, retry, claim': inTurn(claim, fail, retry, claim),
      'deny, retry': inTurn((a) => a.deny(), retry),
      'deny, retry, claim': inTurn((a) => a.deny(), retry, claim),
      mv: moved('pending', 'processing'),
      cp: copied('pending', 'pending'),
      edit: edited('pending', asked, betterSaid),
      'edit, depends': edited('pending', 'dependencies: []', 'dependencies:\n  - "msg:nobody"'),
      rm: removed('pending'),
      put: put('processing', 'failed'),
    },
    closely: [
      'claim/claim, fail, retry',
      'claim/deny, retry',
      'claim/edit',
      'claim/edit, depends',
      'claim/put',
      'claim by id/edit',
    ],
  },

  /** Messages and context files that belong together. */
  remembered: {
    setUp: async (a) => {
      await setUpPending(a)
      await a.send({ id: 's1', body: 'Slow orders query on the orders table' })
      await a.send({ id: 's2', body: 'The orders query of the orders table is slow' })
      for (const [name, text] of Object.entries(contextFiles))
        await a.outside.write(`${missionFolder}/context/${name}`, text)
    },
    stories: {
      bus: story((a) => a.bus()),
      organize: story((a) => a.organize()),
      undo: { begin: (a) => a.organize(), act: (a) => a.undoOrganize() },
      'organize, undo': inTurn(
        (a) => a.organize(),
        (a) => a.undoOrganize(),
      ),
      'bus, twice': inTurn(
        (a) => a.bus(),
        (a) => a.bus(),
      ),
      'claim, complete': inTurn(claim, complete),
      archive: common.archive,
      'edit document': foreign('edit document', async ({ outside }) => {
        const file = (await outside.files()).find(({ path }) => /\/findings\/bus-document-[^/]*\.md$/.test(path))
        if (file) await outside.write(file.path, `${file.text}${ownWords}`)
        return file && {}
      }),
      doctor: { ...common.doctor, isMeanwhile: true },
    },
  },

  /** A snapshot covers completed messages, and whoever took it was killed before they were archived. */
  covered: {
    setUp: async (a) => {
      await setUpProcessing(a)
      await a.complete()
      await a.send({ id: 's1', body: 'Another one.\n' })
      await a.snapshot()
      const taken = a.answers.findLast(({ verb }) => verb === 'snapshot')?.name
      await a.outside.write('.signalbox/state/merging/alpha.json', `{"coveredBy":"${taken}"}\n`)
    },
    stories: {
      merge: story(merge),
      'merge twice': inTurn(merge, merge),
      archive: { ...common.archive, isMeanwhile: true },
      'send after it': inTurn((a) => a.send({ id: 'm2', dependencies: ['msg:m1'], body: 'Then this.\n' })),
      'edit snapshot': foreign('edit snapshot', async ({ outside }) => {
        const file = (await outside.files()).find(({ path }) => path.includes('/queue-snapshots/'))
        if (file) await outside.write(file.path, `${file.text}${ownWords}`)
        return file && {}
      }),
    },
  },

  /** So many wait that a snapshot is due. */
  crowded: {
    setUp: async (a) => {
      await setUpPending(a)
      const [{ path, text } = { path: '', text: '' }] = filesOf(await a.outside.files(), messageId)
      for (let n = 0; n < 50; n++) {
        const id = `n${1000 + n}`
        await a.outside.write(path.replace(`-${messageId}-`, `-${id}-`), text.replace(/^id: .*$/m, `id: ${id}`))
      }
    },
    stories: {
      merge: story(merge),
      'merge twice': inTurn(merge, merge),
      claim: inTurn(claim),
    },
  },

  /** A report that is kept, and files that are pinned. */
  reported: {
    setUp: async (a) => {
      await setUpPending(a)
      for (const [name, text] of Object.entries(contextFiles))
        await a.outside.write(`${missionFolder}/context/${name}`, text)
      await a.report()
      await a.send({ id: 's1', body: 'Another one.\n' })
    },
    stories: {
      report: story((a) => a.report()),
      pin: story((a) => a.pin('plan.md')),
      'pin another': inTurn((a) => a.pin('index.md')),
      organize: inTurn((a) => a.organize()),
      'report again': inTurn((a) => a.report()),
      'edit report': foreign('edit report', async ({ outside }) => {
        const file = (await outside.files()).find(({ path }) => path.endsWith('/findings/report.md'))
        if (file) await outside.write(file.path, `${file.text}${ownWords}`)
        return file && {}
      }),
    },
  },

  /** A message for all waits. A claim writes the claimer into it. */
  'pending for all': {
    setUp: async (a) => {
      await a.create()
      await a.send({ to: 'all' })
    },
    stories: {
      claim: story(claim),
      'claim by id': story((a) => a.claim('codex', messageId)),
      'claim by codex': story((a) => a.claim('codex')),
      'claim, fail, retry': inTurn(claim, fail, retry),
      'claim, fail, retry, claim': inTurn(claim, fail, retry, claim),
      reconcile: common.reconcile,
      doctor: common.doctor,
      mv: moved('pending', 'processing'),
      edit: edited('pending', asked, betterSaid),
      rm: removed('pending'),
      put: put('processing'),
    },
    closely: ['claim/claim by codex'],
  },

  /** The first actor has claimed it before, and remembers what it got. */
  'in hand': {
    setUp: setUpPending,
    stories: {
      'complete own': own(complete),
      'complete own barely': own((a) => a.completeBarely()),
      'fail own': own(fail),
      'renew own': own((a) => a.renew()),
      supervise: common.supervise,
      reconcile: common.reconcile,
      doctor: common.doctor,
      'fail, retry': inTurn(fail, retry),
      'fail, retry, claim': inTurn(fail, retry, claim),
      'supervise, retry, claim': inTurn(supervise, retry, claim),
      'complete, archive': inTurn(complete, archive),
      'mv back': moved('processing', 'pending'),
      edit: edited('processing', asked, betterSaid),
      rm: removed('processing'),
      put: put('completed', 'failed'),
    },
    closely: [
      'complete own/fail, retry, claim',
      'complete own barely/fail, retry, claim',
      'renew own/fail, retry, claim',
    ],
  },

  /** A message is claimed, and the claim has run out. */
  processing: {
    setUp: setUpProcessing,
    stories: {
      ...common,
      complete: story(complete),
      'complete barely': story((a) => a.completeBarely()),
      fail: story(fail),
      renew: story((a) => a.renew()),
      retry: story(retry),
      claim: story(claim),
      'claim by id': story((a) => a.claim('gemini', messageId)),
      send: story(send),
      'supervise twice': inTurn(supervise, supervise),
      'fail, retry': inTurn(fail, retry),
      'fail, retry, claim': inTurn(fail, retry, claim),
      'fail, retry, claim, complete': inTurn(fail, retry, claim, (a) => a.complete(2)),
      'fail, retry, claim, renew': inTurn(fail, retry, claim, (a) => a.renew(2)),
      'supervise, retry': inTurn(supervise, retry),
      'supervise, retry, claim': inTurn(supervise, retry, claim),
      'renew, complete': inTurn((a) => a.renew(), complete),
      'complete, archive': inTurn(complete, archive),
      mv: moved('processing', 'completed'),
      'mv back': moved('processing', 'pending'),
      cp: copied('processing', 'pending'),
      edit: edited('processing', asked, betterSaid),
      rm: removed('processing'),
      put: put('completed', 'failed'),
    },
    closely: [
      'complete/fail, retry, claim',
      'complete barely/fail, retry, claim',
      'complete barely/edit',
      'renew/fail, retry, claim',
      'renew/supervise, retry, claim',
      'supervise/renew',
      'supervise/supervise',
    ],
  },

  /** A message has failed. */
  failed: {
    setUp: setUpFailed,
    stories: {
      ...common,
      retry: story(retry),
      fail: story(fail),
      claim: story(claim),
      send: story(send),
      'retry, claim': inTurn(retry, claim),
      'retry, claim, fail': inTurn(retry, claim, (a) => a.fail(2)),
      'retry, claim, fail, retry': inTurn(retry, claim, (a) => a.fail(2), retry),
      'retry, claim, complete': inTurn(retry, claim, (a) => a.complete(2)),
      mv: moved('failed', 'pending'),
      edit: edited('failed', asked, betterSaid),
      rm: removed('failed'),
      put: put('pending'),
    },
    closely: ['retry/retry, claim, fail', 'retry/edit'],
  },

  /** A message is completed. */
  completed: {
    setUp: async (a) => {
      await setUpProcessing(a)
      await a.complete()
    },
    stories: {
      ...common,
      complete: story(complete),
      send: story(send),
      fail: story(fail),
      'archive twice': inTurn(archive, archive),
      mv: moved('completed', 'pending'),
      edit: edited('completed', asked, betterSaid),
      rm: removed('completed'),
    },
    closely: ['complete/archive', 'send/archive'],
  },

  /** One message waits for another that is being worked on. */
  'depends on one at work': {
    setUp: async (a) => {
      await setUpProcessing(a)
      await a.send({ id: 'm2', dependencies: ['msg:m1'], body: 'Then this.\n' })
    },
    stories: {
      claim: story(claim),
      'claim by id': story((a) => a.claim('gemini', 'm2')),
      complete: story(complete),
      'complete, archive': inTurn(complete, archive),
      'fail, retry': inTurn(fail, retry),
      'fail, retry, claim, complete': inTurn(fail, retry, claim, (a) => a.complete(2)),
      supervise: common.supervise,
      reconcile: common.reconcile,
    },
    closely: ['claim/complete'],
  },

  /** A harmless message, and a policy against dangerous ones. */
  policy: {
    setUp: async (a) => {
      await a.outside.write('.signalbox/policy.yaml', `hold: ["${dangerous}"]\n`)
      await setUpPending(a)
    },
    stories: {
      claim: story(claim),
      'claim by id': story((a) => a.claim('gemini', messageId)),
      approve: story((a) => a.approve()),
      'edit, approve': {
        isForeign: true,
        act: async (a) => {
          await edited('pending', asked, harmful).act(a)
          await a.approve()
        },
      },
      deny: story((a) => a.deny()),
      edit: edited('pending', asked, harmful),
      'plant in processing': foreign('plant', async (actor) => {
        const { outside } = actor
        const file = await inQueue(actor, 'pending')
        if (!file) return undefined
        const planted = file.text.replaceAll(asked, harmful).replace(/^status:.*$/m, 'status: processing')
        await outside.remove(file.path)
        await outside.write(placeIn('processing', nameOf(file.path)), planted)
        return {}
      }),
    },
    closely: ['claim/edit', 'claim by id/plant in processing'],
  },

  /** A dangerous message that a person has approved, with its body in `context/`. */
  'approved, large': {
    setUp: async (a) => {
      await a.outside.write('.signalbox/policy.yaml', `hold: ["${dangerous}"]\n`)
      await a.create()
      await a.send({ body: `${'x'.repeat(300)} ${dangerous} one\n` })
      await a.approve()
    },
    stories: {
      claim: story(claim),
      'claim by id': story((a) => a.claim('gemini', messageId)),
      approve: story((a) => a.approve()),
      exchange: foreign('exchange', async ({ outside }) => {
        const body = (await outside.files()).find(({ path }) => path.includes('/context/message-'))
        if (body) await outside.write(body.path, body.text.replace(`${dangerous} one`, `${dangerous} all`))
        return body && {}
      }),
    },
  },
}
