/** The operations about this program itself. */
import { unsupported } from '../kernel/errors.ts'
import { flag } from '../kernel/field.ts'
import { defineOperation } from './define.ts'

export const version = defineOperation({
  name: 'version',
  summary: 'Tell which version this is, and what it runs on.',
  input: {},
  outcomes: { told: 'done' },
  output: { told: { version: 'text', runtime: 'text' } },
  effects: 'reads',
  examples: [{ command: 'version --json', does: 'the same for programs' }],

  run: ({ about }) => ({ outcome: 'told', ...about }),
})

const figures = { exit: 'integer', 'figures?': 'anything' } as const

export const bench = defineOperation({
  name: 'bench',
  summary: 'Measure this machine: engine and library against bare system calls, and cold starts.',
  more: 'The benchmark is part of a checkout of the repository; an installed package comes without it.',
  input: { peers: flag('Measure other queues too; they are installed into a cache of their own.') },
  outcomes: { measured: 'done', failed: 'Unavailable' },
  output: { measured: figures, failed: figures },
  effects: 'reads',
  examples: [
    { command: 'bench', does: 'print the figures of this machine' },
    { command: 'bench --peers', does: 'the same, beside BullMQ, NATS, SQLite and PostgreSQL queues' },
  ],

  async run(context, { peers }) {
    const benchmark = context.benchmark()
    if (!benchmark) {
      throw unsupported('NO_BENCHMARK', 'The benchmark is not part of this installation.', {
        hint: 'Run `npm run bench` in a checkout of the repository.',
      })
    }
    const { exit, figures } = await benchmark(peers ? ['--peers'] : [])
    return { outcome: exit === 0 ? 'measured' : 'failed', exit, ...(figures === undefined ? {} : { figures }) } as const
  },
})
