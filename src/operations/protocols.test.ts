import { expect, it } from 'vitest'
import { treePath } from '../kernel/tree-path.ts'
import { protocols } from './protocols.ts'

it.each(protocols)('$name: the line in the list says what the protocol says', async ({ name, marks, load }) => {
  const protocol = await load()
  expect(protocol.name).toBe(name)
  for (const path of marks.flat()) expect(treePath(path)).toBe(path)
  // A workspace is recognised by the folder that it has when nothing is set.
  const { root } = protocol.defaults as { readonly root?: string }
  if (root !== undefined && root !== '') expect(marks).toEqual([[root]])
})
