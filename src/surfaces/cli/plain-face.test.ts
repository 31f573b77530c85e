import { expect, it } from 'vitest'
import { defineOperation } from '../../operations/define.ts'
import { plainFace } from './plain-face.ts'
import { screenOn } from './terminal.ts'

const screen = screenOn({ isTerminal: false, columns: 80 }, { flag: false, environment: {} })
const operation = defineOperation({
  name: 'send',
  summary: 'Send it.',
  input: {},
  outcomes: { sent: 'done' },
  output: { sent: {} },
  effects: 'reads',
  examples: [{ command: 'p send', does: 'send it' }],
  run: () => ({ outcome: 'sent' }) as const,
})

it.each<[object, string, string]>([
  [{ outcome: 'sent' }, 'sent\n', ''],
  [
    { outcome: 'sent', message: { id: '1f2e3d4c', text: 'Hi' }, path: 'box/1f2e3d4c.json', notices: ['It is full.'] },
    'sent: message 1f2e3d4c, path box/1f2e3d4c.json\n',
    'note: It is full.\n',
  ],
  [
    { outcome: 'listed', items: [1, 2], counts: { a: 1 }, all: true, next: null, last: undefined },
    'listed: items 2, all true\n',
    '',
  ],
  [{ outcome: 'read', text: `a\u001b[2J\n${'x'.repeat(300)}` }, `read: text a\\x1b[2J\\n${'x'.repeat(194)}…\n`, ''],
])('an operation without a face of its own says what it did: %j', (output, shown, beside) => {
  const face = plainFace(operation)
  expect([face.operation, face.show(output as never, screen), face.aside!(output as never, screen)]).toEqual([
    operation,
    shown,
    beside,
  ])
})
