import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { watchDirectory } from './watch.ts'

/** A watch whose events the test gives: which of them come in one turn of the loop is otherwise up to the system. */
async function start() {
  const { watch } = fs
  let event: (event: string, name: string | null) => void = () => {}
  fs.watch = ((_path: string, onEvent: typeof event) => {
    event = onEvent
    return Object.assign(new EventEmitter(), { close: () => {} })
  }) as unknown as typeof fs.watch
  const hints: (string | undefined)[] = []
  const watching = watchDirectory(
    import.meta.dirname,
    (name) => hints.push(name),
    () => {},
  )
  fs.watch = watch
  onTestFinished(() => watching.close())
  await turn()
  expect(hints.splice(0)).toEqual([undefined])
  return { hints, came: (name: string | null) => event('rename', name) }
}

it.each([
  { what: 'one file', events: ['one'], hint: 'one' },
  { what: 'one file, twice', events: ['one', 'one'], hint: 'one' },
  { what: 'two files', events: ['one', 'two'], hint: undefined },
  { what: 'two files and the first again', events: ['one', 'two', 'one'], hint: undefined },
  { what: 'something without a name', events: ['one', null], hint: undefined },
])('gives one hint for one turn of the loop: $what', async ({ events, hint }) => {
  const { hints, came } = await start()
  for (const name of events) came(name)
  await turn()
  expect(hints).toEqual([hint])
})

it('gives a hint for every turn, each with what came in it', async () => {
  const { hints, came } = await start()
  came('one')
  await turn()
  came('two')
  await turn()
  expect(hints).toEqual(['one', 'two'])
})
