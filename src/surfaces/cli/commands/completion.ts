import { choice } from '../../../kernel/field.ts'
import { defineOperation } from '../../../operations/define.ts'
import { commandFace } from '../command.ts'
import { bashScript } from '../completion/bash.ts'
import { describeCommands } from '../completion/describe.ts'
import { fishScript } from '../completion/fish.ts'
import { zshScript } from '../completion/zsh.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** Speaks about the command line only, so it lives here and not among the operations. */
export const completion = defineOperation({
  name: 'completion',
  summary: 'Print the completion script for a shell.',
  more: 'Let your shell read it when it starts; the examples show how.',
  input: { shell: choice('The shell.', ['bash', 'zsh', 'fish'], { positional: true, required: true }) },
  outcomes: { printed: 'done' },
  output: { printed: { shell: 'text', script: 'text' } },
  effects: 'reads',
  examples: [
    { command: 'completion bash >> ~/.bashrc', does: 'for bash' },
    { command: 'completion zsh > ~/.zfunc/_signalbox', does: 'for zsh, where ~/.zfunc is in fpath' },
    { command: 'completion fish > ~/.config/fish/completions/signalbox.fish', does: 'for fish' },
  ],

  async run(_context, { shell }) {
    // Imported here: the table names this very command.
    const { commandTable } = await import('../command-table.generated.ts')
    const { summaries } = await import('../command-summaries.generated.ts')
    return {
      outcome: 'printed',
      shell,
      script: scripts[shell](await describeCommands(commandTable, summaries)),
    } as const
  },
})

export const completionFace = commandFace(completion, ({ script }) => script)
