import { beforeEach, describe, expect, it } from 'vitest'
import { verifies } from '../../../../test/support/verifies.ts'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import { agentId } from '../layout.ts'
import { negotiate } from '../versions.ts'
import { expectCommonVersion, introduce, versionsOf } from './stated-versions.ts'

describe('stated versions', () => {
  const root = treePath('state/agents')
  let tree: Tree
  beforeEach(() => {
    tree = openMemoryTree()
  })
  const write = (agent: string, text: string) =>
    tree.create(treePath(`state/agents/${agent}/versions.json`), Buffer.from(text))
  const statedBy = (agent: string) => versionsOf({ tree, root }, agentId(agent))

  verifies('MR-10b', 'stand in versions.json beside the inbox; who has none speaks 1.0.0', async () => {
    expect(await statedBy('a')).toEqual(['1.0.0'])
    await introduce({ tree, root }, agentId('a'))
    const leaf = await tree.read(treePath('state/agents/a/versions.json'))
    expect(JSON.parse(Buffer.from(leaf!.bytes).toString())).toEqual({ versions: ['1.0.0'] })
    await write('b', '{"versions": ["1.1.0", "1.5.0"], "other": true}')
    await write('c', '{"versions": ["1.0.0", "1.1.0"]}')
    await introduce({ tree, root }, agentId('c'))
    expect(negotiate(await statedBy('c'), await statedBy('b'))).toBe('1.1.0')
    await expectCommonVersion({ tree, root }, agentId('c'))
    await expect(expectCommonVersion({ tree, root }, agentId('b'))).rejects.toMatchObject({ code: 'NO_COMMON_VERSION' })
  })

  it.each(['[]', '{}', '{"versions": []}', '{"versions": ["1"]}', 'nonsense'])('%s is refused', async (text) => {
    await write('b', text)
    await expect(statedBy('b')).rejects.toMatchObject({ kind: 'Corrupt' })
  })
})
