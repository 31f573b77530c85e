/**
 * Something odd wherever CIRCE expects a file or folder, under `AI_MANAGER/` and under `.signalbox/`, and everything that can be
 * asked for there: every error is one for people, nothing outside the root changes, other messages keep flowing, `doctor` tells
 * of it; and once it is gone, every message is there once and every task in step.
 */
import { expect } from 'vitest'
import { withCirce } from '../support/circe.ts'
import { brokenIn, filesIn } from '../support/circe-checker.ts'
import { everything, flows, namesIn, prepare } from './circe-life.ts'
import { describeOdd } from './describe-odd.ts'

const [state, cache] = ['.signalbox/state/delivery/circe', '.signalbox/cache/circe']
/** Where the bystander's messages lie, and what they need: odd there, nothing flows. */
const needed = /^AI_MANAGER(\/(NEW_MESSAGES|AGENTS|LOGS|LOGS\/events\.log))?$|delivery\/circe(\/(unfinished|handed))?$/

const folders = [
  'AI_MANAGER/NEW_MESSAGES',
  'AI_MANAGER/AGENTS',
  'AI_MANAGER/AGENTS/engineer',
  'AI_MANAGER/AGENTS/engineer/INBOX',
  'AI_MANAGER/AGENTS/engineer/WORKSPACE',
  'AI_MANAGER/TASKS',
  'AI_MANAGER/LOGS',
  'AI_MANAGER/LOGS/rejected',
  'AI_MANAGER/LOGS/workspaces',
  state,
  `${state}/unfinished`,
  `${state}/copies`,
  `${state}/handed`,
  `${state}/handed/engineer`,
  '.signalbox/state/presence/circe',
  cache,
  `${cache}/tasks`,
  `${cache}/questions`,
  `${cache}/lying`,
]
const files = [
  'AI_MANAGER/LOGS/events.log',
  'AI_MANAGER/TASKS/FEAT-1.status',
  'AI_MANAGER/TASKS/FEAT-1.owner',
  'AI_MANAGER/TASKS/FEAT-1.checks',
  'AI_MANAGER/NEW_MESSAGES/20260301_100001_coordinator-engineer_inform.md',
  'AI_MANAGER/AGENTS/engineer/INBOX/20260301_100002_qa-engineer_inform.md',
  'AI_MANAGER/LOGS/20260301_100002_qa-engineer_inform.md',
  `${state}/unfinished/task.FEAT-1.json`,
  `${state}/handed/engineer/20260301_100002_qa-engineer_inform.md`,
  `${cache}/tasks/FEAT-1`,
  `${cache}/lying/new.json`,
  `${cache}/book`,
  `${cache}/logged`,
]

describeOdd('CIRCE', {
  folders,
  files,
  prepare,
  look: namesIn,

  meanwhile: ({ root, path, place }, names) =>
    withCirce(root, async (circe) => {
      const told = await circe.inspect()
      expect(
        told.map((one) => one.path),
        `doctor at ${place}`,
      ).toContainEqual(expect.stringContaining(path))
      if (!needed.test(path)) await flows(circe)
      await everything(circe, names, place)
      if (!needed.test(path)) await flows(circe)
    }),

  async afterwards({ root, path, place }, picture) {
    await withCirce(root, async (circe) => {
      await circe.overview.tasks()
      await circe.inspect({ repair: true })
      await flows(circe)
    })
    const sent = picture.files.flatMap((file) => /(?:NEW_MESSAGES|INBOX|LOGS)\/([^/]+\.md)$/.exec(file.path)?.[1] ?? [])
    // What was hidden with its folder, or was in the way under its own name, is there twice when it comes back.
    const isHidden = /\.md$|AGENTS/.test(path)
    const broken = brokenIn(filesIn(root), { sent: isHidden ? [] : sent, isAtRest: true })
    expect(
      broken.filter((one) => !isHidden || !/ is in | log|has it|still|owns it/.test(one)),
      `afterwards, at ${place}`,
    ).toEqual([])
  },
})
