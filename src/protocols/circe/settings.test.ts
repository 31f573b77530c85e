import { expect, it } from 'vitest'
import { defaultsOf } from '../../kernel/field.ts'
import { defaultSettings, section, settingsFrom, speaksFor } from './settings.ts'

const settings = (said: object) => settingsFrom({ ...defaultsOf(section), ...said })

it('what is used when nothing is said', () => {
  expect(defaultSettings).toEqual({
    root: 'AI_MANAGER',
    roles: new Map(),
    offers: new Map(),
    furtherIntents: [],
    needTests: new Set(['implement_feature', 'fix_bug', 'refactor']),
    stallMs: 30 * 60 * 1000,
    largestMessage: 16 * 1024 * 1024,
    settleMs: 1000,
    turnMs: 5000,
  })
})

it('[CI-5] roles are told without case, several for one agent', () => {
  const { roles } = settings({ roles: ['Tester=QA', 'tester=lead', 'eagle=auditor'] })
  expect(roles).toEqual(
    new Map([
      ['tester', new Set(['qa', 'lead'])],
      ['eagle', new Set(['auditor'])],
    ]),
  )
  expect(['TESTER', 'eagle', 'qa'].map((agent) => speaksFor({ roles }, 'qa', agent))).toEqual([true, false, false])
  // Where nobody is QA, anybody may say how tests went.
  expect(speaksFor(settings({ roles: ['eagle=auditor'] }), 'qa', 'qa')).toBe(true)
})

it('[CI-2] further intents, those that need tests, a root and a stall time', () => {
  const said = { root: 'work/circe', intents: ['deploy'], needTests: ['deploy'], stallAfter: 5000 }
  expect(settings(said)).toMatchObject({
    root: 'work/circe',
    furtherIntents: ['deploy'],
    needTests: new Set(['deploy']),
    stallMs: 5000,
  })
  expect(settings({ needTests: ['none'] }).needTests).toEqual(new Set())
  expect(() => settings({ needTests: ['fix_bugs'] })).toThrow('circe.needTests: ')
  expect(() => settings({ root: '../outside' })).toThrow()
})
