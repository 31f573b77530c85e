/** What every protocol promises that puts questions to people, whatever its questions look like. */
import { beforeEach, describe, expect, it } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { type Clock, heldClock } from '../../src/kernel/clock.ts'
import type { Answer, Neutral, Question } from '../../src/protocols/contract.ts'
import type { Tree } from '../../src/tree/tree.ts'

type Asking = Neutral & Required<Pick<Neutral, 'questions' | 'answer'>>

export interface QuestionPlace {
  /** Opens it as another process would. */
  open(tree: Tree, clock: Clock): Promise<Neutral>
  /** By name, each kind of question that it has: puts one of it to a person, and nothing else waits. */
  readonly asks: Readonly<Record<string, (tree: Tree, neutral: Neutral) => Promise<unknown>>>
}

export function describeQuestions(name: string, { open, asks }: QuestionPlace): void {
  describe.each(Object.entries(asks))(`${name} puts to people: %s`, (_, ask) => {
    let one: Asking
    let other: Asking
    let question: Question
    beforeEach(async () => {
      const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
      const tree = openMemoryTree({ clock })
      one = (await open(tree, clock)) as Asking
      await ask(tree, one)
      other = (await open(tree, clock)) as Asking
      const [only, ...more] = await waiting(other)
      expect(more).toEqual([])
      question = only!
    })

    const waiting = async (neutral: Asking) => {
      const found: Question[] = []
      for await (const question of neutral.questions()) found.push(question)
      return found
    }
    /** Whole answers to it, two that differ for each verdict it can get, but for approvals, which are all the same. */
    function possible(verdict: Answer['verdict']): Omit<Answer, 'by'>[] {
      if (verdict === 'approve') return [{ verdict }]
      if (verdict === 'deny') return [{ verdict, text: 'Not today' }]
      const words = [
        { verdict, text: 'The first way' },
        { verdict, text: 'The second way' },
      ]
      const options = question.options.map((text, n) => ({ verdict, option: n + 1, text }))
      return options.length > 1 ? options : words
    }
    const give = (neutral: Asking, answer: Omit<Answer, 'by'>) => neutral.answer(question, { by: 'rose', ...answer })
    const outcomeOf = (given: Promise<{ outcome: string }>) =>
      given.then(
        ({ outcome }) => outcome,
        ({ exit }) => `exit ${exit}`,
      )

    it('it says all that a person must know, the same to everybody', async () => {
      expect(['approval', 'question', 'escalation']).toContain(question.kind)
      for (const text of [question.id, question.from, question.summary, question.text, question.why]) {
        expect(text).toMatch(/\S/)
      }
      expect(new Date(question.askedAt).toISOString()).toBe('2026-01-01T12:00:00.000Z')
      expect(question.digest).toMatch(/^[0-9a-f]{32}$/)
      expect(question.answers.length).toBeGreaterThan(0)
      expect(question.options.every((option) => option.trim() !== '')).toBe(true)
      if (!question.answers.includes('answer')) expect(question.options).toEqual([])
      expect(question.facts.flat().every((text) => typeof text === 'string')).toBe(true)
      expect(JSON.parse(JSON.stringify(question))).toEqual(question)
      expect(await waiting(one)).toEqual([question])
    })

    it('it is found by its id and by the beginning of that', async () => {
      const { id, place, from } = question
      for (const asked of [id, id.slice(0, 8)]) {
        const found: unknown[] = []
        for await (const { envelope } of other.find(asked)) found.push({ id: envelope.id, place: envelope.place })
        expect(found).toEqual([{ id, place }])
      }
      for await (const { envelope } of other.find(id)) expect(envelope.from).toBe(from)
    })

    it('an answer that it cannot get is unsupported and changes nothing', async () => {
      for (const verdict of ['approve', 'deny', 'answer'] as const) {
        if (question.answers.includes(verdict)) continue
        await expect(give(one, { verdict, text: 'x' })).rejects.toMatchObject({ code: 'UNSUPPORTED', exit: 7 })
      }
      expect(await waiting(one)).toEqual([question])
    })

    it('an answer is for what was shown, and counts once; the same again changes nothing', async () => {
      for (const verdict of question.answers) {
        const [answer] = possible(verdict)
        if (verdict !== 'deny') {
          const wrong = { ...answer!, digest: '0'.repeat(32) }
          await expect(give(one, wrong)).rejects.toMatchObject({ code: 'MESSAGE_CHANGED', exit: 4 })
          expect(await waiting(one)).toEqual([question])
        }
      }
      const [answer] = possible(question.answers[0]!)
      const { digest } = question
      const answered = await give(one, { ...answer!, digest })
      expect(answered).toMatchObject({ outcome: 'answered', message: { id: question.id } })
      expect(await waiting(other)).toEqual([])
      expect(await outcomeOf(give(other, { ...answer!, digest }))).toBe('unchanged')
      expect(await outcomeOf(give(one, answer!))).toBe('unchanged')
      expect(await waiting(one)).toEqual([])
    })

    it('each answer that it can get settles it', async () => {
      const last = question.answers.at(-1)!
      expect(await outcomeOf(give(one, possible(last)[0]!))).toBe('answered')
      expect(await waiting(other)).toEqual([])
      expect(await outcomeOf(give(other, possible(last)[0]!))).toBe('unchanged')
    })

    it('other words than those that were given are a conflict', async () => {
      if (!question.answers.includes('answer')) return
      const [first, second] = possible('answer')
      await give(one, first!)
      expect(await outcomeOf(give(other, second!))).toBe('exit 4')
      expect(await outcomeOf(give(other, first!))).toBe('unchanged')
    })

    it('an option is also known by its number alone once it was chosen, and by its words', async () => {
      if (question.options.length < 2) return
      const [first, second] = possible('answer')
      await give(one, first!)
      expect(await outcomeOf(give(other, { verdict: 'answer', option: 1 }))).toBe('unchanged')
      expect(await outcomeOf(give(other, { verdict: 'answer', text: first!.text! }))).toBe('unchanged')
      expect(await outcomeOf(give(other, { verdict: 'answer', option: 2 }))).toBe('exit 4')
      expect(await outcomeOf(give(other, { verdict: 'answer', text: second!.text! }))).toBe('exit 4')
      const beyond = { verdict: 'answer', option: question.options.length + 1 } as const
      expect(await outcomeOf(give(other, beyond))).toMatch(/^exit [24]$/)
    })

    it('of two different answers at once one counts', async () => {
      if (!question.answers.includes('answer')) return
      const [first, second] = possible('answer')
      const outcomes = await Promise.all([outcomeOf(give(one, first!)), outcomeOf(give(other, second!))])
      expect(outcomes.sort()).toEqual(['answered', 'exit 4'])
    })

    it('of two same answers at once one counts', async () => {
      if (!question.answers.includes('answer')) return
      const [first] = possible('answer')
      const outcomes = await Promise.all([outcomeOf(give(one, first!)), outcomeOf(give(other, first!))])
      expect(outcomes.sort()).toEqual(['answered', 'unchanged'])
    })

    it('there is no answer to what nobody has asked', async () => {
      const nobodys = { ...question, id: '0d9f7a44-1c5e-4a63-9a51-6f0a52f8c001' }
      const [answer] = possible(question.answers[0]!)
      await expect(one.answer(nobodys, { by: 'rose', ...answer! })).rejects.toMatchObject({ exit: 3 })
      expect(await waiting(one)).toEqual([question])
    })
  })
}
