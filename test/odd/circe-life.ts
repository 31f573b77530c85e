/** A workspace of CIRCE with something in every place, and everything that can be asked for there. */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { SignalboxError } from '../../src/kernel/errors.ts'
import type { Circe } from '../../src/protocols/circe/store/circe.ts'
import { fileOf } from '../crash/circe-verbs.ts'
import { CirceFolder, foreign, withCirce } from '../support/circe.ts'

/** All that can be seen of a directory, times included. */
export const seen = (folder: string): string =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { mode, size, mtimeMs, ctimeMs } = fs.lstatSync(join(folder, name))
      return `${name} ${mode} ${size} ${mtimeMs} ${ctimeMs}`
    })
    .join('\n')

/** A task that is being worked on, a question to a person, and a message in each place. */
export async function prepare(root: string): Promise<void> {
  const folder = new CirceFolder(root)
  await withCirce(root, async (circe) => {
    for (const agent of ['coordinator', 'engineer', 'qa', 'scribe']) await circe.agents.init(agent)
    await circe.sending.send({
      from: 'coordinator',
      to: 'all',
      intent: 'implement_feature',
      task: 'FEAT-1',
      summary: 'Build',
    })
    await circe.claiming.claim('engineer')
    await circe.settling.start('engineer', fileOf(folder, 'implement_feature'))
    await circe.sending.send({ from: 'engineer', to: 'ROOSTER', intent: 'escalate', task: 'FEAT-1', summary: 'Which?' })
    folder.put('AGENTS/engineer/WORKSPACE/draft-FEAT-1.txt', 'a draft\n')
    folder.put(
      'NEW_MESSAGES/20260301_100001_coordinator-engineer_inform.md',
      foreign('coordinator', 'engineer', 'inform'),
    )
    folder.put('AGENTS/engineer/INBOX/20260301_100002_qa-engineer_inform.md', foreign('qa', 'engineer', 'inform'))
    await circe.overview.tasks()
  })
}

export interface Names {
  readonly work: string
  readonly question: string
}

/** Everything that can be asked for; each answer is an outcome, or an error for people. */
export async function everything(circe: Circe, { work, question }: Names, place: string): Promise<void> {
  const tried = async (what: string, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof SignalboxError)) throw new Error(`${place}, ${what}: ${(error as Error).stack}`)
      expect(error.hint, `${place}, ${what}: ${error.message}`).toBeTypeOf('string')
      expect(['Corrupt', 'Denied', 'Conflict', 'NotFound'], `${place}, ${what}: ${error.code}`).toContain(error.kind)
    }
  }
  await tried('tasks', () => circe.overview.tasks())
  await tried('inbox', () => circe.overview.inbox('engineer'))
  await tried('init', () => circe.agents.init('engineer'))
  await tried('send', () => circe.sending.send({ from: 'qa', to: 'scribe', intent: 'inform', summary: 'A word' }))
  await tried('send to all', () =>
    circe.sending.send({ from: 'coordinator', to: 'all', intent: 'inform', summary: 'Noon' }),
  )
  await tried('send about it', () =>
    circe.sending.send({
      from: 'qa',
      to: 'engineer',
      intent: 'test_results',
      task: 'FEAT-1',
      status: 'completed',
      summary: 'ok',
    }),
  )
  await tried('claim', () => circe.claiming.claim('engineer'))
  await tried('ack', () => circe.settling.ack('engineer', '20260301_100002_qa-engineer_inform.md'))
  await tried('done', () => circe.settling.done('engineer', '20260301_100002_qa-engineer_inform.md'))
  await tried('answer', () => circe.people.answer(question, { text: 'The first' }))
  await tried('check', () => circe.tasks.check('FEAT-1', 'engineer', { peer_reviewed: true }))
  await tried('status', () => circe.tasks.status('FEAT-1', 'blocked', 'engineer'))
  await tried('release', () => circe.tasks.release('engineer', 'FEAT-1'))
  await tried('start', () => circe.settling.start('engineer', work))
  await tried('complete', () => circe.tasks.status('FEAT-1', 'completed', 'coordinator'))
  await tried('log', () => circe.overview.log({ task: 'FEAT-1' }))
  await tried('open questions', async () => {
    for await (const _ of circe.people.open());
  })
  await tried('inspect', () => circe.inspect())
  await tried('repair', () => circe.inspect({ repair: true }))
}

/** A message from one bystander to another, about nothing that is odd. */
export async function flows(circe: Circe): Promise<void> {
  const { message } = await circe.sending.send({ from: 'qa', to: 'scribe', intent: 'question', summary: 'And you?' })
  const claimed: string[] = []
  for (;;) {
    const next = await circe.claiming.claim('scribe')
    if (next.outcome === 'nothing') break
    claimed.push(next.message.file)
  }
  expect(claimed).toContain(message.file)
  await circe.settling.done('scribe', message.file)
}

export function namesIn(root: string): Names {
  const folder = new CirceFolder(root)
  return { work: fileOf(folder, 'implement_feature'), question: fileOf(folder, 'escalate') }
}
