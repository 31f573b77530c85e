import { withoutUndefined } from '../kernel/field.ts'
import { childOf, treePath } from '../kernel/tree-path.ts'
import { changeLeaf } from '../messaging/leaves/change.ts'
import { gitignorePath, home, homeGitignore } from '../tree/home.ts'
import type { Tree } from '../tree/tree.ts'
import { type Context, defineOperation } from './define.ts'
import { homeReadme, settingsTemplate } from './init-files.ts'
import { durability } from './shapes.ts'
import { readTrustedServers } from './workspace/own-file.ts'
import { howToTrust } from './workspace/server.ts'
import { configurationFile } from './workspace/settings.ts'

const initialised = {
  root: 'text',
  'engine?': 'text',
  'trustBy?': 'text',
  made: ['text'],
  kept: ['text'],
  durability,
} as const

export const init = defineOperation({
  name: 'init',
  summary: 'Make a workspace here: its settings file and its own folder.',
  more:
    'Works on the root: --root, SIGNALBOX_ROOT, or the nearest workspace upwards, else the current directory. ' +
    'The root is made if it is not there. Files that exist are left as they are, so it can be repeated.',
  input: {},
  outcomes: { created: 'done', unchanged: 'done' },
  output: { created: initialised, unchanged: initialised },
  effects: 'writes',
  isRepeatable: true,
  examples: [
    { command: 'init', does: 'make the current directory a workspace' },
    { command: 'init --root ../team', does: 'make one somewhere else' },
  ],

  async run(context) {
    // Made and closed with the context; a cluster that does not answer is told of before anything is written.
    const tree = await context.tree({ makeRoot: true })
    const { durability, engine: address } = await context.configuration({ makeRoot: true })
    const isElsewhere = address !== 'files'
    // Settings are read from this directory wherever the messages are.
    const here = isElsewhere ? await context.openTree(context.root().path) : tree
    try {
      const engine = isElsewhere ? tree.place : undefined
      const { made, kept } = await makeFiles(here, engine)
      const outcome = made.length > 0 ? 'created' : 'unchanged'
      const trustBy = engine === undefined ? undefined : await howToTrustUnlessTrusted(engine, context)
      return { outcome, root: here.place, ...withoutUndefined({ engine, trustBy }), made, kept, durability } as const
    } finally {
      if (isElsewhere) await here.close()
    }
  },
})

/** A workspace alone decides no server: see `workspace/server.ts`. Nothing outside of it is written unasked. */
async function howToTrustUnlessTrusted(address: string, { environment, outside, root }: Context) {
  const place = { environment, outside, root: root() }
  return (await readTrustedServers(place)).has(address) ? undefined : howToTrust(address, place)
}

async function makeFiles(tree: Tree, engine: string | undefined): Promise<{ made: string[]; kept: string[] }> {
  const files = [
    { path: treePath(configurationFile), text: await settingsTemplate(undefined, { engine }) },
    { path: gitignorePath, text: homeGitignore() },
    { path: childOf(home, 'README.md'), text: homeReadme() },
  ]
  const made: string[] = []
  const kept: string[] = []
  for (const { path, text } of files) {
    const { outcome } = await tree.create(path, new TextEncoder().encode(text))
    const isMade = outcome === 'created' || (path === gitignorePath && (await showGitignore(tree, text)))
    ;(isMade ? made : kept).push(path)
  }
  return { made, kept }
}

/** With its first file the engine made its folder, and a `.gitignore` there that hides itself. False for any other one. */
async function showGitignore(tree: Tree, text: string): Promise<boolean> {
  const hidden = Buffer.from(homeGitignore({ hidesItself: true }))
  if ((await tree.look(gitignorePath))?.size !== hidden.length) return false
  const { outcome } = await changeLeaf(tree, gitignorePath, (before) =>
    before && hidden.equals(before.bytes) ? Buffer.from(text) : undefined,
  )
  return outcome === 'replaced'
}
