import { expect, it } from 'vitest'
import type { Field } from '../kernel/field.ts'
import { protocols } from './protocols.ts'

it.each(protocols)('$name: who leaves out what must be given is told more than "text"', async (line) => {
  const members = await line.operations()
  for (const { name, input } of members.flatMap((member) => ('members' in member ? member.members : [member]))) {
    for (const [key, field] of Object.entries(input) as [string, Field][]) {
      // Who acts is asked for in its own words.
      if (field.type === 'text' && field.required && !field.isActor)
        expect([name, key, field.expected]).not.toContain(undefined)
    }
  }
})
