import { describe, expect, it } from 'vitest'
import { treePath } from '../../kernel/tree-path.ts'
import { agentId, fileNameOf, folderPath, isMessageName, messageId, sequencePath, stemOf } from './layout.ts'

describe('where things lie', () => {
  const root = treePath('state/agents')
  it('[MR-4] is as the specification says', () => {
    const id = messageId('msg_a3f5d8b2')
    expect(`${folderPath(root, agentId('coordinator-main'), 'inbox')}/${fileNameOf(id)}`).toBe(
      'state/agents/coordinator-main/inbox/msg_a3f5d8b2.json',
    )
    expect(stemOf(fileNameOf(id))).toBe(id)
  })
  it('[MR-2a] keeps counters in the folder of the sender', () => {
    expect(sequencePath(root, agentId('coder-1'), agentId('coordinator-main'))).toBe(
      'state/agents/coder-1/.sequences/coordinator-main',
    )
  })
  it.each([
    ['msg_a3f5d8b2.json', true],
    ['anything.json', true],
    ['msg_a3f5d8b2.tmp', false],
    ['.x.json', false],
    ['inbox.lock', false],
    ['msg_a3f5d8b2.json.lock', false],
  ])('%s counts as a message: %j', (name, counts) => {
    expect(isMessageName(name)).toBe(counts)
  })
  it.each(['', '..', 'a/b', 'A', 'a b', 'a.b', 'a\n', 'ä', 'x'.repeat(65)])('no agent is called %j', (name) => {
    expect(() => agentId(name)).toThrow(expect.objectContaining({ kind: 'InvalidInput', code: 'INVALID_AGENT_ID' }))
  })
  it.each(['', 'msg_', 'msg_A3F5D8B2', 'msg_a3f5d8b2.json', '../msg_a3f5d8b2'])('no message is called %j', (id) => {
    expect(() => messageId(id)).toThrow(expect.objectContaining({ kind: 'InvalidInput', code: 'INVALID_MESSAGE_ID' }))
  })
})
