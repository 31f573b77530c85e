/** One life of CIRCE in memory beside the model: every step is done to both, and then everything is compared. */
import { expect } from 'vitest'
import { openMemoryTree } from '../../../src/engines/memory/index.ts'
import { heldClock } from '../../../src/kernel/clock.ts'
import { treePath } from '../../../src/kernel/tree-path.ts'
import { type Circe, circe } from '../../../src/protocols/circe/index.ts'
import type { Tree } from '../../../src/tree/tree.ts'
import { agents, Model, type Sent, tasks } from './model.ts'

export type Step =
  | { do: 'send' | 'write'; agent: number; what: number; task: number; to: number }
  | { do: 'claim'; agent: number }
  | { do: 'start' | 'ack' | 'done'; agent: number; file: number }
  | { do: 'release'; agent: number; task: number }
  | { do: 'check'; agent: number; task: number; value: boolean }
  | { do: 'status'; agent: number; task: number; status: number }
  | { do: 'answer'; file: number; words: number }
  | { do: 'mv'; agent: number; file: number }
  | { do: 'own'; agent: number; task: number }
  | { do: 'forget' }
  | { do: 'ruin'; task: number; which: number }

/** What can be sent, and to whom: to all, or to one. */
export const sendable = [
  ['implement_feature', 'new', 'all'],
  ['implement_feature', 'new', 'one'],
  ['test', 'new', 'one'],
  ['test_results', 'completed', 'one'],
  ['test_results', 'failed', 'one'],
  ['status_update', 'in_progress', 'one'],
  ['status_update', 'blocked', 'one'],
  ['status_update', 'failed', 'one'],
  ['status_update', 'completed', 'one'],
  ['claim_task', 'new', 'one'],
  ['release_task', 'new', 'one'],
  ['escalate', 'blocked', 'one'],
  ['inform', 'new', 'one'],
] as const
export const statuses = ['in_progress', 'blocked', 'failed', 'completed'] as const

export const ruinable = [
  ['status'],
  ['checks'],
  ['owner'],
  ['status', 'checks'],
  ['status', 'owner', 'checks'],
] as const

const { root } = circe.defaults
const at = (path: string) => treePath(`${root}/${path}`)

export class Play {
  readonly #clock = heldClock(Date.parse('2026-01-01T12:00:00.789Z'))
  readonly #tree: Tree = openMemoryTree({ clock: this.#clock })
  readonly #model = new Model()
  #stores: readonly Circe[] = []
  #count = 0

  async begin(): Promise<this> {
    const open = () => circe.open({ tree: this.#tree, clock: this.#clock, settings: circe.defaults })
    this.#stores = [await open(), await open()]
    for (const agent of agents) await this.#stores[0]!.agents.init(agent)
    return this
  }

  async step(step: Step): Promise<void> {
    this.#clock.advance(2000)
    const one = this.#stores[this.#count++ % 2]!
    await this.#do(step, one)
    await this.#compare(this.#stores[this.#count % 2]!)
  }

  async #do(step: Step, one: Circe): Promise<void> {
    const model = this.#model
    const files = [...model.messages.keys()]
    const agent = 'agent' in step ? agents[step.agent % agents.length]! : ''
    const task = 'task' in step ? tasks[step.task % tasks.length]! : ''
    const file = 'file' in step ? files[step.file % files.length] : undefined
    const answer = (promise: Promise<{ readonly outcome: string }>) =>
      promise.then(
        ({ outcome }): string | number => outcome,
        (error) => error.exit ?? Promise.reject(error),
      )
    switch (step.do) {
      case 'send':
      case 'write': {
        const [intent, status, whom] = sendable[step.what % sendable.length]!
        const to = whom === 'all' ? 'all' : agents[step.to % agents.length]!
        const said = { from: agent, to, intent, task, status, nth: this.#count }
        if (step.do === 'write') await this.#write(said)
        else await this.#send(said, one)
        return
      }
      case 'claim': {
        const claimed = await one.claiming.claim(agent)
        const found = claimed.outcome === 'claimed' ? claimed.message.file : 'nothing'
        expect(found).toBe(model.claim(agent))
        return
      }
      case 'start':
      case 'ack':
      case 'done':
        if (file !== undefined)
          expect(await answer(one.settling[step.do](agent, file))).toBe(model.handle(step.do, agent, file))
        model.settle()
        return
      case 'release':
        expect(await answer(one.tasks.release(agent, task))).toBe(model.release(agent, task))
        return
      case 'check':
        expect(await answer(one.tasks.check(task, agent, { tests_passed: step.value }))).toBe(
          model.check(agent, task, step.value),
        )
        return
      case 'status': {
        const status = statuses[step.status % statuses.length]!
        expect(await answer(one.tasks.status(task, status, agent))).toBe(model.status(agent, task, status))
        return
      }
      case 'answer':
        if (file !== undefined && model.messages.get(file)!.intent === 'escalate')
          await this.#answer(file, `Words ${step.words % 2}`, one)
        return
      case 'mv': {
        if (file === undefined || model.messages.get(file)!.place !== 'new') return
        expect((await this.#tree.move(at(`NEW_MESSAGES/${file}`), at(`AGENTS/${agent}/INBOX/${file}`))).outcome).toBe(
          'moved',
        )
        model.moved(file, agent)
        return
      }
      case 'own':
        if (model.task(task).owner !== undefined || model.files(task).length === 0 || model.seen(task).status !== 'new')
          return
        expect((await this.#tree.create(at(`TASKS/${task}.owner`), `owner: ${agent}\n`)).outcome).toBe('created')
        model.ownedByHand(task, agent)
        return
      case 'forget':
        await this.#forget(treePath('.signalbox/cache'))
        return
      case 'ruin':
        await this.#ruin(task, ruinable[step.which % ruinable.length]!, one)
    }
  }

  async #send(said: Omit<Sent, 'file'>, one: Circe): Promise<void> {
    const { nth: _, ...draft } = said
    const refused = this.#model.foresee({ ...said, file: '' })
    try {
      const { message } = await one.sending.send({ ...draft, summary: `Number ${said.nth}` })
      expect(0).toBe(refused)
      this.#model.arrive({ ...said, file: message.file })
    } catch (error) {
      if ((error as { exit?: number }).exit === undefined) throw error
      expect((error as { exit: number }).exit).toBe(refused)
    }
  }

  /** As another program would; it counts when the next command looks. */
  async #write(said: Omit<Sent, 'file'>): Promise<void> {
    const file = `foreign-${String(said.nth).padStart(4, '0')}.md`
    const created = new Date(this.#clock.now()).toISOString()
    const text = `# MESSAGE\nfrom: ${said.from}\nto: ${said.to}\nintent: ${said.intent}\ntask_id: ${said.task}\nstatus: ${said.status}\ncreated_at: ${created}\n`
    await this.#tree.create(at(`NEW_MESSAGES/${file}`), text)
    this.#model.arrive({ ...said, file })
  }

  async #answer(file: string, words: string, one: Circe): Promise<void> {
    const question = this.#model.messages.get(file)!
    try {
      const { outcome, message } = await one.people.answer(file, { text: words })
      expect(outcome).toBe(question.answer === undefined ? 'answered' : 'unchanged')
      expect([undefined, words]).toContain(question.answer)
      if (outcome === 'unchanged') return
      question.answer = words
      const { from: to, task } = question
      this.#model.arrive({
        file: message.file,
        from: 'ROOSTER',
        to,
        intent: 'answer',
        task,
        status: 'completed',
        nth: this.#count,
      })
    } catch (error) {
      if ((error as { exit?: number }).exit === undefined) throw error
      expect((error as { exit: number }).exit).toBe(4)
      expect(question.answer).not.toBe(words)
    }
  }

  async #forget(folder: ReturnType<typeof treePath>): Promise<void> {
    for (const { name, kind } of await this.#tree.list(folder)) {
      const path = treePath(`${folder}/${name}`)
      if (kind === 'folder') await this.#forget(path)
      else await this.#tree.remove(path)
    }
  }

  /** Files of a task that nobody can read; `doctor --fix` makes them again from the log and the messages. */
  async #ruin(task: string, files: readonly string[], one: Circe): Promise<void> {
    for (const file of files) {
      const path = at(`TASKS/${task}.${file}`)
      const leaf = await this.#tree.read(path)
      if (leaf) await this.#tree.replace(path, Buffer.from('not: [yaml\n'), leaf.revision)
    }
    for (const { code, repaired } of await one.inspect({ repair: true }))
      if (code === 'BAD_TASK_FILE') expect(repaired).toBe(true)
  }

  async #compare(one: Circe): Promise<void> {
    const views = await one.overview.tasks()
    // What our own verbs wrote agrees with what was told of it, as `doctor` sees it.
    const blamed = (await one.inspect()).filter(({ code }) => code === 'BAD_TASK_FILE')
    expect(blamed.map(({ path, message }) => `${path}: ${message}`)).toEqual([])
    const model = this.#model
    for (const id of tasks) {
      if (!model.isKnown(id)) continue
      const view = views.find((found) => found.id === id) ?? (await one.overview.tasks(id))[0]!
      const hasOwnerFile = (await this.#tree.look(at(`TASKS/${id}.owner`))) !== undefined
      const seen = { status: view.status, owner: view.owner, tests: view.checks.tests_passed, hasOwnerFile }
      expect({ id, ...seen, notices: view.notices }).toEqual({ id, ...model.seen(id), notices: [] })
    }
    const found: string[] = []
    for (const agent of agents)
      for (const place of ['INBOX', 'WORKSPACE']) found.push(...(await this.#names(`AGENTS/${agent}/${place}`)))
    found.push(...(await this.#names('NEW_MESSAGES')), ...(await this.#names('LOGS')))
    const folder = {
      new: () => 'NEW_MESSAGES',
      inbox: (agent?: string) => `AGENTS/${agent}/INBOX`,
      workspace: (agent?: string) => `AGENTS/${agent}/WORKSPACE`,
    }
    const expected = [...model.messages.values()].flatMap(({ file, place, agent, isLogged }) => [
      ...(place === 'gone' ? [] : [`${folder[place](agent)}/${file}`]),
      ...(isLogged ? [`LOGS/${file}`] : []),
    ])
    expect(found.sort()).toEqual(expected.sort())
    const open: string[] = []
    for await (const question of one.people.open()) open.push(question.name)
    expect(open.sort()).toEqual(model.open())
  }

  async #names(folder: string): Promise<string[]> {
    const entries = await this.#tree.list(at(folder))
    return entries.flatMap(({ name, kind }) => (kind === 'leaf' && name.endsWith('.md') ? [`${folder}/${name}`] : []))
  }
}
