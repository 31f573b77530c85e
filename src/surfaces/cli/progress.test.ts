import { expect, it } from 'vitest'
import { heldClock } from '../../kernel/clock.ts'
import { progressBar } from './progress.ts'

function bar(columns = 80) {
  const clock = heldClock()
  let drawn = ''
  const { show, clear } = progressBar(columns, clock, (text) => {
    drawn += text
  })
  return { clock, show, clear, drawn: () => drawn }
}

it('quick work shows nothing', () => {
  const { clock, show, clear, drawn } = bar()
  show('moving', 0, 10)
  clock.advance(200)
  show('moving', 5, 10)
  show('moving', 10, 10)
  clear()
  expect(drawn()).toBe('')
})

it('long work shows how far it is, not too often, and cleans up', () => {
  const { clock, show, clear, drawn } = bar()
  show('moving', 0, 10)
  clock.advance(400)
  show('moving\u001b[2J', 5, 10)
  show('moving', 6, 10)
  expect(drawn()).toBe(`\r\u001b[K${'█'.repeat(12)}${'░'.repeat(12)}  50% moving\\x1b[2J`)
  clear()
  clear()
  expect(drawn().endsWith('moving\\x1b[2J\r\u001b[K')).toBe(true)
})

it('never wraps on a narrow terminal', () => {
  const { clock, show, drawn } = bar(30)
  show('moving a great many things', 0, 3)
  clock.advance(400)
  show('moving a great many things', 1, 3)
  expect(drawn().replace('\r\u001b[K', '').length).toBe(29)
})
