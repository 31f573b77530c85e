/** The inbox with two protocols in it that ask people. Each lies in a tree of its own. */
import { beforeEach, describe, expect, it } from 'vitest'
import { type Asked, ask, openAsking } from '../../test/support/asking.ts'
import { openMemoryTree } from '../engines/memory/index.ts'
import { heldClock } from '../kernel/clock.ts'
import { corrupt } from '../kernel/errors.ts'
import type { Neutral } from '../protocols/contract.ts'
import type { Tree } from '../tree/tree.ts'
import type { Context } from './define.ts'
import { humanList } from './human.ts'
import { type HumanInbox, humanInbox } from './human-inbox.ts'
import { protocols } from './protocols.ts'
import type { StoresPlace } from './stores.ts'

const clock = heldClock(Date.parse('2026-01-01T13:00:00Z'))
let trees: Record<'acmq' | 'mr', Tree>
let neutrals: Record<string, Neutral>
let place: StoresPlace
let inbox: HumanInbox

const everyRootIsSet = Object.fromEntries(protocols.map(({ name }) => [`${name}.root`, 'file']))

beforeEach(() => {
  trees = { acmq: openMemoryTree({ clock }), mr: openMemoryTree({ clock }) }
  neutrals = { acmq: openAsking(trees.acmq, 'acmq'), mr: openAsking(trees.mr, 'mr') }
  const { questions: _, answer: __, ...silent } = openAsking(openMemoryTree({ clock }))
  const own = openMemoryTree({ clock })
  place = {
    tree: async () => own,
    configuration: async () => ({ origins: everyRootIsSet, durability: 'process' }),
    store: async ({ name }: { name: string }) => ({ neutral: async () => neutrals[name] ?? silent }),
  } as unknown as StoresPlace
  inbox = humanInbox(place, async () => undefined)
})

const put = (protocol: 'acmq' | 'mr', id: string, asked: Asked = {}) => ask(trees[protocol], id, asked)
const options = ['The red one', 'The blue one']
const refusal = (given: Promise<unknown>) =>
  given.then(
    () => 'given',
    ({ exit, code }) => `${exit} ${code}`,
  )
const standing = async (protocol: 'acmq' | 'mr', id: string) => {
  const leaf = await trees[protocol].read(`answered/${id}.json` as never)
  return leaf && JSON.parse(Buffer.from(leaf.bytes).toString())
}

describe('what waits', () => {
  it('is in one list, the longest-waiting first, whatever its protocol', async () => {
    await put('acmq', 'question-3', { askedAt: '2026-01-01T12:59:59.000Z' })
    await put('acmq', 'question-1', { askedAt: '2026-01-01T12:00:00.000Z', kind: 'escalation', options })
    // Earlier than the one before, though its text sorts behind it.
    await put('mr', 'question-2', { askedAt: '2026-01-01T14:30:00+02:00' })
    await put('mr', 'question-0', { askedAt: 'yesterday' })
    await put('mr', 'question-9', { askedAt: '' })
    await put('mr', 'question-4', { askedAt: '2027-01-01T00:00:00.000Z' })
    const { waiting, notices } = await inbox.list()
    expect(notices).toEqual([])
    expect(waiting.map(({ id, protocol, ageSeconds }) => [id, protocol, ageSeconds])).toEqual([
      ['question-1', 'acmq', 3600],
      ['question-2', 'mr', 1800],
      ['question-3', 'acmq', 1],
      ['question-4', 'mr', 0],
      ['question-0', 'mr', undefined],
      ['question-9', 'mr', undefined],
    ])
    expect(waiting[0]).toEqual({
      id: 'question-1',
      protocol: 'acmq',
      kind: 'escalation',
      from: 'ann',
      summary: 'Which?',
      text: 'Which one?',
      options,
      answers: ['answer'],
      askedAt: '2026-01-01T12:00:00.000Z',
      createdAt: '2026-01-01T12:00:00.000Z',
      ageSeconds: 3600,
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
      why: 'It asks.',
      facts: [],
      details: { asked: true },
    })
  })

  it('is told to programs with what the protocol tells besides, which replaces nothing', async () => {
    neutrals.mr = {
      ...neutrals.mr!,
      async *questions() {
        for await (const question of openAsking(trees.mr).questions()) {
          yield { ...question, details: { mission: 'alpha', id: 'forged' } }
        }
      },
    }
    await put('mr', 'question-1')
    const context = { ...place, clock, report: { finished() {} } } as unknown as Context
    const { waiting } = await humanList.invoke(context, {})
    expect(waiting).toHaveLength(1)
    expect(waiting[0]).toMatchObject({ id: 'question-1', mission: 'alpha', protocol: 'mr' })
    expect(waiting[0]).not.toHaveProperty('details')
  })

  it('is listed although one protocol cannot tell, and that is said', async () => {
    const broken = corrupt('BAD_POLICY', 'The policy cannot be read.', { hint: 'Put it right.' })
    await put('acmq', 'question-1', { text: 'Shown first' })
    await inbox.list()
    await put('acmq', 'question-1', { text: 'Changed since' })
    const { acmq } = neutrals
    neutrals.acmq = {
      ...acmq!,
      questions: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(broken) }) }),
    }
    // Nobody can say that nothing waits.
    await expect(inbox.list()).rejects.toBe(broken)
    await put('mr', 'question-2')
    expect(await inbox.list()).toMatchObject({
      waiting: [{ id: 'question-2' }],
      notices: ['What waits in AC-MQ cannot be listed: The policy cannot be read.'],
    })
    // Nor does it stop answers elsewhere; to its own there is only its reason.
    await expect(inbox.answer('question-1', { text: 'Yes' })).rejects.toBe(broken)
    expect(await inbox.answer('question-2', { text: 'Yes' })).toMatchObject({ outcome: 'answered' })
    neutrals.acmq = acmq!
    // What was shown of the one that could not be listed is still known.
    expect(await refusal(inbox.answer('question-1', { text: 'Yes' }))).toBe('4 MESSAGE_CHANGED')
  })
})

it('[X-tokens] lists no more than asked for, and what is left out does not count as shown', async () => {
  await put('acmq', 'question-1', { askedAt: '2026-01-01T12:00:00.000Z', text: 'Before' })
  await put('mr', 'question-2', { askedAt: '2026-01-01T12:30:00.000Z', text: 'Before' })
  expect(await inbox.list({ limit: 1 })).toMatchObject({ waiting: [{ id: 'question-1' }], leftOut: 1 })
  await put('acmq', 'question-1', { text: 'After' })
  await put('mr', 'question-2', { text: 'After' })
  expect(await refusal(inbox.answer('question-1', { text: 'Yes' }))).toBe('4 MESSAGE_CHANGED')
  expect(await refusal(inbox.answer('question-2', { text: 'Yes' }))).toBe('given')
})

describe('an answer', () => {
  it('is words or an option, and goes to the protocol that asked', async () => {
    await put('acmq', 'question-1', { options })
    await put('mr', 'question-2', { options })
    expect(await inbox.answer('question-1', { option: 2 })).toMatchObject({
      outcome: 'answered',
      message: { id: 'question-1', state: 'answered' },
      sent: { id: 'answer-to-question-1' },
      durability: 'process',
    })
    await inbox.answer('question-2', { text: 'Neither' }, { by: 'rose' })
    expect(await standing('acmq', 'question-1')).toEqual({ verdict: 'answer', text: 'The blue one', by: 'human' })
    expect(await standing('mr', 'question-2')).toEqual({ verdict: 'answer', text: 'Neither', by: 'rose' })
    expect((await inbox.list()).waiting).toEqual([])
  })

  it('changes nothing when it was given before, by number or in words; another one is a conflict', async () => {
    await put('acmq', 'question-1', { options })
    await inbox.list()
    await inbox.answer('question-1', { option: 2 })
    for (const again of [{ option: 2 }, { text: 'The blue one' }]) {
      expect(await inbox.answer('question-1', again)).toMatchObject({ outcome: 'unchanged' })
    }
    for (const another of [{ option: 1 }, { text: 'Neither' }]) {
      expect(await refusal(inbox.answer('question-1', another))).toBe('4 ANSWERED_ALREADY')
    }
    expect(await refusal(inbox.answer('question-1', { option: 0 }))).toBe('2 NO_SUCH_OPTION')
  })

  it.each([
    ['words and an option', { text: 'Both', option: 1 }, 'GIVEN_TWICE'],
    ['nothing', {}, 'MISSING_INPUT'],
    ['empty words', { text: ' \n' }, 'MISSING_INPUT'],
    ['option 0', { option: 0 }, 'NO_SUCH_OPTION'],
    ['an option behind the last', { option: 3 }, 'NO_SUCH_OPTION'],
    ['an option before the first', { option: -1 }, 'NO_SUCH_OPTION'],
    ['half an option', { option: 1.5 }, 'NO_SUCH_OPTION'],
  ])('is refused when it is %s', async (_, answer, code) => {
    await put('acmq', 'question-1', { options })
    expect(await refusal(inbox.answer('question-1', answer as { option: number }))).toBe(`2 ${code}`)
    expect((await inbox.list()).waiting).toHaveLength(1)
  })

  it('by an option that is not there names those that are', async () => {
    await put('acmq', 'question-1', { options })
    await put('acmq', 'question-2')
    await expect(inbox.answer('question-1', { option: 3 })).rejects.toMatchObject({
      message: 'Question question-1 has no option 3.',
      hint: 'Give one of these: 1 (The red one), 2 (The blue one).',
      details: { options },
    })
    await expect(inbox.answer('question-2', { option: 1 })).rejects.toMatchObject({
      hint: 'It offers none. Answer in words: `{"body":"TEXT"}`',
    })
  })

  it('is for what was listed last: the second option of another text is never chosen', async () => {
    await put('acmq', 'question-1', { options })
    const { digest } = (await inbox.list()).waiting[0]!
    await put('acmq', 'question-1', { options: ['The red one', 'The one that costs a fortune'] })
    for (const answer of [{ option: 2 }, { text: 'The blue one' }]) {
      expect(await refusal(inbox.answer('question-1', answer))).toBe('4 MESSAGE_CHANGED')
      expect(await refusal(inbox.answer('question-1', answer, { digest }))).toBe('4 MESSAGE_CHANGED')
    }
    await put('acmq', 'question-1', { options })
    expect(await refusal(inbox.answer('question-1', { option: 2 }, { digest }))).toBe('given')
  })

  it('by an option is for the text in which it was looked up, also when nothing was listed', async () => {
    await put('acmq', 'question-1', { options })
    const asking = openAsking(trees.acmq, 'acmq')
    neutrals.acmq = {
      ...asking,
      async answer(question, answer) {
        await put('acmq', 'question-1', { options: ['Changed', 'at the last moment'] })
        return asking.answer(question, answer)
      },
    }
    expect(await refusal(inbox.answer('question-1', { option: 2 }))).toBe('4 MESSAGE_CHANGED')
  })

  it('that a question cannot get is refused with those that it can', async () => {
    await put('acmq', 'approval-1', { kind: 'approval', answers: ['approve', 'deny'] })
    await put('acmq', 'question-1')
    await expect(inbox.answer('approval-1', { text: 'x' })).rejects.toMatchObject({
      code: 'UNSUPPORTED',
      exit: 7,
      message: 'Message approval-1 cannot be answered.',
      hint: 'What it can get: `human approve {"id":"approval-1"}`, or `human deny {"id":"approval-1"}`',
    })
    for (const verb of ['approve', 'deny'] as const) {
      await expect(inbox[verb]('question-1')).rejects.toMatchObject({
        exit: 7,
        hint: 'What it can get: `human answer {"id":"question-1","body":"TEXT"}`',
      })
    }
    expect(await inbox.approve('approval-1', { by: 'rose' })).toMatchObject({ outcome: 'answered' })
    expect(await inbox.approve('approval-1')).toMatchObject({ outcome: 'unchanged' })
    expect(await refusal(inbox.deny('approval-1'))).toBe('4 ANSWERED_ALREADY')
  })

  it('may be no, with a reason, whatever the message says by now', async () => {
    await put('mr', 'approval-1', { kind: 'approval', answers: ['approve', 'deny'] })
    await inbox.list()
    await put('mr', 'approval-1', { kind: 'approval', answers: ['approve', 'deny'], text: 'Something else' })
    expect(await inbox.deny('approval-1', { reason: 'Not today' })).toMatchObject({ outcome: 'answered' })
    expect(await standing('mr', 'approval-1')).toEqual({ verdict: 'deny', text: 'Not today', by: 'human' })
  })
})

describe('an id', () => {
  it('may be short, and what else the protocol takes for it', async () => {
    await put('mr', '20251121_181500_engineer_escalate_AUTH-012')
    expect(await refusal(inbox.answer('20251121_181500', { text: 'Yes' }))).toBe('given')
    await put('mr', '20251121_181501_engineer_escalate_AUTH-013')
    expect(await refusal(inbox.answer('20251121_181501_engineer_escalate_AUTH-013.json', { text: 'Yes' }))).toBe(
      'given',
    )
    expect(await refusal(inbox.answer('2025112', { text: 'Yes' }))).toBe('3 NO_SUCH_MESSAGE')
    expect(await refusal(inbox.answer('20251122', { text: 'Yes' }))).toBe('3 NO_SUCH_MESSAGE')
  })

  it('that means several is refused with what they are, across protocols', async () => {
    await put('acmq', 'question-1', { summary: 'Which colour?' })
    await put('mr', 'question-2', { summary: `Which size${'?'.repeat(100)}` })
    await expect(inbox.answer('question', { text: 'x' })).rejects.toMatchObject({
      code: 'AMBIGUOUS_ID',
      exit: 4,
      message: `More than one message is meant by question: question-1 (acmq: Which colour?), question-2 (mr: Which size${'?'.repeat(50)}…).`,
      hint: 'Give more of the id.',
      details: {
        candidates: [
          { id: 'question-1', protocol: 'acmq', summary: 'Which colour?' },
          { id: 'question-2', protocol: 'mr', summary: `Which size${'?'.repeat(50)}…` },
        ],
      },
    })
  })

  it('that two protocols have given is decided by naming one of them', async () => {
    await put('acmq', 'question-1')
    await put('mr', 'question-1')
    await expect(inbox.answer('question-1', { text: 'x' })).rejects.toMatchObject({
      hint: 'Say which: `{"in":"acmq"}`, `{"in":"mr"}`',
    })
    expect(await refusal(inbox.answer('question-1', { text: 'x' }, { in: 'nowhere' }))).toBe('3 NO_SUCH_MESSAGE')
    await inbox.answer('question-1', { text: 'x' }, { in: 'mr' })
    expect(await standing('acmq', 'question-1')).toBeUndefined()
    expect(await standing('mr', 'question-1')).toMatchObject({ text: 'x' })
  })

  it('names at most ten of very many', async () => {
    for (let n = 10; n < 35; n++) await put('acmq', `question-${n}`)
    const error = await inbox.approve('question').catch((thrown) => thrown)
    expect(error.message).toContain('question-19 (acmq: Which?), and 15 more.')
    expect(error.details.candidates).toHaveLength(10)
  })

  it('means what waits, not what is finished and begins alike', async () => {
    for (const id of ['question-1', 'question-2', 'question-3']) await put('acmq', id)
    await inbox.answer('question-1', { text: 'Done' })
    await inbox.answer('question-2', { text: 'Done' })
    await inbox.answer('question', { text: 'The last' })
    expect(await standing('acmq', 'question-3')).toMatchObject({ text: 'The last' })
    // Nothing waits any more, and each of them could be meant.
    expect(await refusal(inbox.answer('question', { text: 'The last' }))).toBe('4 AMBIGUOUS_ID')
    expect(await inbox.answer('question-3', { text: 'The last' })).toMatchObject({ outcome: 'unchanged' })
  })

  it('that is whole means that message alone, also a finished one', async () => {
    await put('acmq', 'question')
    await put('mr', 'question-2')
    await inbox.answer('question', { text: 'Done' })
    expect(await refusal(inbox.answer('question', { text: 'Other' }))).toBe('4 ANSWERED_ALREADY')
    expect(await standing('mr', 'question-2')).toBeUndefined()
  })
})
