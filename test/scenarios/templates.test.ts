/** Templates as files of a real tree: what lies in their folder is rendered, and nothing leads out of it. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { renderTemplate } from '../../src/adapters/templates.ts'
import { openFileTree } from '../../src/engines/file-system/index.ts'
import { SignalboxError } from '../../src/kernel/errors.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { withTempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

type Render = (text: string) => Promise<string>

/** Renders a text that can bring in the files below `prompts/`, read through the tree. */
const withFolder = (use: (render: Render, root: string) => Promise<void>): Promise<void> =>
  withTempDir(async (directory) => {
    const root = join(directory, 'workspace')
    mkdirSync(join(root, 'prompts/parts'), { recursive: true })
    writeFileSync(join(root, 'prompts/parts/task.j2'), 'do {{ task }}\n')
    writeFileSync(join(directory, 'secret.j2'), 'a secret')
    const tree = await openFileTree({ root })
    const load = async (name: string) => {
      const leaf = await tree.read(treePath(`prompts/${name}`))
      return leaf && Buffer.from(leaf.bytes).toString('utf8')
    }
    const render: Render = async (text) => {
      writeFileSync(join(root, 'prompts/main.j2'), text)
      try {
        return await renderTemplate({ name: 'main.j2', data: { task: 'this' }, load })
      } catch (error) {
        if (error instanceof SignalboxError) return `${error.exit} ${error.code}`
        throw error
      }
    }
    try {
      await use(render, root)
    } finally {
      await tree.close()
    }
  })

describe('templates in a folder', () => {
  verifies('DO-3a', 'one brings in another', () =>
    withFolder(async (render) => {
      expect(await render("Now {% include 'parts/task.j2' %}!")).toBe('Now do this!')
    }),
  )

  verifies('DO-3b', 'no path leads out of the folder', () =>
    withFolder(async (render) => {
      for (const name of ['../secret.j2', '../../secret.j2', 'parts/../../../secret.j2', '/etc/hostname']) {
        expect(await render(`{% include '${name}' %}`)).toBe('3 TEMPLATE_NOT_FOUND')
        expect(await render(`{% set x = '${name}' %}{% include x ignore missing %}fine`)).toBe('fine')
      }
    }),
  )

  verifies('DO-3b', 'no link is followed', () =>
    withFolder(async (render, root) => {
      symlinkSync('../../secret.j2', join(root, 'prompts/link.j2'))
      symlinkSync('parts/task.j2', join(root, 'prompts/inner-link.j2'))
      symlinkSync('/etc', join(root, 'prompts/folder'))
      for (const name of ['link.j2', 'inner-link.j2', 'folder/hostname']) {
        expect(await render(`{% include '${name}' %}`)).not.toMatch(/secret|do this|^[a-z]/)
      }
    }),
  )
})
