/** The command that a request means, read off the table of commands: a reader for each parameter and tail. Pure. */
import { type CommandSpec, categories } from '../commands/spec.ts'
import type { Command, Modifier } from '../schema.ts'
import { type FilledSlots, nameOrText, oneWord } from './filled-slots.ts'
import { channels, flat } from './tokens.ts'

export type Made =
  | { readonly made: readonly Command[] }
  /** Clear, but for this parameter. */
  | { readonly spec: CommandSpec; readonly missing: string }
  /** It is said of several agents or checkpoints at once. */
  | { readonly several: true }

/** `UNLOCK:force` and `ROLLBACK:force` are kinds of request, and no commands of their own. */
export const commandNameOf = (intent: string): string => intent.replace(/^(UNLOCK|ROLLBACK):force$/, '$1')

/** "store red as color and blue as background". */
const savesTwo = /\s(as|to|=)\s+[\w-]+\s*(?:,|and|, and)\s+[\w-]+\s+\1\s+[\w-]+\s*[.!]?$/i
/** "… to 1, y to 2": what is behind the first value of several. */
const saysMore =
  /^[\s"'”`]*(?:,|;|\band\b|\bund\b|\by\b)[\s,]*(?:and\s+)?[\w-]+\s*(?:=|:|\b(?:to|is|as|auf|ist|es|en)\b)\s*\S/i

export function commandsFor(intent: string, spec: CommandSpec, said: FilledSlots): Made {
  const name = commandNameOf(intent)
  if (/^(?:DELEGATE|DIRECT|DEPENDS|RETRY|REPORT)$/.test(name) && said.agents('task', 'msg', 'topic').length > 1)
    return { several: true }
  if (/^(?:ROLLBACK|CHECKPOINT:diff)/.test(name) && said.all('checkpoint').length > 1) return { several: true }
  if (name === 'DELEGATE' && said.has('task') && said.hasSecondActor()) return { several: true }
  if (name === 'STATE:save' && (saysMore.test(said.behind('value')) || savesTwo.test(said.text)))
    return { several: true }
  const given: Record<string, string> = {}
  for (const { name: parameter, optional } of spec.parameters) {
    const value = (readers[`${name} ${parameter}`] ?? readers[parameter])?.(said)
    if (value !== undefined) given[parameter] = value
    else if (!optional) return { spec, missing: parameter }
  }
  for (const { name: tail } of spec.tails ?? []) {
    const value = tail === 'force' ? forceFor(intent, said) : tails[tail]?.(said)
    if (value !== undefined) given[tail] = value
  }
  const command = { kind: 'command' as const, spec, given, modifier: modifierFor(name, said) }
  const files = /^(?:UN)?LOCK$/.test(name) ? said.all('path', 'context', 'folder') : []
  return {
    made: files.length > 1 ? files.map((resource) => ({ ...command, given: { ...given, resource } })) : [command],
  }
}

/** A rollback is forced only where the sentence says so. */
const forceFor = (intent: string, said: FilledSlots): string | undefined =>
  intent === 'UNLOCK:force' || (intent === 'ROLLBACK:force' && isForced.test(said.text)) ? 'force' : undefined
const isForced = /\bforc|\boverride|no matter what|without .*checks?|merge|rebase|regardless|anyway|whatever/i

const detailed =
  /\b(?:detail(?:s|ed)?|in[- ]depth|thorough(?:ly)?|comprehensive|extensive(?:ly)?|at length|full report|in full|complete report)\b/i
const brief = /\b(?:brief(?:ly)?|quick(?:ly)?|short|concise(?:ly)?|terse|in a nutshell|in a few words|in one line)\b/i

const modifierFor = (name: string, said: FilledSlots): Modifier | undefined => {
  if (!/^(?:REPORT|ASK|SUMMARY|STATE:list)$/.test(name)) return undefined
  const rest = said.outside('topic')
  return detailed.test(rest) ? 'detailed' : brief.test(rest) ? 'brief' : undefined
}

type Reader = (said: FilledSlots) => string | undefined
const named = (slot: string): Reader => {
  return (said) => asName(said.words(slot))
}
const written = (slot: string): Reader => {
  return (said) => said.words(slot)
}
const asName = (text: string | undefined): string | undefined => text && nameOrText(text)

const agent: Reader = (said) => {
  const text = said.words('agent')
  const alone = said.agents('task', 'msg', 'topic')
  const known = said.typed('agent', 'agent') ?? (text === undefined && alone.length === 1 ? alone[0] : undefined)
  if (known !== undefined) return known
  return text && !/^(?:a|some|any|no|one of)\b/i.test(text) ? text.replace(/^the\s+|\s+/gi, '') : undefined
}
/** Whose task it is, where only one agent has one of that name. */
const agentOfTask: Reader = (said) => {
  const own = agent(said)
  const task = readers.task!(said)
  if (own !== undefined || task === undefined) return own
  const meant = said.around.tasks.filter((one) => one.id === task || flat(one.task) === flat(task))
  const [whose, ...others] = new Set(meant.map((one) => one.agent))
  return others.length === 0 ? whose : undefined
}
const everyone =
  /\b(?:every(?:one|body)|all (?:of )?(?:the |our |my )?agents?|all of (?:them|you)|(?:the )?(?:whole |entire )?(?:team|crew|group|squad)|the agents|they all|each agent|every agent)\b/i
const reported: Reader = (said) => {
  const own = said.agents('topic')[0] ?? said.words('agent')?.replace(/^the\s+/i, '')
  if (own !== undefined && !everyone.test(own)) return own.replace(/\s+/g, '')
  if (everyone.test(said.text)) return 'all'
  if (/\btest(?:s|ing|ers?)?\b|\bsuite\b/i.test(said.text)) return 'TestAgent'
  return /\b(?:dev(?:elopment|eloper)?|coding)\b/i.test(said.text) ? 'DevAgent' : 'all'
}
const noTopic = /^(?:(?:status )?(?:report|update)|news|work|state|latest|word|account|outcome|tests?|testing)$/i
const topicOfReport: Reader = (said) => {
  const topic = said
    .words('topic')
    ?.replace(/^(?:(?:the|its|their|his|her|current|latest|our)\s+)+/i, '')
    .replace(/\s+(?:from|by|of|for|at|on)$/i, '')
    // "the security status", "is the login done": security and login are what it is about.
    .replace(/(?<=\S)\s+(?:status|report|update|done|finished|ready|complete)$/i, '')
  if (topic !== undefined && !everyone.test(topic) && !noTopic.test(topic))
    return /^test results?$/i.test(topic) ? 'results' : nameOrText(topic)
  if (/\bresults?\b|\bfound\b|\bfind|outcome|c[ao]me (?:out|up)|pass(?:ed|ing)?\b|\bgreen\b|output/i.test(said.text))
    return 'results'
  const isProgress = /\bprogress|how far|how much|\bdone\b|finish|complete|along\b|percent/i
  return isProgress.test(said.outside('topic')) ? 'progress' : 'status'
}

const key: Reader = (said) => {
  const text = said.typed('key', 'key', 'name', 'code') ?? said.words('key')
  const word = text && oneWord(text.replace(forGood, ''), /^(?:the|an?|our|my|your|key|variable|value|state|of)$/i)
  return word?.replace(/\W+/g, '_').replace(/^_+|_+$/g, '') || undefined
}
const forGood = /[\s,]+(?:and )?(?:permanently|for good|for ?ever|persistently|as persistent|across sessions)$/i
const persistent =
  /\b(?:permanent(?:ly)?|for good|for ?ever|persist(?:ent|ently)?|across sessions|(?:in|for|into) (?:\w+ )?(?:later|future|other|all|the next|next|coming) sessions?|beyond this session|surviv\w+)\b/i

const resource: Reader = (said) => {
  const path = said.typed('resource', 'path', 'context', 'folder', 'quote')
  const text = said.words('resource')?.replace(/^(?:the |my |our )?(?:file|resource|lock on)\s+/i, '')
  return path ?? (text ? oneWord(text) || undefined : undefined)
}
const copula = /^(?:the|an?|our|my|is|are|was|were|has|have|had|been|be|being|that|it)$/i
const condition: Reader = (said) => {
  const text = said.words('condition')
  const name = said.typed('condition', 'name', 'quote', 'key')
  if (name !== undefined && (text === undefined || text.split(/\s+/).length <= 3)) return oneWord(name)
  return text ? oneWord(text.replace(/^(?:the )?(?:signal|condition)\s+/i, ''), copula) || undefined : undefined
}
const waitedFor: Reader = (said) => {
  const isLock = said.has('resource') || (!said.has('condition') && said.all('path').length > 0)
  const locked = isLock ? resource(said) : undefined
  return locked === undefined ? condition(said) : `lock=${locked}`
}
const takenBack =
  /\b(?:false|tak(?:e|en|es) (?:\S+ ){0,4}back|withdraw|retract|revoke|no longer|un-?signal|pull back|rescind|unset|cancel|lower)\b/i

/** What else people call the channels of the specification, without the words that say nothing. */
const channelWords: readonly (readonly [channel: string, pattern: RegExp])[] = [
  ['deploy_status', /^(?:deploy(?:ment)?s?|releases?|rollouts?)(?:status)?$/],
  ['priority_alert', /^(?:urgent)?alerts?$/],
  ['file_changes', /^(?=.*file).*(?:chang|modif|edit)/],
]
const noName = /\b(?:the|our|new|all|channel|notifications?|updates?|broadcasts?|messages?|feed|list|news|events?)\b/gi
const channel: Reader = (said) => {
  const known = said.typed('channel', 'channel')
  const text = said.words('channel')
  if (known !== undefined || !text) return known
  const plain = flat(text.replace(noName, ''))
  const meant = channels.find((one) => flat(one) === plain || flat(one) === `${plain}s` || `${flat(one)}s` === plain)
  const other = meant ?? channelWords.find(([, pattern]) => pattern.test(plain))?.[0]
  return other ?? (oneWord(text.replace(/\bchannel\b/gi, ' ')) || undefined)
}
const message: Reader = (said) => {
  const text = said.words('msg') ?? said.afterColon()
  const [, whether] = /\bask\b.{0,40}?\b(whether|if)\b/i.exec(said.outside('msg')) ?? []
  return text && whether ? `${whether} ${text}` : text
}

const isVague =
  /\b(?:last|previous|latest|newest|recent|checkpoint|snapshot|before|yesterday|start|beginning|state|version)\b/i
const checkpoint: Reader = (said) => {
  const id = said.typed('id', 'checkpoint', 'name', 'quote')
  const text = said.words('id')
  return id ?? (text && !isVague.test(text) ? oneWord(text) || undefined : undefined)
}
/** The last one, where none is named: the translator asks back, because the sentence does not name it. */
const orLast: Reader = (said) =>
  checkpoint(said) ??
  (/\b(?:migration|database|deploy(?:ment)?|release|commit|branch|version)\b/i.test(said.text)
    ? undefined
    : said.around.checkpoints.at(-1)?.id)

const file: Reader = (said) => {
  const path = said.typed('filepath', 'context', 'path', 'folder', 'quote') ?? said.all('context', 'path', 'folder')[0]
  const text = said.words('filepath')
  return path ?? (text && !/\s/.test(text) && /[./]/.test(text) ? text : undefined)
}
/** Of `filter` and `mode`: the first whose words are said. */
const chosen = (slot: string, ...choices: readonly (readonly [value: string, pattern: RegExp])[]): Reader => {
  return (said) => choices.find(([, pattern]) => pattern.test(said.outside(slot)))?.[0]
}

const typeOf = chosen('name', ['milestone', /\bmilestone\b/i], ['auto', /\bauto(?:matic)?\b/i])

const urgency: readonly (readonly [string, RegExp])[] = [
  [
    'P3',
    /\b(?:low(?:er|est)?[- ](?:prio(?:rity)?|importance)|no (?:rush|hurry)|not (?:that |very |so )?(?:urgent|important)|nothing urgent|(?:it |this |that )?can wait|in (?:your|its|their) (?:own|spare|free) time|at (?:your|its|their) leisure|nice to have|eventually|some ?day|when(?:ever)? (?:you|it|they|there|\w*agent)(?:'s| is| has| have| gets?| finds?| can| could)?(?: get| find| have)?(?: a| some)?(?: spare| free)?(?: time| minute| moment| chance)?|when(?:ever)? (?:time permits|convenient|possible)|if (?:there'?s|there is|you have) (?:some )?time|p3|prio(?:rity)? 3)\b(?: priority)?/i,
  ],
  [
    'P0',
    /\b(?:asap|(?:very |super |really |extremely |most )?urgent(?:ly)?|immediately|right away|right now|straight away|at once|as (?:soon|quickly|fast) as possible|without delay|(?:top|highest|maximum|max)[- ]prio(?:rity)?|(?:an )?emergency|drop everything|critical(?:ly)?|blocker|p0|prio(?:rity)? 0|dringend|sofort|urgente(?:mente)?)\b(?: priority)?/i,
  ],
  [
    'P1',
    /\b(?:(?:very |really |quite )?important|high(?:er)?[- ](?:prio(?:rity)?|importance)|p1|prio(?:rity)? 1|wichtig|importante)\b(?: priority)?/i,
  ],
  ['P2', /\bp2\b/i],
]
const leadIn =
  /[\s,;:.–-]*(?:\b(?:and|but|as|because|since|do it|do this|treat (?:it|this) as|(?:it|this|that)(?:'?s| is)|with|at|of|an?)\b[\s,]*)*$/i

/** How urgent a task is, and the task without the words that say it at its ends. */
function urgencyOf(said: FilledSlots): { readonly priority?: string; readonly task: string | undefined } {
  const task = said.words('task')
  const rest = said.outside('task')
  const around = urgency.find(([, pattern]) => pattern.test(rest))
  if (around || task === undefined) return { ...(around ? { priority: around[0] } : {}), task }
  for (const [priority, pattern] of urgency) {
    const found = pattern.exec(task)
    if (!found) continue
    const behind = task.slice(found.index + found[0].length)
    if (found.index > 0 && /^[\s.!?,]*(?:please|thanks)?[\s.!?]*$/i.test(behind))
      return { priority, task: task.slice(0, found.index).replace(leadIn, '') }
    if (found.index === 0 && behind.trim() !== '' && /ly$|asap|now|away|once/i.test(found[0]))
      return { priority, task: behind.trim() }
  }
  return { task }
}

const helpOf: readonly (readonly [topic: string, pattern: RegExp])[] = [
  ['all', /\ball\b.*\bcommands?\b|^all$|complete list|full list/i],
  ['STATE:save', /\b(?:save|store|remember)\b.*\b(?:values?|keys?|something|data)\b/i],
  ['STATE:load', /\b(?:load|recall)\b.*\b(?:values?|keys?|something|data)\b/i],
  ['DELEGATE', /\b(?:give|assign|hand)\b.*\btasks?\b|\bdelegat/i],
  ['DIRECT', /\b(?:send|write)\b.*\bmessages?\b/i],
]
const help: Reader = (said) => {
  const text = said.words('category') ?? said.text.replace(/\b(?:help|commands?|session|next|wait|state)\b/gi, ' ')
  const command = said.all('command')[0]
  if (command !== undefined) return command
  const direct = helpOf.find(([, pattern]) => pattern.test(text))?.[0]
  const plain = text
    .replace(/\b(?:the|our|a|an|commands?|management|handling|files?|system)\b/gi, ' ')
    .trim()
    .toLowerCase()
  const category = categories.find(
    (one) => one === plain || `${one}s` === plain || (one === 'coordination' && /^coordinat/.test(plain)),
  )
  if (direct ?? category) return direct ?? category
  const words = text
    .toLowerCase()
    .replace(/\broll(?:ing)? back\b/, 'rollback')
    .split(/[^a-z]+/)
  const heads = said.around.table.map(({ name }) => name.split(':')[0]!)
  for (const word of words) {
    const stem = word.replace(/(?:ing|s|ed|e)$/, '')
    const head = heads.find(
      (one) => one.toLowerCase() === word || (stem.length > 3 && one.toLowerCase().replace(/e$/, '') === stem),
    )
    if (head !== undefined) return /^(?:CHECKPOINT|CONTEXT|STATE|VERSION|ERROR)$/.test(head) ? head.toLowerCase() : head
  }
  return undefined
}

const errorCodes: readonly (readonly [string, RegExp])[] = [
  ['E001', /unknown command/i],
  ['E002', /(?:invalid|bad|wrong|missing) param/i],
  ['E003', /state limit|too many keys/i],
  ['E004', /token limit|too many tokens/i],
  ['E005', /permission|access denied|not allowed|forbidden/i],
]
const wholeSession = /^(?:our |all )?(?:work|session|project|progress|everything|things|state|so far)(?: \w+)?$/i
const summed: Reader = (said) => {
  const topic = said.words('topic')?.replace(/^the\s+|\s+work$/gi, '')
  return topic && !wholeSession.test(topic) ? nameOrText(topic) : undefined
}
const taskById: Reader = (said) => said.typed('task', 'task', 'name') ?? said.all('task')[0] ?? said.all('name')[0]
const agentsOf: Reader = (said) => {
  const named = said.agents('topic')
  if (named.length > 1) return named.join(',')
  const split = (said.words('agents') ?? '')
    .split(/\s*(?:,|&|\band\b|\bwith\b|\bplus\b|\bund\b|\by\b)\s*/i)
    .map((one) => one.replace(/^(?:both|the)\s+/i, ''))
  const names = [...new Set(split.map((one) => named.find((known) => flat(known) === flat(one)) ?? one))].filter(
    (one) => /^[\w.-]+$/.test(one),
  )
  return names.length > 1 && names.some((one) => /[A-Z\d_-]/.test(one)) ? names.join(',') : undefined
}

const readers: Readonly<Record<string, Reader>> = {
  agent,
  'RETRY agent': agentOfTask,
  'DEPENDS agent': agentOfTask,
  'agent|all': reported,
  agents: agentsOf,
  task: (said) => {
    const { task } = urgencyOf(said)
    const plain = task?.replace(/^(?:to|shall|should|must|please|onto|and|(?:er|sie|es) soll)\s+/i, '')
    const saysNothing = /^(?:do )?(?:it|that|this|something(?: to do)?|so|the same|the thing)\b(?: about it)?$/i
    return plain && !saysNothing.test(plain) ? nameOrText(plain) : undefined
  },
  'PROGRESS task': taskById,
  'DONE task': taskById,
  'FAIL task': taskById,
  topic: named('topic'),
  'REPORT topic': topicOfReport,
  'SUMMARY topic': summed,
  key,
  value: (said) => {
    const value = (said.typed('value', 'quote') ?? said.words('value'))?.replace(forGood, '')
    // The verb at the end of a German clause: what was to be saved stands before it.
    return value !== undefined && /^(?:ist|sind|heißt)$/i.test(value) ? undefined : value
  },
  'SIGNAL value': (said) => {
    const value = said.words('value')?.replace(/^(?:value|as)\s+/i, '')
    const isTakenBack =
      takenBack.test(said.outside('condition', 'value')) && !/\bno longer (?:wait|block)/i.test(said.text)
    return isTakenBack ? 'false' : value
  },
  resource,
  condition,
  'WAIT condition': waitedFor,
  channel,
  msg: message,
  name: named('name'),
  type: (said) => typeOf(said) ?? 'manual',
  id: checkpoint,
  'ROLLBACK id': orLast,
  filepath: file,
  directory: (said) => said.all('folder', 'path', 'context')[0],
  metric: (said) => asName(said.words('metric')?.replace(/\s+(?:metric|score|figure|number)s?$/i, '')),
  issue: (said) => (said.words('issue') ?? said.afterColon())?.replace(/^(?:that|the issue that)\s+/i, ''),
  term: (said) => oneWord(said.typed('term', 'capitals', 'quote') ?? said.words('term') ?? '') || undefined,
  text: written('text'),
  'PROGRESS text': (said) => said.words('text') ?? said.all('percent')[0],
  category: help,
  version: (said) => said.all('version', 'number')[0],
  feature: (said) => oneWord(said.words('feature') ?? '') || undefined,
  code: (said) => said.all('error')[0] ?? errorCodes.find(([, pattern]) => pattern.test(said.text))?.[0],
  desc: written('desc'),
  result: written('result'),
  reason: written('reason'),
}

const tails: Readonly<Record<string, Reader>> = {
  timeout: (said) => said.typed('timeout', 'time', 'number') ?? said.all('time')[0],
  'P0-P3': (said) => urgencyOf(said).priority,
  persistent: (said) =>
    persistent.test(said.outside('value')) || forGood.test(said.words('value') ?? '') ? 'persistent' : undefined,
  filter: chosen(
    'filepath',
    ['critical', /\bcritical|\bessential|most important/i],
    [
      'incremental',
      /\bincremental|(?:changes|changed) since|since (?:the )?last export|only (?:the )?(?:changes|new)\b/i,
    ],
    ['tasks', /\btasks?\b/i],
    ['state', /\b(?:just|only) (?:the )?state\b|^(?!.*\b(?:session|context)\b).*\bstate\b(?! of)/i],
    ['all', /\beverything\b|\ball\b|\bwhole\b|\bfull export\b|\bentire\b/i],
  ),
  mode: chosen('filepath', ['merge', /\bmerg\w+|\bcombin\w+|\badd(?:ing)? .* to\b/i], ['replace', /\breplac\w+/i]),
}
