/** Every command: its parameters, the limit of its answer, its help. Shared Agent Protocol §3, §10, §12 to §16; README.md. */
import type { Category, CommandSpec, Parameter, Tail } from './spec.ts'

const word = (name: string): Parameter => ({ name, kind: 'word' })
const text = (name: string): Parameter => ({ name, kind: 'text' })
const optional = (parameter: Parameter): Parameter => ({ ...parameter, optional: true })
const key: Parameter = { name: 'key', short: 'k', kind: 'key' }
const agent: Parameter = { name: 'agent', kind: 'agent' }
const task = text('task')
const topic = text('topic')
const channel = word('channel')
const checkpoint = text('id')
const file: Parameter = { name: 'filepath', kind: 'path' }

const priority: Tail = { name: 'P0-P3', kind: 'priority' }
const choice = (name: string, ...choices: string[]): Tail => ({ name, kind: 'choice', choices })
const seconds = (least: number, mayHaveColons: RegExp): Tail => {
  return { name: 'timeout', kind: 'seconds', least, mayHaveColons }
}

export const checkpointTypes = ['manual', 'auto', 'milestone'] as const

/** By default there are no parameters and `limit` is `fixed`. `help`: a few words, one sentence, an example. */
type Row = Pick<CommandSpec, 'tails' | 'answer' | 'items'> &
  Partial<Pick<CommandSpec, 'parameters' | 'limit'>> & { readonly help: readonly [string, string, string] }

const ofCategory = (category: Category, rows: Readonly<Record<string, Row>>): CommandSpec[] =>
  Object.entries(rows).map(([name, { help: texts, ...row }]) => {
    const [brief, help, example] = texts
    return { name, category, parameters: [], limit: 'fixed', ...row, brief, help, example }
  })

export const commands: readonly CommandSpec[] = [
  ...ofCategory('core', {
    ASK: {
      parameters: [topic],
      answer: 'bullets',
      limit: 'list',
      help: ['load context', 'Tells what is recorded about topic', '#ASK:auth'],
    },
    DEFINE: {
      parameters: [word('term'), optional(text('text'))],
      answer: '"defined:<term>" or its text',
      limit: 'summary',
      help: ['record or tell term', 'Records what term means, or tells it', '#DEFINE:JWT:signed token'],
    },
    SUMMARY: {
      parameters: [optional(topic)],
      answer: 'one line',
      limit: 'summary',
      help: ['done, running, blocked', 'Counts tasks done, running and blocked', '#SUMMARY:auth'],
    },
    HELP: {
      parameters: [optional(text('category'))],
      answer: 'bullets',
      help: ['category help', 'Lists commands, or explains one', '#HELP:state'],
    },
  }),
  ...ofCategory('state', {
    'STATE:save': {
      parameters: [key, { name: 'value', short: 'v', kind: 'text' }],
      tails: [{ name: 'persistent', kind: 'choice', choices: ['persistent'], unshown: true }],
      answer: '"saved:<key>"',
      help: ['store value', 'Saves value (≤30 tokens) to session', '#STATE:save:user:alice'],
    },
    'STATE:load': {
      parameters: [key],
      answer: 'value or "not_found"',
      help: ['retrieve value', 'Tells value saved under key', '#STATE:load:user'],
    },
    'STATE:list': {
      answer: 'bullets ≤ 5 keys',
      limit: 'list',
      items: 5,
      help: ['show all keys', 'Lists keys of session state', '#STATE:list'],
    },
    'STATE:clear': { answer: '"cleared"', help: ['reset state', 'Removes all state of session', '#STATE:clear'] },
  }),
  ...ofCategory('error', {
    ERROR: {
      parameters: [word('code'), text('desc')],
      answer: '"#ERROR:<code>:<desc>"',
      limit: 'error',
      help: ['report error', 'Records error; #HEALTH counts it', '#ERROR:E002:bad path'],
    },
  }),
  ...ofCategory('version', {
    VERSION: { answer: '"v1.1.0"', help: ['check version', 'Tells version of protocol', '#VERSION'] },
    'VERSION:check': {
      parameters: [{ name: 'version', kind: 'version' }],
      answer: '"compatible" or "incompatible"',
      help: ['compare version', 'Compatible: same major, minor not newer', '#VERSION:check:1.0.0'],
    },
    'VERSION:features': {
      answer: 'bullets',
      help: ['list features', 'Lists features and their versions', '#VERSION:features'],
    },
    SUPPORTS: {
      parameters: [text('feature')],
      answer: '"true" or "false"',
      help: ['detect feature', 'Tells whether feature exists', '#SUPPORTS:coordination'],
    },
  }),
  ...ofCategory('coordination', {
    LOCK: {
      parameters: [text('resource')],
      // `db:users` may be a name; a path has no colons.
      tails: [seconds(1, /^[^/.]*$/), priority],
      answer: '"locked" or "busy:<owner>"',
      help: ['acquire lock', 'Locks resource (300 s unless said)', '#LOCK:src/auth.js:600'],
    },
    UNLOCK: {
      parameters: [text('resource')],
      tails: [choice('force', 'force')],
      answer: '"unlocked" or "not_owner"',
      help: ['release lock', 'Releases lock; orchestrator may force', '#UNLOCK:src/auth.js'],
    },
    WAIT: {
      parameters: [text('condition')],
      // No signal has a condition with a colon.
      tails: [seconds(0, /^lock=[^/.]*$/), priority],
      answer: '"ready" or "timeout"',
      help: ['wait for condition', 'Waits for signal, or lock=<resource>', '#WAIT:dev_complete:300'],
    },
    SIGNAL: {
      parameters: [word('condition'), optional(text('value'))],
      answer: '"signaled:<count>"',
      help: ['signal condition', 'Releases who waits; false takes back', '#SIGNAL:dev_complete:true'],
    },
    BROADCAST: {
      parameters: [channel, text('msg')],
      answer: '"sent:<count>"',
      help: ['tell subscribers', 'Sends msg to subscribers of channel', '#BROADCAST:file_changes:auth_complete'],
    },
    SUBSCRIBE: {
      parameters: [text('channel')],
      answer: '"subscribed:<channel>"',
      help: ['listen to channel', 'Listens to broadcasts of channel', '#SUBSCRIBE:file_changes'],
    },
    UNSUBSCRIBE: {
      parameters: [text('channel')],
      answer: '"unsubscribed:<channel>"',
      help: ['stop listening', 'Stops listening to channel', '#UNSUBSCRIBE:test_results'],
    },
    DIRECT: {
      parameters: [agent, text('msg')],
      answer: '"sent:<agent>"',
      help: ['direct message', 'Sends msg to one agent', '#DIRECT:TestAgent:auth_ready'],
    },
    DEPENDS: {
      parameters: [agent, task],
      answer: '"depends:<agent>:<task>"',
      help: ['declare dependency', 'Holds own tasks until that one is done', '#DEPENDS:DevAgent:auth_impl'],
    },
  }),
  ...ofCategory('tasks', {
    DELEGATE: {
      parameters: [agent, task],
      tails: [priority],
      answer: '"ack:<task_id>"',
      help: ['give task', 'Records task and hands it to agent', '#DELEGATE:DevAgent:implement_auth:P1'],
    },
    REPORT: {
      parameters: [{ name: 'agent|all', kind: 'agent' }, topic],
      answer: 'bullets',
      limit: 'list',
      help: ['tell results', 'Tells recorded tasks and results', '#REPORT:DevAgent:progress'],
    },
    NEXT: {
      answer: 'task',
      limit: 'status',
      help: ['most urgent task', 'Tells most urgent task that waits for nothing', '#NEXT:'],
    },
    RETRY: {
      parameters: [agent, task],
      answer: '"ack:<task_id>"',
      help: ['try again', 'Hands task over once more', '#RETRY:DevAgent:implement_auth'],
    },
    PROGRESS: {
      parameters: [word('task'), text('text')],
      answer: '"noted:<task_id>"',
      help: ['say how far', 'Records how far a task is', '#PROGRESS:task_id_001:80%'],
    },
    DONE: {
      parameters: [word('task'), optional(text('result'))],
      answer: '"done:<task_id>"',
      help: ['finish task', 'Records result of a task', '#DONE:task_id_001:all tests pass'],
    },
    FAIL: {
      parameters: [word('task'), optional(text('reason'))],
      answer: '"failed:<task_id>"',
      help: ['give task up', 'Records why a task failed', '#FAIL:task_id_001:no database'],
    },
    EVALUATE: {
      parameters: [text('metric')],
      answer: 'value',
      limit: 'status',
      help: ['last figure', 'Tells last result or value that names metric', '#EVALUATE:coverage'],
    },
    ESCALATE: {
      parameters: [text('issue')],
      answer: '"escalated:<id>"',
      help: ['ask a person', 'Puts issue before a person', '#ESCALATE:deploy blocked'],
    },
    COORDINATE: {
      parameters: [{ name: 'agents', kind: 'agents' }],
      answer: '"coordinating:<task_id>"',
      help: ['bring together', 'Records a task of several agents', '#COORDINATE:DevAgent,TestAgent'],
    },
  }),
  ...ofCategory('checkpoint', {
    'CHECKPOINT:create': {
      parameters: [{ name: 'type', kind: 'type' }, text('name')],
      answer: '"checkpoint_id:<id>"',
      help: ['keep files', 'Keeps files and state with git', '#CHECKPOINT:create:manual:pre_deploy'],
    },
    'CHECKPOINT:list': {
      answer: 'bullets ≤ 5 items',
      limit: 'list',
      items: 5,
      help: ['show checkpoints', 'Lists checkpoints, newest first', '#CHECKPOINT:list'],
    },
    'CHECKPOINT:diff': {
      parameters: [checkpoint],
      answer: 'summary ≤ 20 tokens',
      help: ['changes since', 'Counts files and lines changed since', '#CHECKPOINT:diff:cp_001'],
    },
    ROLLBACK: {
      parameters: [checkpoint],
      tails: [choice('force', 'force')],
      answer: '"rolled_back:<id>"',
      help: ['go back', 'Brings files and state of id back', '#ROLLBACK:cp_001'],
    },
    'ROLLBACK:status': {
      answer: 'status ≤ 10 tokens',
      help: ['last rollback', 'Tells last rollback, or none', '#ROLLBACK:status'],
    },
    'ROLLBACK:dry-run': {
      parameters: [checkpoint],
      answer: 'bullets',
      help: ['preview', 'Shows what a rollback would change', '#ROLLBACK:dry-run:cp_001'],
    },
  }),
  ...ofCategory('context', {
    'CONTEXT:export': {
      parameters: [file],
      tails: [choice('filter', 'all', 'critical', 'tasks', 'state', 'incremental')],
      answer: '"exported:<count> items"',
      help: ['write context', 'Writes session context to file', '#CONTEXT:export:./context/a.ctx'],
    },
    'CONTEXT:import': {
      parameters: [file],
      tails: [choice('mode', 'replace', 'merge')],
      answer: '"imported:<count> items"',
      help: ['read context', 'Takes context from file', '#CONTEXT:import:./context/a.ctx'],
    },
    'CONTEXT:list': {
      parameters: [{ name: 'directory', kind: 'path', optional: true }],
      answer: 'bullets ≤ 10 files',
      help: ['show files', 'Lists context files with age and size', '#CONTEXT:list:./context/'],
    },
    'CONTEXT:validate': {
      parameters: [file],
      answer: '"valid" or error details',
      help: ['check file', 'Checks context file', '#CONTEXT:validate:./context/a.ctx'],
    },
    HEALTH: { answer: 'bullets', help: ['session figures', 'Tells how session is', '#HEALTH'] },
    'HEALTH:session': { answer: 'bullets', help: ['session figures', 'Tells how session is', '#HEALTH:session'] },
    'HEALTH:context': {
      answer: 'used of window',
      help: ['context used', 'Tells tokens used; exports above 90%', '#HEALTH:context'],
    },
  }),
]

/** For `#VERSION:features`, which shows the first three unless asked for more, and for `#SUPPORTS`. §10. */
export const features: Readonly<Record<string, string>> = {
  coordination: 'v1.1+',
  state: 'v1.0+',
  error_codes: 'v1.0+',
  help: 'v1.0+',
  variables: 'v1.0+',
  limits: 'v1.0+',
  delegation: 'v1.0+',
  checkpoints: 'v1.1+',
  context: 'v1.1+',
  health: 'v1.1+',
}

export const protocolVersion = '1.1.0'
