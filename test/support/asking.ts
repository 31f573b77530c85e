/**
 * A protocol that does nothing but ask people: `asked/{id}.json` is a question, `answered/{id}.json` its answer. As small as
 * one can be that keeps every promise about questions, so that whatever concerns those of all protocols can be tried on it.
 */
import { digestOf } from '../../src/formats/digest.ts'
import { conflict, invalidInput, notFound } from '../../src/kernel/errors.ts'
import { thoseMeant } from '../../src/kernel/short-id.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import {
  type Answer,
  changedSince,
  expectAnswerable,
  type Message,
  type Neutral,
  type Question,
} from '../../src/protocols/contract.ts'
import type { Tree } from '../../src/tree/tree.ts'

export type Asked = Partial<Pick<Question, 'kind' | 'from' | 'summary' | 'text' | 'options' | 'answers' | 'askedAt'>>
type Whole = Required<Asked> & { readonly id: string }

const askedAt = (id: string) => treePath(`asked/${id}.json`)
const answeredAt = (id: string) => treePath(`answered/${id}.json`)

/** Puts a question; an existing one is replaced, as a stranger with an editor would. */
export async function ask(tree: Tree, id: string, asked: Asked = {}): Promise<void> {
  await tree.remove(askedAt(id))
  await tree.create(askedAt(id), Buffer.from(JSON.stringify(asked)))
}

export function openAsking(tree: Tree, protocol = 'asking'): Required<Pick<Neutral, 'questions' | 'answer'>> & Neutral {
  async function read(id: string): Promise<Whole | undefined> {
    const leaf = await tree.read(askedAt(id))
    if (!leaf) return undefined
    const rest = { kind: 'question', from: 'ann', summary: 'Which?', text: 'Which one?', answers: ['answer'] } as const
    const times = { askedAt: '2026-01-01T12:00:00.000Z', options: [] }
    return { ...rest, ...times, ...(JSON.parse(Buffer.from(leaf.bytes).toString()) as Asked), id }
  }
  const answerOf = async (id: string): Promise<Answer | undefined> => {
    const leaf = await tree.read(answeredAt(id))
    return leaf && (JSON.parse(Buffer.from(leaf.bytes).toString()) as Answer)
  }
  const digest = ({ id, text, options }: Whole) => digestOf(id, text, ...options)
  const lift = async ({ id, from, summary, text, askedAt: createdAt }: Whole): Promise<Message> => {
    const state = (await answerOf(id)) ? 'answered' : 'asked'
    const headline = { protocol, id, from, to: 'people', state, path: askedAt(id), summary, createdAt }
    const lifted = { kind: 'ask', stage: 'written', urgency: 'normal', needsAnswer: true, native: undefined } as const
    const envelope = { ...headline, ...lifted, handle: `${protocol}:${id}`, dependsOn: [], attachments: [] }
    return { envelope, text: async () => text }
  }
  async function* all(): AsyncGenerator<Whole> {
    for (const { name } of await tree.list(treePath('asked'))) yield (await read(name.replace('.json', '')))!
  }
  return {
    async *seen() {},
    async *waitingFor() {},
    async *messages() {
      for await (const one of all()) yield lift(one)
    },
    isAgentName: () => true,
    inspect: async () => [],
    async *find(id) {
      const whole: Whole[] = []
      for await (const one of all()) whole.push(one)
      for (const one of thoseMeant(id.replace('.json', ''), whole)) yield lift(one)
    },
    async *questions() {
      for await (const one of all()) {
        if (await answerOf(one.id)) continue
        yield { ...one, digest: digest(one), why: 'It asks.', facts: [], details: { asked: true } }
      }
    },
    async answer({ id }, { verdict, by, text, option, digest: shown }) {
      const asked = await read(id)
      if (!asked) throw notFound('NO_SUCH_MESSAGE', `There is no question ${id}.`)
      expectAnswerable(asked, verdict)
      const words = text ?? (option === undefined ? undefined : asked.options[option - 1])
      if (words === undefined && verdict === 'answer')
        throw invalidInput('NO_SUCH_OPTION', `There is no option ${option}.`)
      const isNew = !(await answerOf(id))
      if (isNew && shown !== undefined && shown !== digest(asked)) throw changedSince(id)
      const given = Buffer.from(JSON.stringify({ verdict, text: words, by }))
      const won = isNew && (await tree.create(answeredAt(id), given)).outcome === 'created'
      const standing = (await answerOf(id))!
      if (standing.verdict !== verdict || (verdict === 'answer' && standing.text !== words)) {
        throw conflict('ANSWERED_ALREADY', `Question ${id} has another answer.`)
      }
      const { envelope: message } = await lift(asked)
      const sent = { ...message, id: `answer-to-${id}`, path: answeredAt(id) }
      return { outcome: won ? 'answered' : 'unchanged', message, sent, details: {} }
    },
  }
}
