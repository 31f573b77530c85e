/** Somebody in a workspace of Dream.OS, and the answers they got. */
import { treePath } from '../../src/kernel/tree-path.ts'
import { dreamPorts } from '../../src/operations/dream/ports.ts'
import { defaultSettings } from '../../src/protocols/dream-os/settings.ts'
import { Dream } from '../../src/protocols/dream-os/store/dream.ts'
import type { Actor, Answer, Company } from './story.ts'
import { tell } from './tell.ts'

export const box = '_agent_coordination/shared_mailboxes/mailbox_1.json'
export const firstId = '00000001-0000-4000-8000-000000000000'

export const task = (task_id: string, more: object = {}) => ({
  task_id,
  action: 'RUN',
  params: {},
  target_agent: 'Bob',
  status: 'PENDING',
  priority: 3,
  depends_on: [],
  ...more,
})

export class DreamActor implements Actor {
  readonly answers: Answer[] = []
  readonly outside: Company['outside']
  readonly #dream: Dream
  readonly #company: Company

  constructor(company: Company) {
    const { tree, clock } = company
    this.#company = company
    this.outside = company.outside
    this.#dream = new Dream({ tree, clock, settings: defaultSettings, ...dreamPorts })
  }

  /** A mailbox that Worker has claimed, with one message. */
  mailbox = async () => {
    const message = {
      message_id: firstId,
      sender_agent_id: 'Ann',
      timestamp_dispatched: '2026-01-01T00:00:00Z',
      command: 'run',
      params: {},
    }
    const mailbox = {
      status: 'offline',
      assigned_agent_id: null,
      last_seen_utc: null,
      messages: [message],
      processed_message_ids: [],
    }
    await this.put(box, mailbox)
    await this.#dream.mailboxes.claim('Worker')
  }
  put = (path: string, value: unknown) => this.outside.write(path, `${JSON.stringify(value, null, 2)}\n`)

  send = () =>
    this.#tell('send', {}, async () => {
      const { outcome, message } = await this.#dream.messages.send({
        mailbox: 1,
        from: 'Ann',
        command: 'more',
        params: {},
      })
      return { outcome, id: message.message_id }
    })
  next = () =>
    this.#tell('next', {}, async () => {
      const given = await this.#dream.messages.next(1, 'Worker')
      return given.outcome === 'given'
        ? { outcome: 'given', id: given.message.message_id, attempt: given.attempt }
        : { outcome: 'nothing' }
    })
  doneMessage = () =>
    this.#tell('doneMessage', { id: firstId }, async () => ({
      outcome: (await this.#dream.messages.done(1, 'Worker', firstId, { output: {} })).outcome,
    }))
  heartbeat = () =>
    this.#tell('heartbeat', {}, async () => ({ outcome: (await this.#dream.mailboxes.heartbeat(1, 'Worker')).outcome }))
  release = () =>
    this.#tell('release', {}, async () => ({ outcome: (await this.#dream.mailboxes.release(1, 'Worker')).outcome }))
  claim = () => this.#tell('claim', {}, async () => ({ outcome: (await this.#dream.mailboxes.claim('Other')).outcome }))

  route = () =>
    this.#tell('route', {}, async () => {
      const { outcome, moved, copied } = await this.#dream.router.route('Supervisor')
      return { outcome, moved: moved.length, copied: copied.length }
    })
  sendTask = () =>
    this.#tell('sendTask', {}, async () => ({ outcome: (await this.#dream.sending.send('Bob', task('s'))).outcome }))
  /** Under one key, whoever sends it. */
  sendOnce = () =>
    this.#tell('sendOnce', {}, async () => {
      const draft = { from: 'Ann', to: 'Bob', text: 'Once' }
      const { outcome, message } = await this.#dream.sending.sendDraft(draft, { key: 'k1' })
      return { outcome, file: message.file }
    })
  giveBack = () =>
    this.#tell('giveBack', {}, async () => {
      await this.#dream.claiming.giveBack('Bob', 'task_a.json', undefined)
      return { outcome: 'released' }
    })
  take = (agent = 'Bob') =>
    this.#tell('take', { agent }, async () => {
      const taken = await this.#dream.claiming.take(agent)
      return taken.outcome === 'taken'
        ? { outcome: 'taken', file: taken.message.file, attempt: taken.attempt }
        : { outcome: 'nothing' }
    })
  doneTask = (file = 'task_a.json') =>
    this.#tell('doneTask', { file }, async () => ({
      outcome: (await this.#dream.settling.done('Bob', file, { output: {} })).outcome,
    }))
  dispatch = () =>
    this.#tell('dispatch', {}, async () => {
      const { outcome, tasks } = await this.#dream.tasks.dispatch('Supervisor')
      return { outcome, tasks: tasks.map(({ task_id }) => task_id) }
    })
  answerPlan = (planner: string, ...ids: readonly string[]) =>
    this.#tell('answerPlan', { planner }, async () => {
      const results = ids.map((id) => task(id))
      return { outcome: (await this.#dream.planning.answer({ plan: 'plan-1', planner, results })).outcome }
    })
  stage = (n: number) =>
    this.#tell('stage', { n }, async () => ({ outcome: (await this.#dream.prompts.stage('a', { n })).outcome }))
  fetch = () =>
    this.#tell('fetch', {}, async () => ({ outcome: (await this.#dream.prompts.fetch({ dispatch: true })).outcome }))

  doctor = () =>
    this.#tell('doctor', {}, async () => {
      await this.#company.tree.inspect({
        repair: true,
        within: [treePath('runtime'), treePath('_agent_coordination'), treePath('temp')],
      })
      await this.#dream.router.route('Supervisor')
      await this.#dream.inspect({ repair: true })
      return { outcome: 'looked' }
    })

  async stranger(verb: string, work: () => Promise<Record<string, unknown> | undefined>): Promise<void> {
    const told = await work()
    this.answers.push({ verb, outcome: told ? 'done' : 'nothing', ...told })
  }

  #tell(verb: string, details: Record<string, unknown>, work: () => Promise<{ outcome: string }>): Promise<boolean> {
    return tell(this.answers, verb, details, work as () => Promise<Answer>)
  }
}
