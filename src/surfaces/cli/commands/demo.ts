import { printableLine } from '../../../kernel/printable.ts'
import { demo } from '../../../operations/demo/demo.ts'
import { commandFace } from '../command.ts'

// The tour was printed while it ran. What remains is where its files are.
export const demoFace = commandFace(
  demo,
  ({ root }, { paint }) => `Remove it when you are done: ${paint('cyan', `rm -r ${printableLine(root)}`)}\n`,
)
