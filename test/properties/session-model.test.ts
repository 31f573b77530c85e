/**
 * Several speakers in one session, each in a process of its own, one after the other or two at once: what is answered is what
 * a simple model answers, of two at once in one order or the other. A failure prints its `seed` and `path`.
 */
import fc from 'fast-check'
import { expect } from 'vitest'
import { openMemoryTree } from '../../src/engines/memory/index.ts'
import { heldClock } from '../../src/kernel/clock.ts'
import type { Sessions } from '../../src/protocols/shared-agent/store/sessions.ts'
import { sessionsOn } from '../support/session.ts'
import { verifies } from '../support/verifies.ts'
import { chief, Model, mostKeys, type Step } from './session-model/model.ts'

const runs = 150 * Number(process.env.SIGNALBOX_TEST_SCALE ?? 1)
const agent = fc.constantFrom(chief, 'Dev', 'Test')
const key = fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5', 'k6')
const text = fc.constantFrom('one', 'two words', 'a:b', '#STATE:clear', 'true')
const few = fc.constantFrom('x', 'y')
const task = fc.integer({ min: 1, max: 5 }).map((n) => `task_id_00${n}`)

const words = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('STATE:save'), key, fc.oneof(text, fc.constant('{{A}}'))) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('STATE:save'), key, text, fc.constant('persistent')) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('STATE:load'), key) },
  fc.constantFrom(['STATE:list'], ['STATE:clear']),
  fc.tuple(fc.constant('declare'), fc.constant('A'), fc.constantFrom('one', '#STATE:clear', '{{A}}')),
  { weight: 4, arbitrary: fc.tuple(fc.constant('LOCK'), few, fc.constantFrom('5', '60')) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('UNLOCK'), few) },
  fc.tuple(fc.constant('UNLOCK'), few, fc.constant('force')),
  fc.tuple(fc.constant('SIGNAL'), few),
  fc.tuple(fc.constant('SIGNAL'), few, fc.constant('false')),
  fc.tuple(fc.constant('WAIT'), few, fc.constant('0')),
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('SUBSCRIBE', 'SUBSCRIBE', 'UNSUBSCRIBE'), few) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('BROADCAST'), few, text) },
  fc.tuple(fc.constant('DIRECT'), agent, text),
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constant('DELEGATE'), agent, fc.constant('work'), fc.constantFrom('P0', 'P1', 'P3')),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('DONE', 'FAIL'), task, text) },
  fc.tuple(fc.constant('RETRY'), agent, task),
  { weight: 2, arbitrary: fc.constant(['NEXT']) },
)

const spoken: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: fc.constant('say' as const), agent, words }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('inbox' as const), agent }) },
)
const turn: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 10, arbitrary: spoken.map((step) => [step]) },
  { weight: 5, arbitrary: fc.tuple(spoken, spoken) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('pass' as const), seconds: fc.constantFrom(3, 10) }).map((s) => [s]),
  },
  { weight: 1, arbitrary: fc.constant([{ do: 'end' as const }]) },
)

const lineOf = ([command = '', ...rest]: readonly string[]): string =>
  command === 'declare'
    ? `{{${rest[0]}}}: "${rest[1]}"`
    : `#${[command, ...rest].join(':')}${command === 'NEXT' ? ':' : ''}`

const ordersOf = (count: number): number[][] =>
  count === 2
    ? [
        [0, 1],
        [1, 0],
      ]
    : [[0]]

function play(before: Model, steps: readonly Step[], order: readonly number[]) {
  const model = before.copy()
  const expected: string[] = []
  for (const n of order) expected[n] = model.take(steps[n]!)
  return { model, expected }
}

verifies(
  ['SA-3b', 'SA-3e', 'SA-3f', 'SA-3g', 'SA-4', 'SA-8', 'SA-12c', 'SA-12d'],
  'several speakers are answered as a simple model answers',
  () =>
    fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 60, size: 'max' }), async (turns) => {
        const clock = heldClock()
        const tree = openMemoryTree({ clock })
        const open = () => sessionsOn(tree, { clock, settings: { mostKeys } })
        const processes = [open(), open()]
        // Where two orders give the same answers, what is said later tells which it was.
        let models = [new Model()]

        const act = async (sessions: Sessions, step: Step): Promise<string> => {
          if (step.do === 'say')
            return (await sessions.say(lineOf(step.words), { session: 's', agent: step.agent })).answer
          if (step.do === 'inbox')
            return (await sessions.inbox(step.agent, { session: 's' })).map((mail) => mail.text).join('|')
          if (step.do === 'end') await sessions.end('s')
          else clock.advance(step.seconds * 1000)
          return ''
        }

        for (const [nth, steps] of turns.entries()) {
          const answers = await Promise.all(steps.map((step, n) => act(processes[(nth + n) % 2]!, step)))
          const played = models.flatMap((model) => ordersOf(steps.length).map((order) => play(model, steps, order)))
          const fitting = played.filter(({ expected }) => expected.every((one, n) => one === answers[n]))
          const said = `${JSON.stringify(steps)} was answered ${JSON.stringify(answers)}`
          expect(
            fitting.length,
            `${said}, not ${JSON.stringify(played.map(({ expected }) => expected))}`,
          ).toBeGreaterThan(0)
          models = [...new Map(fitting.map(({ model }) => [JSON.stringify(model.picture()), model])).values()]
        }
      }),
      { numRuns: runs, seed: Number(process.env.SIGNALBOX_TEST_SEED ?? 20261117) },
    ),
  300_000,
)
