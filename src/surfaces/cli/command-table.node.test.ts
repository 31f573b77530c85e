import { describe, expect, it } from 'vitest'
import { repository } from '../../../test/support/child.ts'

interface Place {
  readonly file: string
  readonly name: string
}
interface Script {
  everydayFiles(): Promise<Record<string, { index: string; faces: string[] }>>
  printTable(outline: object, found: { operations: Map<object, Place>; faces: Map<object, Place> }): string
}

const script = (await import(`${repository}/scripts/command-table.mjs`)) as Script

it('everyday commands of a protocol come with their faces', async () => {
  expect(await script.everydayFiles()).toMatchObject({
    acmq: {
      index: 'src/protocols/ac-mq/index.ts',
      faces: expect.arrayContaining(['src/surfaces/cli/commands/acmq/claim.ts']),
    },
    mr: {
      index: 'src/protocols/message-routing/index.ts',
      faces: expect.arrayContaining(['src/surfaces/cli/commands/mr/receive.ts']),
    },
  })
})

describe('a table', () => {
  const [send, list] = [
    { name: 'send', summary: "Put it in 'out'." },
    { name: 'list', summary: 'See it.' },
  ]
  const outline = { name: 'box', summary: 'A box.', members: [{ name: 'p', summary: 'P.', members: [send, list] }] }
  const operations = new Map([
    [send, { file: 'src/operations/p/send.ts', name: 'pSend' }],
    [list, { file: 'src/operations/p/list.ts', name: 'pList' }],
  ])
  const faces = new Map([[send, { file: 'src/surfaces/cli/commands/p/send.ts', name: 'sendFace' }]])

  it('has a plain face where there is no other', () => {
    const text = script.printTable(outline, { operations, faces })
    expect(text).toContain(`{ name: "send", load: async () => (await import('./commands/p/send.ts')).sendFace`)
    expect(text).toContain(
      "(await import('./plain-face.ts')).plainFace((await import('../../operations/p/list.ts')).pList)",
    )
  })

  it('leaves out no operation, and names no two commands alike', () => {
    const more = new Map([
      ...operations,
      [
        { name: 'show', summary: '' },
        { file: 'src/operations/p/show.ts', name: 'pShow' },
      ],
    ])
    expect(() => script.printTable(outline, { operations: more, faces })).toThrow(
      'show in src/operations/p/show.ts is no command',
    )
    const twice = { ...outline, members: [send, send] }
    expect(() => script.printTable(twice, { operations, faces })).toThrow('Two commands of box are named send.')
    expect(() => script.printTable(outline, { operations: new Map([[send, operations.get(send)!]]), faces })).toThrow(
      'No file of src/operations/ exports the operation list.',
    )
  })
})
