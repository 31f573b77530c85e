import { inputs } from '../../kernel/call.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { flag, list, text } from '../../kernel/field.ts'
import { defineOperation } from '../define.ts'
import { mission, openMission } from './mission.ts'
import { moves } from './shapes.ts'

const organized = { mission: 'text', moves, stay: [{ path: 'text', reason: 'text' }] } as const

export const organize = defineOperation({
  name: 'organize',
  summary: 'Bring files of `context/` that belong together into folders of their own, each with a README.',
  more:
    'What an unfinished message depends on, what the manifest names and what is pinned stays where it is, and so do folders made ' +
    'by hand. Whatever named a file that moved still finds it. Supervision does this by itself above `acmq.organizeFrom` loose files.',
  input: {
    mission,
    dryRun: flag('Only say what would move.'),
    undo: flag('Put back what the last time moved.'),
    pin: list('Keep this file where it is, from now on.', text('A file of context/.'), { placeholder: 'PATH' }),
  },
  lists: { moves: 'first', stay: 'first' },
  outcomes: { organized: 'done', planned: 'done', unchanged: 'done', undone: 'done' },
  output: { organized, planned: organized, unchanged: organized, undone: organized },
  effects: 'writes',
  examples: [
    { command: 'acmq organize alpha --dry-run', does: 'see what would move' },
    { command: 'acmq organize alpha', does: 'move it' },
    { command: 'acmq organize alpha --undo', does: 'put it back' },
    { command: 'acmq organize alpha --pin context/architecture.md', does: 'keep a file, and move the rest' },
  ],

  async run(context, { mission, dryRun, undo, pin }) {
    if (undo && (dryRun || pin.length > 0)) {
      throw invalidInput('CONTRADICTION', 'Undoing moves everything back; there is nothing to preview or to pin.', {
        hint: `Give ${inputs({ undo })} alone.`,
      })
    }
    const opened = await openMission(context, mission)
    const memory = await opened.memory()
    if (pin.length > 0) await memory.pin(pin)
    const done = undo ? await memory.undoOrganize() : await memory.organize({ dryRun })
    return { ...done, mission: opened.address }
  },
})
