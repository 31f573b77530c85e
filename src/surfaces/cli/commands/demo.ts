import { printableLine } from '../../../kernel/printable.ts'
import { demo } from '../../../operations/demo/demo.ts'
import { commandFace } from '../command.ts'

// The tour was told while it ran; what remains to say is where to look.
export const demoFace = commandFace(
  demo,
  ({ root }, { paint }) => `Remove it when you are done: ${paint('cyan', `rm -r ${printableLine(root)}`)}\n`,
)
