import { describe, expect, it } from 'vitest'
import type { Operation } from '../../operations/define.ts'
import { type Command, type Group, isGroup } from './command.ts'
import { commandOutline, type Outline } from './command-outline.ts'
import { summaries } from './command-summaries.generated.ts'
import { commandTable } from './command-table.generated.ts'
import { globalFlags } from './global-flags.ts'
import { commandHelp, usageLine } from './help.ts'
import { fileFlags } from './long-text.ts'
import { screenOn } from './terminal.ts'

function commandsIn(group: Group, path: readonly string[] = [group.name]): { path: string[]; command: Command }[] {
  return group.members.flatMap((member) =>
    isGroup(member) ? commandsIn(member, [...path, member.name]) : [{ path: [...path, member.name], command: member }],
  )
}

const operationsIn = ({ members }: Outline): Operation[] =>
  members.flatMap((member) => ('members' in member ? operationsIn(member) : [member]))

const screen = screenOn({ isTerminal: false, columns: 80 }, { flag: false, environment: {} })

describe('the command table', () => {
  it('has every operation of the outline, in its order', async () => {
    const loaded = await Promise.all(commandsIn(commandTable).map(({ command }) => command.load()))
    expect(loaded.map(({ operation }) => operation)).toEqual(operationsIn(await commandOutline()))
  })

  for (const { path, command } of commandsIn(commandTable)) {
    describe(path.join(' '), () => {
      it('says what its operation says', async () => {
        const { operation } = await command.load()
        expect({ name: command.name, summary: summaries[path.slice(1).join(' ')] }).toEqual({
          name: operation.name,
          summary: operation.summary,
        })
      })

      it('has help with an example of itself', async () => {
        const { operation } = await command.load()
        const help = commandHelp(path, operation, screen)
        expect(help).toContain(`Usage: ${usageLine(path, operation)}\n`)
        expect(help).toContain(`\n  signalbox ${operation.examples[0].command} `)
        expect(operation.examples[0].command).toMatch(new RegExp(`^${path.slice(1).join(' ')}( |$)`))
        expect(help).toMatch(/\nExit status: 0 /)
      })

      it('takes no flag that means something else everywhere', async () => {
        const { operation } = await command.load()
        const own = Object.keys({ ...operation.input, ...fileFlags(operation.input) })
        expect(own.filter((name) => Object.hasOwn(globalFlags, name))).toEqual([])
      })
    })
  }
})
