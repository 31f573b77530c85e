/** The same message sent, taken and ended in two ways: by the verbs for every agent, and by the verbs of its protocol. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Box } from '../../src/bridge/box.ts'
import { openWorkspace, type Workspace } from '../../src/index.ts'
import { AgentDirectory } from '../../src/messaging/agents/directory.ts'
import type { Store } from '../../src/protocols/contract.ts'

export const sender = 'lead'
export const worker = 'coder-1'

/** As long as most messages are: with its header about 1 KB. */
export const text = ''.padEnd(700, 'Please read the specification first. ').trimEnd()
const draft = { from: sender, to: worker, text }

export interface Verbs {
  send(): Promise<unknown>
  takeAndEnd(): Promise<unknown>
}

/** By short name: where the recipient reads, and how the protocol's own store does the same. */
export const protocols: Readonly<
  Record<string, { readonly title: string; readonly home: string; own(workspace: Workspace): Promise<Verbs> }>
> = {
  acmq: {
    title: 'AC-MQ',
    home: 'acmq:main',
    async own({ acmq }) {
      const { mission } = await acmq.create('main')
      return {
        send: () => mission.sending.send({ from: sender, to: worker, body: text }),
        async takeAndEnd() {
          const claimed = await mission.claims.next({ agent: worker })
          if (claimed.outcome !== 'claimed') throw nothing()
          const { message } = claimed
          await mission.settling.complete(message, { agent: worker, attempt: message.attempt })
        },
      }
    },
  },
  mr: {
    title: 'Message Routing',
    home: 'mr',
    async own({ mr: { sending, claiming } }) {
      return {
        send: () => sending.send({ from: sender, to: worker, type: 'task-delegation', payload: { task: text } }),
        async takeAndEnd() {
          const [message] = (await claiming.receive(worker, { limit: 1 })).messages
          if (!message) throw nothing()
          const payload = { status: 'success', message: 'done' }
          const answer = { from: worker, to: sender, type: 'result', payload, replyTo: message.id } as const
          await sending.send(answer, { key: `end ${message.id}` })
        },
      }
    },
  },
  circe: {
    title: 'CIRCE',
    home: 'circe',
    async own({ circe: { sending, claiming, settling } }) {
      return {
        send: () => sending.send({ from: sender, to: worker, intent: 'question', body: text }),
        async takeAndEnd() {
          const claimed = await claiming.claim(worker)
          if (claimed.outcome !== 'claimed') throw nothing()
          await settling.done(worker, claimed.message.file)
        },
      }
    },
  },
  dream: {
    title: 'Dream.OS',
    home: 'dream',
    async own({ dream: { sending, claiming, settling } }) {
      return {
        send: () => sending.sendDraft(draft),
        async takeAndEnd() {
          const taken = await claiming.take(worker)
          if (taken.outcome !== 'taken') throw nothing()
          await settling.done(worker, taken.message.path, { attempt: taken.attempt })
        },
      }
    },
  },
  // Sessions have no verbs of their own for tasks but words that are said: these are what their store has.
  session: {
    title: 'Shared Agent',
    home: 'session:bench',
    async own({ sessions }) {
      await sessions.start('bench')
      const { send, take, done } = await sessions.neutral()
      return {
        send: () => send!({ ...draft, place: 'bench' }),
        async takeAndEnd() {
          const taken = await take!(worker, { place: 'bench' })
          if (taken.outcome !== 'taken') throw nothing()
          await done!(taken.receipt)
        },
      }
    },
  },
}

/** Through `Box`, as a program uses it: what is taken is also noted as shown. */
export const neutralVerbs = (workspace: Workspace): Verbs => ({
  send: () => workspace.send(draft),
  async takeAndEnd() {
    const taken = await workspace.take(worker)
    if (!taken) throw nothing()
    await workspace.done(taken.receipt)
  },
})

/** The same without the note that it was shown, which the verbs of a protocol do not write either. */
export async function unnotedVerbs(workspace: Workspace, name: string): Promise<Verbs> {
  const store: Store = name === 'session' ? workspace.sessions : workspace[name as 'acmq']
  const member = { name, title: name, neutral: await store.neutral() }
  const box = new Box({
    tree: workspace.tree,
    directory: new AgentDirectory(workspace.tree),
    names: [name],
    async *used() {
      yield member
    },
    member: async () => member,
    noticesAbout: async () => [],
  })
  return {
    send: () => box.send(draft),
    async takeAndEnd() {
      const taken = await box.take(worker)
      if (!taken) throw nothing()
      await box.done(taken.receipt)
    },
  }
}

/** A workspace in which the recipient is at home in one protocol. Ignores the environment variables of this shell. */
export async function workspaceAt(root: string, home: string): Promise<Workspace> {
  mkdirSync(join(root, '.signalbox/agents'), { recursive: true })
  writeFileSync(join(root, `.signalbox/agents/${worker}.yaml`), `home: ${home}\n`)
  return openWorkspace({ root, environment: {} })
}

export const nothing = () => new Error('nothing to take')
