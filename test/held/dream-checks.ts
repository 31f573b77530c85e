/** The promises of Dream.OS, checked after two processes have met. Shares no code with the store. */
import { box, firstId } from './dream-actor.ts'
import type { FoundFile } from './outside.ts'
import type { Ending } from './story.ts'

const completed = '_agent_coordination/shared_mailboxes/completed_tasks.json'

export async function checkDream(ending: Ending): Promise<string[]> {
  const broken: string[] = []
  const { answers, files, begun } = ending
  const answered = (verb: string, outcome: string) =>
    answers.filter((one) => one.verb === verb && one.outcome === outcome)
  const did = (verb: string) => answered(verb, 'done').length > 0
  for (const { who, verb, defect } of answers)
    if (defect !== undefined) broken.push(`${who} ended ${verb} with a defect: ${defect}`)
  const left = files.filter(({ path }) => path.includes('/.own-') || path.endsWith('.lock')).map(({ path }) => path)
  if (left.length > 0 && !ending.died) broken.push(`left though nobody is at work: ${left.join(', ')}`)

  const mailbox = jsonIn(files, box) as
    | { messages: { message_id: string }[]; processed_message_ids: string[] }
    | undefined
  const ids = mailbox?.messages.map(({ message_id }) => message_id) ?? []
  const sent = [...answered('send', 'sent').map(({ id }) => String(id)), ...(jsonIn(begun, box) ? [firstId] : [])]
  for (const id of sent) if (!ids.includes(id)) broken.push(`message ${id} is lost`)
  broken.push(...twice(ids, 'is in the mailbox twice'))
  broken.push(
    ...twice(
      answered('next', 'given').map(({ id, attempt }) => `${id} attempt ${attempt}`),
      'was given twice',
    ),
  )

  const lines = linesIn(files, completed)
  broken.push(
    ...twice(
      lines.map(({ message_id }) => String(message_id)),
      'has two outcomes',
    ),
  )
  if (answered('doneMessage', 'recorded').length > 1) broken.push('an outcome was recorded twice')
  if (answered('doneMessage', 'recorded').length > 0 && !mailbox?.processed_message_ids.includes(firstId))
    broken.push('what is recorded is not marked')
  for (const id of mailbox?.processed_message_ids ?? [])
    if (!lines.some(({ message_id }) => message_id === id)) broken.push(`${id} is marked without an outcome`)

  broken.push(
    ...twice(
      answered('take', 'taken').map(({ file, attempt }) => `${file} attempt ${attempt}`),
      'was taken twice',
    ),
  )
  const once = [...answered('sendOnce', 'sent'), ...answered('sendOnce', 'unchanged')].map(({ file }) => String(file))
  const keyed = files.filter(({ path }) => once.some((file) => path.endsWith(`/${file}`)))
  if (new Set(once).size > 1) broken.push(`one key sent ${[...new Set(once)].join(' and ')}`)
  if (answered('sendOnce', 'sent').length > 1) broken.push('two were told that they sent the one of a key')
  if (once.length > 0 && keyed.length !== 1) broken.push(`what was sent under a key is in ${keyed.length} places`)
  const isLost = (path: string) => !files.some((file) => file.path.endsWith(path.slice(path.lastIndexOf('/'))))
  for (const { path } of begun)
    if (path.endsWith('/inbox/task_a.json') && isLost(path) && !did('rm')) broken.push(`${path} is lost`)
  for (const name of ['task_a.json', 'msg_1@Ann.json']) {
    const places = files
      .filter(({ path }) => path.startsWith('runtime/Bob/') && path.endsWith(`/${name}`))
      .map(({ path }) => path)
    if (places.length > 1) broken.push(`${name} is in ${places.join(' and ')}`)
  }
  const sentTasks = files.filter(({ path }) => /^runtime\/Bob\/.*\/task_s(~\d+)?\.json$/.test(path))
  if (answered('sendTask', 'sent').length > 1) broken.push('one task was sent twice')
  if (sentTasks.length > 1) broken.push(`a task that was sent is in ${sentTasks.length} places`)
  const isTold = [...answered('sendTask', 'sent'), ...answered('sendTask', 'unchanged')].length > 0
  if (isTold && sentTasks.length === 0 && answered('take', 'taken').length === 0)
    broken.push('a task that was sent is lost')
  if (begun.some(({ path }) => path === 'runtime/Ann/outbox/msg_1.json') && !did('rm')) {
    const places = files.filter(({ path }) => /\/msg_1(@Ann)?(~\d+)?\.json$/.test(path))
    if (places.length !== 1) broken.push(`the message of Ann is in ${places.length} places`)
  }
  for (const agent of ['Bob', 'Eve']) {
    const copies = files.filter(({ path }) => path.startsWith(`runtime/${agent}/`) && path.includes('/msg_2-'))
    if (copies.length > 1) broken.push(`${agent} has ${copies.length} copies of a broadcast`)
    if (
      answered('route', 'routed').length > 0 &&
      copies.length === 0 &&
      begun.some(({ path }) => path.includes('msg_2'))
    )
      broken.push(`${agent} has no copy of the broadcast`)
  }

  const list = (jsonIn(files, 'runtime/task_list.json') as { task_id: string; status: string }[] | undefined) ?? []
  const tasks = list.map(({ task_id }) => task_id)
  broken.push(...twice(tasks, 'is in the list of tasks twice'))
  if (answered('answerPlan', 'joined').length > 1) broken.push('two answers of one plan were joined')
  for (const { tasks: handed } of answered('dispatch', 'dispatched')) {
    for (const id of handed as string[]) {
      if (list.find(({ task_id }) => task_id === id)?.status === 'PENDING')
        broken.push(`${id} was handed out and is PENDING`)
    }
  }
  if (answered('doneTask', 'recorded').length > 0 && list[0]?.status !== 'COMPLETED')
    broken.push('the outcome is not in the list')

  const told = linesIn(files, 'governance_memory.jsonl').map(
    ({ event_type, details }) =>
      `${event_type} ${JSON.stringify((details as Record<string, unknown>).task_id ?? details)}`,
  )
  const onlyOnce = told.filter((line) => /^(TASKS_DISPATCHED|PLAN_JOINED|MAILBOX_TAKEN_OVER)/.test(line))
  broken.push(...twice(onlyOnce, 'is in the governance log twice'))
  for (const { tasks: handed } of answered('dispatch', 'dispatched')) {
    for (const id of handed as string[])
      if (!told.includes(`TASKS_DISPATCHED ${JSON.stringify(id)}`))
        broken.push(`nobody was told that ${id} was handed out`)
  }
  const events = files.filter(({ path }) => /^runtime\/TaskExecutorAgent\/inbox\/msg_/.test(path))
  const isExecutorThere = begun.some(({ path }) => path.startsWith('runtime/TaskExecutorAgent/'))
  if (events.length > 1) broken.push(`the executor has ${events.length} events of one outcome`)
  if (isExecutorThere && answered('doneTask', 'recorded').length > 0 && events.length === 0)
    broken.push('the executor has no event of the outcome')

  const response = files.filter(
    ({ path }) => path === 'temp/cursor_output.json' || path.startsWith('temp/archive/cursor_output'),
  )
  if (begun.some(({ path }) => path === 'temp/cursor_output.json') && response.length !== 1 && !did('rm'))
    broken.push(`the response is in ${response.length} places`)
  if (answered('fetch', 'fetched').length > 1) broken.push('the response was fetched twice')
  const prompt = files.find(({ path }) => path === 'temp/cursor_input.txt')?.text
  for (const n of [0, 1, 2]) {
    const wasThere =
      n === 0
        ? begun.some(({ path }) => path === 'temp/cursor_input.txt')
        : answered('stage', 'staged').some((one) => one.n === n)
    const isKept =
      prompt === `Prompt ${n}` ||
      files.some(({ path, text }) => path.startsWith('temp/archive/cursor_input') && text === `Prompt ${n}`)
    if (wasThere && !isKept) broken.push(`prompt ${n} is lost`)
  }
  return broken
}

const twice = (names: readonly string[], what: string): string[] =>
  [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map((name) => `${name} ${what}`)

function jsonIn(files: readonly FoundFile[], path: string): unknown {
  const file = files.find((one) => one.path === path)
  return file && JSON.parse(file.text)
}

const linesIn = (files: readonly FoundFile[], path: string): Record<string, unknown>[] =>
  (files.find((one) => one.path === path)?.text ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
