/**
 * The three reports of a mission, from a picture of it to Markdown. AC-MQ §16. Pure. Each claim names its source: files by links,
 * messages by their ids, since a message moves on while a report stays.
 */
import { inlineCode, quote } from '../../../kernel/quotation.ts'
import { keySentences, sentencesIn } from '../../../text/sentences.ts'
import type { ReportMode } from '../schema.ts'
import { type Blocked, blockedForGood, whyBlocked } from './blocked.ts'
import { type LinksById, linksOf } from './chains.ts'
import { contributionJudge, contributionsTo } from './contributions.ts'
import { generatedMark, saysGenerated } from './generated.ts'
import { comparedOf } from './message-parts.ts'
import { plainText } from './plain-text.ts'
import { figuresOf, graphOf, timelineOf } from './report-figures.ts'
import { type Fitted, fitted, fixed, type Part } from './report-fit.ts'
import type { BusFile, Picture, ReportFile, ReportMessage } from './report-picture.ts'
import { countsOf, linkTo, listedAtMost, sourceIn, standingOf, whoIn } from './report-words.ts'
import { alike, inShort, resultLines, titled, type WeighedMessage, weightOf } from './results.ts'

export interface PrintOptions {
  readonly mode: ReportMode
  readonly generatedAt: string
  /** The folder in which the report will lie, from the root of the tree: links start there. */
  readonly folder: string
  readonly budgetTokens?: number
  /** What an agent or a model wrote, to stand in place of what is worked out here. */
  readonly written?: WrittenReport
}

export type WrittenReport = { readonly text: string } & (
  | { readonly by: string; readonly at?: string }
  | { readonly model: string }
)

export const writerOf = (written: WrittenReport): string => ('model' in written ? `model ${written.model}` : written.by)

export const printReport = (picture: Picture, options: PrintOptions): Fitted =>
  fitted(new Report(picture, options).parts(), options.budgetTokens)

export const titleOf = (mode: ReportMode, mission: string): string => `${titles[mode]}: ${plainText(mission, 200)}`

export function printFront({ mission, messages }: Picture, { mode, generatedAt }: PrintOptions): string {
  const head = headOf(mode, mission, generatedAt, undefined)
  const all = [figuresOf(messages), timelineOf(messages), graphOf(messages)].map((part) => part.print(part.size))
  return [head, standingOf(messages, blockedForGood(messages)), ...all].filter((part) => part !== '').join('\n\n')
}

const titles: Readonly<Record<ReportMode, string>> = {
  'bottom-up': 'Detailed Log',
  'top-down': 'Executive Summary',
  holistic: 'Integrated Synthesis',
}

const headOf = (mode: ReportMode, mission: string, generatedAt: string, writer: string | undefined): string =>
  `# ${titleOf(mode, mission)}\n\n${generatedMark}\n\n**Generated:** ${generatedAt}\n${writer === undefined ? extractive : `**Written By:** ${plainText(writer)}`}`

const extractive = '**Written By:** extractive (sentences of messages and files as they stand there)'

/** True for a report of ours without a text by an agent or a model. */
export const saysExtractive = (text: string): boolean =>
  saysGenerated(text) && text.slice(0, 2000).includes(`\n${extractive}\n`)

interface Chapter {
  readonly title: string
  readonly done: boolean
  readonly messages: readonly LinkedReportMessage[]
  readonly missing: readonly LinkedReportMessage[]
}

type LinkedReportMessage = ReportMessage & WeighedMessage

class Report {
  readonly #picture: Picture
  readonly #options: PrintOptions
  readonly #messages: readonly LinkedReportMessage[]
  readonly #links: LinksById
  readonly #blocked: ReadonlyMap<LinkedReportMessage, Blocked>
  readonly #source: (message: ReportMessage) => string
  readonly #chapters: readonly Chapter[]
  readonly #others: readonly LinkedReportMessage[]

  constructor(picture: Picture, options: PrintOptions) {
    this.#picture = picture
    this.#options = options
    this.#links = linksOf(picture.messages)
    const linked = new Set([...this.#links].flatMap(([id, others]) => [id, ...others]))
    this.#messages = picture.messages.map((message) => ({ ...message, isLinked: linked.has(message.id) }))
    this.#blocked = blockedForGood(this.#messages)
    this.#source = sourceIn(picture)
    this.#chapters = chaptersOf(picture, this.#messages)
    const told = new Set(this.#chapters.flatMap(({ messages }) => messages))
    this.#others = this.#messages.filter((message) => message.status === 'completed' && !told.has(message))
  }

  parts(): Part[] {
    const { mode, generatedAt, written } = this.#options
    const { mission } = this.#picture
    const head = fixed(headOf(mode, mission, generatedAt, written && writerOf(written)))
    const own = written ? [this.#quoted(written)] : mode === 'top-down' ? this.#topDown() : this.#holistic()
    const messages = this.#messages
    return [head, ...own, figuresOf(messages), timelineOf(messages), graphOf(messages)]
  }

  /** Results before activity, and failures before files to read. */
  #topDown(): Part[] {
    const { artifacts, findings, milestones } = this.#picture
    const results = resultLines(this.#others, this.#source).map(({ text }) => `- ${text}`)
    return [
      fixed(this.#standing()),
      this.#progress(),
      section(milestones.length === 0 ? 'Results' : 'Other Results', results, { first: 2, share: 3 }),
      ...this.#trouble(),
      this.#files('Key Findings', findings),
      this.#files('Major Artifacts', artifacts),
      this.#digests(),
    ]
  }

  #holistic(): Part[] {
    return [fixed(this.#why()), this.#what(), ...this.#how(), ...this.#trouble(), this.#digests()]
  }

  #trouble(): Part[] {
    return [this.#failed(), this.#blockedOnes(), this.#open()]
  }

  #quoted(written: WrittenReport): Part {
    const who =
      'model' in written
        ? `by the model ${plainText(written.model)}`
        : `by ${plainText(written.by)}, an agent of this mission${written.at === undefined ? '' : `, at ${written.at}`}`
    return fixed(`Written ${who}:\n\n${quote(written.text, 'quoted').trimEnd()}`)
  }

  #standing(): string {
    const { status } = this.#picture
    // A new manifest says only when the mission was started.
    const saysMore = status !== undefined && !/^Started \d{4}-\d\d-\d\d/.test(status)
    const stated = saysMore ? `The manifest says: ${quoted(status)}` : ''
    const standing = standingOf(this.#messages, this.#blocked)
    return [this.#goal(), stated, this.#reached(), standing].filter((part) => part !== '').join(' ')
  }

  #goal(): string {
    const { objective, manifest } = this.#picture
    const first = sentencesIn(objective).slice(0, 3).join(' ') || objective.split('\n')[0] || ''
    const source = manifest === undefined ? '' : ` (${this.#link('manifest', manifest)})`
    return first === '' ? '' : `The goal: “${plainText(first, 500)}”${source}.`
  }

  #reached(): string {
    const { milestones } = this.#picture
    const done = milestones.filter((one) => one.done).length
    if (milestones.length === 0) return ''
    if (milestones.length === 1) return `Its one milestone is ${done === 1 ? 'reached' : 'not reached yet'}.`
    return done === milestones.length
      ? `All ${milestones.length} milestones are reached.`
      : `${done} of ${milestones.length} milestones are reached.`
  }

  /** Each milestone with the results for it. Room for all titles is kept first, so that no milestone is left out. */
  #progress(): Part {
    const chapters = this.#chapters.map((chapter) => ({
      title: `- [${chapter.done ? 'x' : ' '}] ${this.#milestone(chapter)}`,
      results: resultLines(chapter.messages, this.#source).map(({ text }) => `  - ${text}`),
    }))
    const size = chapters.reduce((count, { results }) => count + 1 + results.length, 0)
    const print = (shown: number): string => {
      if (shown === 0) return ''
      const titles = chapters.slice(0, shown)
      const wanted = titles.map(({ results }) => results.length)
      const counts = shared(wanted, shown - titles.length)
      const lines = titles.flatMap(({ title, results }, i) => [title, ...shownOf(results, counts[i]!, '  ')])
      return ['## Progress\n', ...lines, ...rest(chapters.length - titles.length)].join('\n')
    }
    return { size, ahead: chapters.length, first: chapters.length, share: Math.max(2, chapters.length), print }
  }

  /** A milestone that is reached links to the bus document about it; one that is not says what is missing. */
  #milestone({ title, done, missing }: Chapter): string {
    const document = done ? this.#picture.busDocuments.find((one) => one.milestone === title) : undefined
    const name = document ? this.#link(title, document.path, 200) : plainText(title, 200)
    const counts = done || missing.length === 0 ? '' : ` (${countsOf(missing, this.#blocked)})`
    return `${name}${counts}`
  }

  #files(title: string, files: readonly ReportFile[]): Part {
    const lines = files.map((file) => this.#fileLine(file))
    return section(title, lines, { first: 2, share: 1 })
  }

  /** Only prose is quoted: a line of code or data does not say what a file is for. */
  #fileLine({ path, inside, text = '' }: ReportFile): string {
    const prose = /\.(?:md|markdown|txt|rst)$/i.test(inside) ? text : ''
    const [key] = keySentences([sentencesIn(prose)], 1)
    const said = key?.text ?? /^#\s+(.+)$/m.exec(prose)?.[1]
    return `- ${this.#link(inside, path)}${said === undefined ? '' : `: “${plainText(said, 200)}”`}`
  }

  /** The bus documents that no milestone links to. */
  #digests(): Part {
    const titles = new Set(this.#picture.milestones.filter(({ done }) => done).map(({ title }) => title))
    const documents = this.#picture.busDocuments.filter(({ milestone }) => !titles.has(milestone ?? ''))
    const lines = documents.map(
      ({ title, path, messages }: BusFile) =>
        `- ${this.#link(title, path)} (${messages === 1 ? 'one message' : `${messages} messages`})`,
    )
    return section('Digests of Messages', lines, { first: 1, share: 1 })
  }

  #failed(): Part {
    const failed = this.#messages.filter(({ status }) => status === 'failed')
    const reasonOf = ({ said }: LinkedReportMessage) => said.failure?.reason ?? ''
    const lines = alike(heaviest(failed), (one) => `${one.summary}\n${reasonOf(one)}`).map(({ message, more }) => {
      const why = reasonOf(message) === '' ? ', no reason is given' : `: “${plainText(reasonOf(message), 200)}”`
      return `- ${titled(message)}${why} (${plainText(message.to)}, ${this.#source(message)}${more})`
    })
    return section('What Failed', lines, { first: 3, share: 2 })
  }

  #blockedOnes(): Part {
    const lines = [...this.#blocked].map(
      ([message, blocked]) =>
        `- ${titled(message)} (${forWhom(message)}, ${this.#source(message)}): ${whyBlocked(blocked, inlineCode)}`,
    )
    const intro = 'None of these can start until what it depends on is tried again or sent anew.'
    return section('Blocked For Good', lines, { first: 3, share: 2, intro })
  }

  #open(): Part {
    const isOpen = (message: LinkedReportMessage) =>
      message.status === 'processing' || (message.status === 'pending' && !this.#blocked.has(message))
    const open = heaviest(this.#messages.filter(isOpen))
    const lines = alike(open, ({ summary, status }) => `${summary}\n${status}`).map(({ message, more }) => {
      const unmet = message.status === 'pending' ? this.#unmetBy(message) : []
      const then = unmet.length > 0 ? `waits for ${listedAtMost(unmet, 3)}, then` : 'waits'
      const state =
        message.status === 'pending' ? `${then} ${forWhom(message)}` : `${plainText(message.to)} works on it`
      return `- ${titled(message, 120)} (${state}, ${this.#source(message)}${more})`
    })
    return section('What Is Open', lines, { first: 3, share: 2 })
  }

  #unmetBy({ id, mission }: LinkedReportMessage): string[] {
    const needed = new Set(this.#links.get(id) ?? [])
    if (needed.size === 0) return []
    const isUnmet = (one: LinkedReportMessage) =>
      one.mission === mission && needed.has(one.id) && one.status !== 'completed'
    return this.#messages.filter(isUnmet).map((one) => this.#source(one))
  }

  #why(): string {
    const goal = this.#goal() || 'The manifest names no goal.'
    return `## Why\n\n${[goal, this.#reached()].filter((part) => part !== '').join(' ')}`
  }

  #what(): Part {
    const { artifacts, findings } = this.#picture
    const made = [...findings, ...artifacts].map((file) => this.#fileLine(file))
    if (made.length === 0) return fixed('## What\n\nNo files have been made so far.')
    const count = made.length === 1 ? 'One file was made:' : `${made.length} files were made:`
    return section('What', made, { first: 2, share: 1, intro: count })
  }

  /** Milestone by milestone, and then what belongs to none of them, each in the order in which it happened. */
  #how(): Part[] {
    const messages = this.#messages
    const [first = '', last = ''] = [messages[0], messages.at(-1)].map((one) => one?.createdAt.slice(0, 10))
    const when = first === last ? `on ${first}` : `from ${first} to ${last}`
    const who = messages.length === 0 ? '' : `${whoIn(messages)}, ${when}. `
    const opening = fixed(`## How\n\n${who}${standingOf(messages, this.#blocked)}`)
    const chapters = this.#chapters.map((chapter) => {
      const heading = `### ${chapter.done ? '' : 'Not reached yet: '}${this.#milestone(chapter)}`
      return this.#history(heading, chapter.messages)
    })
    const heading = chapters.length === 0 ? '### The work' : '### Other work'
    return [opening, ...chapters, ...(this.#others.length === 0 ? [] : [this.#history(heading, this.#others)])]
  }

  /** The heading, and the weightiest messages by time. A date stands at the first message of its day. */
  #history(heading: string, messages: readonly LinkedReportMessage[]): Part {
    const ends = new Map(messages.map((message) => [message, inShort(message.said.result?.text ?? '')]))
    const groups = alike(messages, (message) => `${message.summary}\n${ends.get(message)}`)
    const moreOf = new Map(groups.map(({ message, more }) => [message, more]))
    const weighed = heaviest([...moreOf.keys()], (message) => moreOf.get(message) !== '')
    const print = (shown: number): string => {
      if (shown === 0) return ''
      const chosen = new Set(weighed.slice(0, shown - 1))
      let day = ''
      const lines = [...moreOf].flatMap(([message, more]) => {
        if (!chosen.has(message)) return []
        const { createdAt, from, to } = message
        const when = createdAt.slice(0, 10) === day ? '' : `On ${createdAt.slice(0, 10)} `
        day = createdAt.slice(0, 10)
        const result = ends.get(message)!
        const end = result === '' ? 'It is done, without a word on it.' : `The result: “${plainText(result, 300)}”`
        return `- ${when}${plainText(from)} asked ${plainText(to)}: “${titled(message, 160)}” (${this.#source(message)}${more}). ${end}`
      })
      return [heading, ...(lines.length > 0 ? [''] : []), ...lines, ...rest(weighed.length - chosen.size)].join('\n')
    }
    return { size: weighed.length + 1, ahead: 1, first: 2, share: 2, print }
  }

  #link(text: string, path: string, longest?: number): string {
    return linkTo(this.#options.folder, text, path, longest)
  }
}

/** Each message is listed once: at the milestone that it is about, or else at the first one that it contributed to. */
function chaptersOf({ milestones, busDocuments }: Picture, messages: readonly LinkedReportMessage[]): Chapter[] {
  const judges = new Map(milestones.map(({ title }) => [title, contributionJudge(title)]))
  const texts = new Map(messages.map((message) => [message, comparedOf(message.summary, message.said)]))
  const judge = (message: LinkedReportMessage, title: string) =>
    judges.get(title)!({ id: message.id, text: texts.get(message)! })
  const reached = milestones.map(({ title }) => {
    const at = busDocuments.find(({ milestone }) => milestone === title)?.madeAt
    return { title, ...(at === undefined ? {} : { reachedBy: at }) }
  })
  const done = messages.filter(({ status }) => status === 'completed')
  const helped = contributionsTo(reached, done, judge)
  const wanted = contributionsTo(milestones, messages, judge)
  const told = new Set<LinkedReportMessage>()
  const claim = (title: string, isOwn: boolean): LinkedReportMessage[] =>
    done.filter((message) => {
      const isMine = helped.get(title)!.has(message.id) && (!isOwn || judge(message, title) !== undefined)
      if (!isMine || told.has(message)) return false
      told.add(message)
      return true
    })
  const own = milestones.map(({ title }) => claim(title, true))
  return milestones.map(({ title, done: isDone }, i) => {
    const mine = new Set([...own[i]!, ...claim(title, false)])
    const missing = messages.filter(({ id, status }) => status !== 'completed' && wanted.get(title)!.has(id))
    return { title, done: isDone, messages: done.filter((message) => mine.has(message)), missing }
  })
}

function heaviest(
  messages: readonly LinkedReportMessage[],
  isRoutine: (message: LinkedReportMessage) => boolean = () => false,
): LinkedReportMessage[] {
  const weigh = (one: LinkedReportMessage) =>
    weightOf(one, inShort(one.said.result?.text ?? one.said.asked)) - (isRoutine(one) ? 2 : 0)
  const weights = new Map(messages.map((one) => [one, weigh(one)]))
  return messages.toSorted((a, b) => weights.get(b)! - weights.get(a)!)
}

const forWhom = ({ to }: ReportMessage): string => (to === 'all' ? 'for whoever comes first' : `for ${plainText(to)}`)

/** A sentence of another author, as the end of a sentence of ours. */
const quoted = (text: string): string => `“${plainText(text, 200)}”${/[.!?…。]$/.test(text.trim()) ? '' : '.'}`

interface SectionOptions {
  readonly first: number
  readonly share: number
  readonly intro?: string
}

function section(title: string, lines: readonly string[], { first, share, intro }: SectionOptions): Part {
  const head = [`## ${title}\n`, ...(intro === undefined ? [] : [`${intro}\n`])]
  const print = (shown: number) => (shown === 0 ? '' : [...head, ...shownOf(lines, shown)].join('\n'))
  return { size: lines.length, first, share, print }
}

const shownOf = (lines: readonly string[], shown: number, indent = ''): string[] => [
  ...lines.slice(0, shown),
  ...rest(lines.length - shown, indent),
]

const rest = (count: number, indent = ''): string[] => (count > 0 ? [`${indent}- and ${count} more`] : [])

/** How many of so many lines each list gets: one each in turn, until all have what they want. */
function shared(wanted: readonly number[], lines: number): number[] {
  const given = wanted.map(() => 0)
  for (let left = lines; left > 0; ) {
    const before = left
    for (const [i, most] of wanted.entries()) {
      if (left === 0 || given[i]! >= most) continue
      given[i]!++
      left--
    }
    if (left === before) break
  }
  return given
}
