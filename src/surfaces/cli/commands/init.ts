/** The commands that begin: a workspace, or a tour in a directory of its own. */
import { printableLine } from '../../../kernel/printable.ts'
import { demo } from '../../../operations/demo/demo.ts'
import { init } from '../../../operations/init.ts'
import { commandFace } from '../command.ts'
import { grid } from '../grid.ts'

export const initFace = commandFace(init, ({ outcome, root, engine, trustBy, made, kept }, screen) => {
  const rows = [...made.map((path) => ({ path, was: 'made' })), ...kept.map((path) => ({ path, was: 'was there' }))]
  const title = outcome === 'created' ? 'Made a workspace in' : 'There is a workspace already in'
  const files = grid(
    rows,
    [{ text: ({ was }) => was, colour: ({ was }) => (was === 'made' ? 'green' : 'dim') }, { text: ({ path }) => path }],
    screen,
    '  ',
  )
  const trust =
    trustBy === undefined ? '' : `To use it without --engine, trust it first:\n  ${printableLine(trustBy)}\n`
  const cluster = engine === undefined ? '' : `Messages are kept in ${printableLine(engine)}\n${trust}`
  const next = outcome === 'created' ? 'Settings and their meaning are in signalbox.yaml.\n' : ''
  return `${title} ${screen.paint('bold', printableLine(root))}\n${files}${cluster}${next}`
})

// The tour was printed while it ran. What remains is where its files are.
export const demoFace = commandFace(
  demo,
  ({ root }, { paint }) => `Remove it when you are done: ${paint('cyan', `rm -r ${printableLine(root)}`)}\n`,
)
