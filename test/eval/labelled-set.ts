/**
 * Reads the labelled messages and queries by which clustering and search are measured: the files beside it. Shares
 * no code with what is measured.
 *
 *   ## TOPIC (near OTHER; keywords: WORD, WORD)          what the messages below are about
 *   - ID FROM>TO [after:ID] | SUMMARY :: BODY            a message; `after`: it depends on that one
 *   ## noise                                             messages that belong to none
 *   ## queries
 *   - ID [words|meaning] -> topic:TOPIC or ID ID … | TEXT     what should be found, and whether it shares a word with it
 */
import { readFileSync } from 'node:fs'

export interface LabelledMessage {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly after: readonly string[]
  readonly summary: string
  readonly body: string
  /** `undefined`: belongs to none. */
  readonly topic: string | undefined
}

export interface Topic {
  readonly name: string
  readonly near: string
  readonly keywords: readonly string[]
}

export interface LabelledQuery {
  readonly id: string
  readonly kind: 'words' | 'meaning'
  readonly text: string
  /** The ids of what it should find. */
  readonly relevant: readonly string[]
}

export interface LabelledPart {
  readonly topics: readonly Topic[]
  readonly messages: readonly LabelledMessage[]
  readonly queries: readonly LabelledQuery[]
}

const heading = /^## (\S+)(?: \(near (\S+); keywords: (.+)\))?$/
const message = /^- (\S+) (\S+)>(\S+)(?: after:(\S+))? \| (.+?) :: (.+)$/
const query = /^- (\S+) \[(words|meaning)\] -> (.+?) \| (.+)$/

export function readPart(file: string | URL): LabelledPart {
  const topics: Topic[] = []
  const messages: LabelledMessage[] = []
  const queries: LabelledQuery[] = []
  let section = ''
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const head = heading.exec(line)
    if (head) {
      section = head[1]!
      if (head[2]) topics.push({ name: section, near: head[2], keywords: head[3]!.split(', ') })
    } else if (section !== '' && line !== '') {
      if (section === 'queries') queries.push(queryFrom(line, messages))
      else messages.push(messageFrom(line, section === 'noise' ? undefined : section))
    }
  }
  return { topics, messages, queries }
}

function messageFrom(line: string, topic: string | undefined): LabelledMessage {
  const [, id, from, to, after, summary, body] = message.exec(line) ?? unreadable(line)
  return { id: id!, from: from!, to: to!, after: after ? [after] : [], summary: summary!, body: body!, topic }
}

function queryFrom(line: string, messages: readonly LabelledMessage[]): LabelledQuery {
  const [, id, kind, meant, text] = query.exec(line) ?? unreadable(line)
  const topic = /^topic:(.+)$/.exec(meant!)?.[1]
  const relevant = topic ? messages.filter((one) => one.topic === topic).map((one) => one.id) : meant!.split(' ')
  return { id: id!, kind: kind as LabelledQuery['kind'], text: text!, relevant }
}

function unreadable(line: string): never {
  throw new Error(`Not a line of a labelled set: ${line}`)
}
