/**
 * The three reports of a mission: every message in order, the state of things for those who decide, and the story for those who
 * come later. AC-MQ §16. Pure: from a picture of the mission to Markdown. Each claim names its source.
 */
import { quote } from '../../../kernel/quotation.ts'
import { estimateTokens } from '../../../kernel/token-estimate.ts'
import { keySentences, sentencesIn } from '../../../text/sentences.ts'
import { contributionsTo } from './contributions.ts'
import { generatedMark, withCheck } from './generated.ts'
import { plainText } from './plain-text.ts'
import { daysOf, figuresOf, graphOf } from './report-figures.ts'
import type { ReportMode } from './report-modes.ts'
import type { BusFile, Picture, ReportFile, ReportMessage } from './report-picture.ts'
import { linkTo, listedAtMost, standingOf } from './report-words.ts'
import { comparedOf } from './said.ts'

export type { ReportMode } from './report-modes.ts'

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

export interface PrintedReport {
  readonly text: string
  readonly tokens: number
  /** It is shorter than it could be, to fit the budget. */
  readonly isShortened: boolean
}

/** How many of a kind are shown; the first that fits the budget is taken. */
const lengths = [25, 12, 6, 3, 1] as const

/** The top-down or the holistic report. */
export function printReport(picture: Picture, options: PrintOptions): PrintedReport {
  const { budgetTokens = Number.POSITIVE_INFINITY } = options
  const contributions = contributionsIn(picture)
  const make = (most: number, isWhole: boolean): PrintedReport => {
    const text = withCheck(new Report(picture, contributions, options, most, isWhole).print())
    return { text, tokens: estimateTokens(text), isShortened: !isWhole || most !== lengths[0] }
  }
  let last = make(lengths[0], true)
  for (const most of lengths) {
    for (const isWhole of [true, false]) {
      if (last.tokens <= budgetTokens) return last
      last = make(most, isWhole)
    }
  }
  return last
}

export const titleOf = (mode: ReportMode, mission: string): string => `${titles[mode]}: ${plainText(mission, 200)}`

/** All of a bottom-up report that comes before its log. */
export function printFront({ mission, messages }: Picture, { mode, generatedAt }: PrintOptions): string {
  const days = daysOf(messages)
  const timeline = days.length === 0 ? '' : `## Timeline\n\n${days.join('\n')}`
  const head = headOf(mode, mission, generatedAt, undefined)
  return [head, standingOf(messages), figuresOf(messages, messages.length), timeline, graphOf(messages)]
    .filter((part) => part !== '')
    .join('\n\n')
}

const titles: Readonly<Record<ReportMode, string>> = {
  'bottom-up': 'Detailed Log',
  'top-down': 'Executive Summary',
  holistic: 'Integrated Synthesis',
}

const headOf = (mode: ReportMode, mission: string, generatedAt: string, writer: string | undefined): string =>
  `# ${titleOf(mode, mission)}\n\n${generatedMark}\n\n**Generated:** ${generatedAt}\n**Written By:** ${writer === undefined ? 'extractive (sentences of messages and files as they stand there)' : plainText(writer)}`

type Contributions = ReadonlyMap<string, ReadonlySet<string>>

/** By milestone that is reached: the ids of the messages that helped. Each is told once, at the first milestone it helped to. */
function contributionsIn({ milestones, messages }: Picture): Contributions {
  const contributors = messages.map(({ id, status, dependencies, summary, said }) => ({
    ...{ id, status, dependencies },
    text: comparedOf(summary, said),
  }))
  const told = new Set<string>()
  return new Map(
    milestones.map(({ title, done }) => {
      const ids = done ? [...contributionsTo(title, contributors).keys()].filter((id) => !told.has(id)) : []
      for (const id of ids) told.add(id)
      return [title, new Set(ids)]
    }),
  )
}

class Report {
  readonly #picture: Picture
  readonly #contributions: Contributions
  readonly #options: PrintOptions
  readonly #most: number
  /** With timeline and graph. */
  readonly #isWhole: boolean

  constructor(picture: Picture, contributions: Contributions, options: PrintOptions, most: number, isWhole: boolean) {
    this.#picture = picture
    this.#contributions = contributions
    this.#options = options
    this.#most = most
    this.#isWhole = isWhole
  }

  print(): string {
    const { mode, generatedAt, written } = this.#options
    const { mission, messages } = this.#picture
    const head = headOf(mode, mission, generatedAt, written && writerOf(written))
    const parts = written ? [this.#quoted(written)] : mode === 'top-down' ? this.#topDown() : this.#holistic()
    const drawn = this.#isWhole ? [this.#section('Timeline', daysOf(messages)), graphOf(messages)] : []
    return [head, ...parts, figuresOf(messages, this.#most), ...drawn].filter((part) => part !== '').join('\n\n')
  }

  #topDown(): string[] {
    const { artifacts, findings } = this.#picture
    return [
      this.#standing(),
      this.#milestones(),
      this.#files('Key Findings', findings),
      this.#files('Major Artifacts', artifacts),
      this.#problems(),
      this.#open(),
      this.#digests(),
    ]
  }

  #holistic(): string[] {
    return [this.#why(), this.#what(), this.#how(), this.#problems(), this.#open(), this.#digests()]
  }

  #quoted(written: WrittenReport): string {
    const who =
      'model' in written
        ? `by the model ${plainText(written.model)}`
        : `by ${plainText(written.by)}, an agent of this mission${written.at === undefined ? '' : `, at ${written.at}`}`
    return `Written ${who}:\n\n${quote(written.text, 'quoted').trimEnd()}`
  }

  #standing(): string {
    const { milestones, messages, status } = this.#picture
    const done = milestones.filter((one) => one.done).length
    const next = milestones.find((one) => !one.done)
    const stated = status === undefined ? '' : `The manifest says: “${plainText(status, 200)}”.`
    const reached =
      milestones.length === 0
        ? ''
        : next === undefined
          ? `All ${milestones.length} milestones are reached.`
          : `${done} of ${milestones.length} milestones are reached; the next is “${plainText(next.title, 200)}”.`
    return [this.#goal(), stated, reached, standingOf(messages)].filter((part) => part !== '').join(' ')
  }

  #goal(): string {
    const { objective, manifest } = this.#picture
    const first = sentencesIn(objective).slice(0, 3).join(' ') || objective.split('\n')[0] || ''
    const source = manifest === undefined ? '' : ` (${this.#link('manifest', manifest)})`
    return first === '' ? '' : `The goal: “${plainText(first, 500)}”${source}.`
  }

  /** Results before activity: under each milestone what came of the work for it. */
  #milestones(): string {
    const { milestones, messages } = this.#picture
    if (milestones.length === 0) return this.#section('Results', this.#results(messages))
    const told = new Set<string>()
    const parts = milestones.map(({ title, done }) => {
      const mine = this.#contributed(title)
      for (const { id } of mine) told.add(id)
      const results = this.#results(mine).slice(0, Math.max(1, Math.ceil(this.#most / 4)))
      return [`- [${done ? 'x' : ' '}] ${plainText(title, 200)}`, ...results.map((line) => `  ${line}`)].join('\n')
    })
    const others = this.#results(messages.filter(({ id }) => !told.has(id)))
    const progress = this.#section('Progress', parts)
    return others.length === 0 ? progress : `${progress}\n\n${this.#section('Other Results', others)}`
  }

  #contributed(title: string): ReportMessage[] {
    const ids = this.#contributions.get(title)
    return ids && ids.size > 0 ? this.#picture.messages.filter(({ id }) => ids.has(id)) : []
  }

  #results(messages: readonly ReportMessage[]): string[] {
    return messages.flatMap((message) => {
      const text = message.status === 'completed' ? resultOf(message, 2) : undefined
      return text ? [`- “${plainText(text, 240)}” (${titled(message, 80)}, ${this.#source(message)})`] : []
    })
  }

  #files(title: string, files: readonly ReportFile[]): string {
    return this.#section(
      title,
      files.map((file) => this.#fileLine(file)),
    )
  }

  #fileLine({ path, inside, text }: ReportFile): string {
    const [key] = text === undefined ? [] : keySentences([sentencesIn(text)], 1)
    const said = key?.text ?? /^#\s+(.+)$/m.exec(text ?? '')?.[1]
    return `- ${this.#link(inside, path)}${said === undefined ? '' : `: “${plainText(said, 200)}”`}`
  }

  /** Where to read on: the bus documents. */
  #digests(): string {
    const lines = this.#picture.busDocuments.map(
      ({ title, path, messages }: BusFile) =>
        `- ${this.#link(title, path)} (${messages === 1 ? 'one message' : `${messages} messages`})`,
    )
    return this.#section('Digests of Messages', lines)
  }

  #problems(): string {
    const failed = this.#picture.messages.filter(({ status }) => status === 'failed')
    const lines = failed.map((message) => {
      const reason = message.said.failure?.reason ?? 'no reason is given'
      return `- ${titled(message, 100)}: “${plainText(reason, 200)}” (${plainText(message.to)}, ${this.#source(message)})`
    })
    return this.#section('What Failed', lines)
  }

  #open(): string {
    const open = this.#picture.messages.filter(({ status }) => status === 'pending' || status === 'processing')
    const lines = open.map((message) => {
      const who = plainText(message.to)
      const state = message.status === 'pending' ? `waits for ${who}` : `${who} works on it`
      return `- ${titled(message, 120)} (${state}, ${this.#source(message)})`
    })
    return this.#section('What Is Open', lines)
  }

  #why(): string {
    const { milestones } = this.#picture
    const steps = milestones.map(({ title, done }) => `- [${done ? 'x' : ' '}] ${plainText(title, 200)}`)
    const goal = this.#goal() || 'The manifest names no goal.'
    const plan = steps.length === 1 ? 'one step' : `${steps.length} steps`
    return `## Why\n\n${goal}${steps.length === 0 ? '' : ` It is to be reached in ${plan}, of which those that are ticked are done:\n\n${this.#shown(steps)}`}`
  }

  #what(): string {
    const { artifacts, findings } = this.#picture
    const made = [...artifacts, ...findings].map((file) => this.#fileLine(file))
    if (made.length === 0) return '## What\n\nNo files have been made so far.'
    return `## What\n\n${made.length === 1 ? 'One file was' : `${made.length} files were`} made:\n\n${this.#shown(made)}`
  }

  /** Milestone by milestone, and then what belongs to none of them, each in the order in which it happened. */
  #how(): string {
    const { milestones, messages } = this.#picture
    const told = new Set<string>()
    const chapters = milestones.flatMap(({ title }) => {
      const mine = this.#contributed(title)
      for (const { id } of mine) told.add(id)
      return mine.length === 0 ? [] : [`### ${plainText(title, 120)}\n\n${this.#story(mine)}`]
    })
    const rest = messages.filter(({ id }) => !told.has(id))
    const others =
      rest.length === 0 ? [] : [`### ${chapters.length === 0 ? 'The work' : 'Other work'}\n\n${this.#story(rest)}`]
    const people = [...new Set(messages.flatMap(({ from, to }) => [from, to]))].sort().map((one) => plainText(one))
    const [first = '', last = ''] = [messages[0], messages.at(-1)].map((one) => one?.createdAt.slice(0, 10))
    const when = first === last ? `on ${first}` : `from ${first} to ${last}`
    const opening =
      messages.length === 0
        ? 'Nothing has been asked for yet.'
        : `${listedAtMost(people, 6)} worked on it, ${when}. ${standingOf(messages)}`
    return ['## How', opening, ...chapters, ...others].join('\n\n')
  }

  /** A day is named when it begins. */
  #story(messages: readonly ReportMessage[]): string {
    let day = ''
    return this.#shown(
      messages.map((message) => {
        const { createdAt, from, to, summary, mission } = message
        const when = createdAt.slice(0, 10) === day ? '' : `On ${createdAt.slice(0, 10)} `
        day = createdAt.slice(0, 10)
        const where = mission === this.#picture.mission ? '' : ` in ${plainText(mission, 200)}`
        return `- ${when}${plainText(from)} asked ${plainText(to)}${where}: “${plainText(summary, 160)}” (${this.#source(message)}). ${endOf(message)}`
      }),
    )
  }

  #section(title: string, lines: readonly string[]): string {
    return lines.length === 0 ? '' : `## ${title}\n\n${this.#shown(lines)}`
  }

  #shown(lines: readonly string[]): string {
    const shown = lines.slice(0, this.#most)
    return [...shown, ...(lines.length > shown.length ? [`- and ${lines.length - shown.length} more`] : [])].join('\n')
  }

  #source(message: ReportMessage): string {
    return this.#link(message.id.slice(0, 8), message.path)
  }

  #link(text: string, path: string): string {
    return linkTo(this.#options.folder, text, path)
  }
}

/** A summary inside a sentence: without the full stop at its end. */
const titled = ({ summary }: ReportMessage, longest: number): string =>
  plainText(summary.trimEnd().replace(/[.。]$/, ''), longest)

/** Its first sentences, or its first line where there are none. */
function resultOf({ said: { result } }: ReportMessage, most: number): string | undefined {
  return result && (sentencesIn(result.text).slice(0, most).join(' ') || result.text.split('\n')[0])
}

function endOf(message: ReportMessage): string {
  const { status, to, said } = message
  if (status === 'failed') return `It failed: “${plainText(said.failure?.reason ?? 'no reason given', 160)}”`
  const result = resultOf(message, 2)
  if (status === 'completed')
    return result ? `The result: “${plainText(result, 240)}”` : 'It is done, without a word on it.'
  if (status === 'pending') return `It waits for ${plainText(to)}.`
  return status === 'processing' ? `${plainText(to)} works on it.` : `It is ${plainText(status)}.`
}
