/** A sender, a reader or a person is killed before every single change on the disk; afterwards every message is there once. */
import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { isShort, mayLeaveToBun, runtime, spawnChild } from '../support/child.ts'
import { AgentFolder, command, openMr } from '../support/message-routing.ts'
import { withTempDir } from '../support/temp.ts'
import { bad, fill, settings, type Verb, verbs } from './mr-verbs.ts'

// Both runtimes take the same steps. While Bun takes every one, Node, which starts ten times as slowly, takes every third.
const stride = mayLeaveToBun || isShort ? 3 : 1

const folders = ['inbox', 'taken', 'evicted', 'rejected']

/** Read with nothing of the library: every message in the folders of an agent. */
function messagesIn(agent: AgentFolder) {
  return folders.flatMap((folder) =>
    agent.names(folder).map((name) => ({ folder, name, message: JSON.parse(agent.read(`${folder}/${name}`)) })),
  )
}

async function prepare(root: string, verb: Verb): Promise<void> {
  fill(new AgentFolder(root, 'coder-1'), verb)
  const { mr, close } = await openMr(root, { settings })
  await verb.prepare?.(mr)
  await close()
}

async function run(root: string, verb: string, killAt: number): Promise<number | undefined> {
  const child = spawnChild('mr', [root, verb, `${killAt}`])
  const { code, signal } = await child.exited
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(child.stderr())
  return child.stdout[0] === undefined ? undefined : Number(child.stdout[0])
}

async function killedAt(root: string, name: string, verb: Verb, killAt: number): Promise<void> {
  await prepare(root, verb)
  const isAcknowledged = (await run(root, name, killAt)) !== undefined
  const place = `${name}, killed before change ${killAt}`
  const [coder, coordinator, tester] = ['coder-1', 'coordinator-main', 'tester-1'].map(
    (agent) => new AgentFolder(root, agent),
  )
  const { mr, close } = await openMr(root, { settings })
  await mr.inspect({ repair: true })
  expect(await mr.inspect(), place).toMatchObject([
    ...(coder!.names('inbox').includes(`${bad}.json`) ? [{ code: 'UNREADABLE_MESSAGE' }] : []),
  ])

  const found = messagesIn(coder!)
  const names = found.map((one) => one.name)
  for (const id of verb.before) expect(names.filter((one) => one === `${id}.json`).length, `${place}: ${id}`).toBe(1)
  const within = ([before, after]: readonly [number, number]) => (isAcknowledged ? [after] : [before, after])
  const sent = found.filter(({ message }) => message.from === 'coordinator-main')
  expect(within(verb.sent), place).toContain(sent.length)
  expect(coder!.names('inbox').length, place).toBeLessThanOrEqual(settings.inboxLimit)
  expect(within(verb.acks), place).toContain(messagesIn(tester!).length)
  const hidden = folders.flatMap((folder) => coder!.names(folder)).filter((one) => one.startsWith('.'))
  expect(hidden, place).toEqual([])
  // Whatever was evicted or rejected has its line.
  for (const one of coder!.names('evicted')) expect(coder!.read('evictions.log'), place).toContain(`evicted/${one}`)
  for (const one of coder!.names('rejected')) expect(coder!.read('error.log'), place).toContain(`rejected/${one}`)

  // The living go on: what may be repeated is there once in the end, and no number comes twice.
  if (verb.isRepeatable) {
    await verb.act(mr)
    const bySender = messagesIn(coder!).filter(({ message }) => message.from === 'coordinator-main')
    expect([bySender.length, messagesIn(tester!).length], place).toEqual([verb.sent[1], verb.acks[1]])
  }
  const used = name === 'init' ? [] : messagesIn(coder!).filter(({ message }) => message.from === 'coordinator-main')
  const next = await mr.sending.send(command('coder-1'))
  expect(
    used.map(({ message }) => message.sequence),
    place,
  ).not.toContain(next.message.sequence)
  expect(next.message.sequence, place).toBeLessThanOrEqual(3)
  // Nobody is asked to acknowledge what was never sent, except by a sender that died in between.
  const ids = new Set(messagesIn(coder!).map(({ message }) => message.msg_id))
  const phantoms = coordinator!.names('.awaiting').filter((id) => !ids.has(id))
  expect(phantoms.length, place).toBeLessThanOrEqual(isAcknowledged ? 0 : 1)
  await close()
}

describe(`Message Routing killed before every change, on ${runtime}`, () => {
  for (const [name, verb] of Object.entries(verbs)) {
    it(`[X-crash] ${name}: every message is there once, whole, and where it may be`, async () => {
      const changes = await withTempDir(async (root) => {
        await prepare(root, verb)
        return run(root, name, 0)
      })
      expect(changes).toBeGreaterThan(0)
      const steps = Array.from({ length: changes! + 1 }, (_, i) => i + 1).filter((step) => step % stride === 0)
      const lane = async () => {
        for (let killAt = steps.shift(); killAt !== undefined; killAt = steps.shift()) {
          const step = killAt
          await withTempDir((root) => killedAt(root, name, verb, step))
        }
      }
      await Promise.all(Array.from({ length: availableParallelism() }, lane))
    }, 300_000)
  }
})
