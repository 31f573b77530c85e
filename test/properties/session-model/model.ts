/** A session as a person would keep it on paper. It shares no code with the library: what it says is what must be answered. */

export type Step =
  | { readonly do: 'say'; readonly agent: string; readonly words: readonly string[] }
  | { readonly do: 'inbox'; readonly agent: string }
  | { readonly do: 'end' }
  | { readonly do: 'pass'; readonly seconds: number }

interface Task {
  readonly id: string
  readonly agent: string
  readonly task: string
  readonly priority: string
  readonly by: string
  state: 'pending' | 'completed' | 'failed'
}

export const mostKeys = 4
export const chief = 'Orchestrator'

export class Model {
  #now = 0
  #state: { key: string; value: string; persistent: boolean }[] = []
  #variables: Record<string, string> = {}
  #locks: Record<string, { owner: string; until: number }> = {}
  #signals: string[] = []
  #channels: Record<string, string[]> = {}
  #mail: Record<string, string[]> = {}
  #tasks: Task[] = []

  copy(): Model {
    const copy = new Model()
    const { now, state, variables, locks, signals, channels, mail, tasks } = structuredClone(this.picture())
    copy.#now = now
    copy.#state = state
    copy.#variables = variables
    copy.#locks = locks
    copy.#signals = signals
    copy.#channels = channels
    copy.#mail = mail
    copy.#tasks = tasks
    return copy
  }

  picture() {
    return {
      now: this.#now,
      state: this.#state,
      variables: this.#variables,
      locks: this.#locks,
      signals: this.#signals,
      channels: this.#channels,
      mail: this.#mail,
      tasks: this.#tasks,
    }
  }

  /** What is answered. */
  take(step: Step): string {
    switch (step.do) {
      case 'pass':
        this.#now += step.seconds
        return ''
      case 'end':
        this.#state = this.#state.filter(({ persistent }) => persistent)
        this.#locks = {}
        this.#signals = []
        this.#channels = {}
        return ''
      case 'inbox': {
        const waiting = this.#mail[step.agent] ?? []
        this.#mail[step.agent] = []
        return waiting.join('|')
      }
      case 'say':
        return this.#say(step.agent, step.words)
    }
  }

  #say(agent: string, [command = '', first = '', ...words]: readonly string[]): string {
    const [second = '', third = ''] = words
    switch (command) {
      case 'declare':
        this.#variables[first] = second
        return `saved:${first}`
      case 'STATE:save':
        return this.#save(first, second, third === 'persistent')
      case 'STATE:load':
        return this.#state.find(({ key }) => key === first)?.value ?? 'not_found'
      case 'STATE:list':
        return this.#state.map(({ key }) => `• ${key}`).join('\n') || 'not_found'
      case 'STATE:clear':
        this.#state = []
        return 'cleared'
      case 'LOCK':
        return this.#lock(agent, first, Number(second))
      case 'UNLOCK':
        return this.#unlock(agent, first, second === 'force')
      case 'SIGNAL':
        this.#signals = this.#signals.filter((one) => one !== first)
        if (second !== 'false') this.#signals.push(first)
        return 'signaled:0'
      case 'WAIT':
        return this.#signals.includes(first) ? 'ready' : 'timeout'
      case 'SUBSCRIBE':
        this.#channels[first] = [...(this.#channels[first] ?? []).filter((one) => one !== agent), agent]
        return `subscribed:${first}`
      case 'UNSUBSCRIBE':
        this.#channels[first] = (this.#channels[first] ?? []).filter((one) => one !== agent)
        return `unsubscribed:${first}`
      case 'BROADCAST': {
        const readers = this.#channels[first] ?? []
        for (const reader of readers) this.#post(reader, second)
        return `sent:${readers.length}`
      }
      case 'DIRECT':
        this.#post(first, second)
        return `sent:${first}`
      case 'DELEGATE': {
        const id = `task_id_${String(this.#tasks.length + 1).padStart(3, '0')}`
        this.#tasks.push({ id, agent: first, task: second, priority: third, by: agent, state: 'pending' })
        this.#post(first, `${third} ${second}`)
        return `ack:${id}\nunassigned:${first}`
      }
      case 'DONE':
        return this.#settle(agent, first, 'completed', 'done', second)
      case 'FAIL':
        return this.#settle(agent, first, 'failed', 'failed', second)
      case 'RETRY': {
        const task = this.#tasks.find(({ id }) => id === second)
        if (task?.agent !== first) return 'not_found'
        if (task.state === 'completed') return '#ERROR:E002:task_is_completed'
        task.state = 'pending'
        this.#post(first, '')
        return `ack:${second}`
      }
      case 'NEXT': {
        const own = this.#tasks.filter((one) => one.state === 'pending' && (agent === chief || one.agent === agent))
        const [next] = own.sort((a, b) => (a.priority + a.id < b.priority + b.id ? -1 : 1))
        return next ? `${next.id} ${next.priority} ${next.agent} ${next.task}` : 'not_found'
      }
      default:
        throw new Error(command)
    }
  }

  #save(key: string, written: string, persistent: boolean): string {
    const value = written.replace(/\{\{(\w+)\}\}/g, (_, name: string) => this.#variables[name] ?? `undefined_${name}`)
    if (value.startsWith('undefined_')) return `#ERROR:E002:${value}`
    const old = this.#state.find((one) => one.key === key)
    if (!old && this.#state.length >= mostKeys) return `#ERROR:E003:max_keys_${mostKeys}`
    if (old) Object.assign(old, { value, persistent })
    else this.#state.push({ key, value, persistent })
    return `saved:${key}`
  }

  #lock(agent: string, resource: string, seconds: number): string {
    const held = this.#held(resource)
    if (held && held.owner !== agent) return `busy:${held.owner}`
    this.#locks[resource] = { owner: agent, until: this.#now + seconds }
    return 'locked'
  }

  #unlock(agent: string, resource: string, force: boolean): string {
    if (force && agent !== chief) return '#ERROR:E005:only_orchestrator_may_force'
    const held = this.#held(resource)
    if (!held || (!force && held.owner !== agent)) return 'not_owner'
    delete this.#locks[resource]
    return 'unlocked'
  }

  #held(resource: string) {
    const lock = this.#locks[resource]
    return lock && lock.until > this.#now ? lock : undefined
  }

  #settle(agent: string, named: string, state: 'completed' | 'failed', word: string, result: string): string {
    const task = this.#tasks.find(({ id }) => id === named)
    if (!task) return 'not_found'
    if (agent !== chief && task.agent !== agent) return '#ERROR:E005:not_your_task'
    if (task.state !== 'pending') return `#ERROR:E002:task_is_${task.state}`
    task.state = state
    this.#post(task.by, result)
    return `${word}:${named}`
  }

  #post(reader: string, text: string): void {
    this.#mail[reader] = [...(this.#mail[reader] ?? []), text]
  }
}
