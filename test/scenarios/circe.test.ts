/** The six steps of the CIRCE specification, twice: with Signalbox throughout, and with agents that have only a shell. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { runtime } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { type CliOptions, cliJson, plainEnvironment, quickCli } from './cli-program.ts'

const task = 'AUTH-012'

/** Every file below the folder of CIRCE, without what differs from one run to the next: times in names and texts. */
function treeOf(root: string): Record<string, string> {
  const files: Record<string, string> = {}
  const walk = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (entry.name !== 'events.log') files[untimed(path)] = untimed(readFileSync(join(root, path), 'utf8'))
    }
  }
  walk('AI_MANAGER')
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))
}

const untimed = (text: string): string =>
  text.replace(/\d{8}_\d{6}/g, 'DATE_TIME').replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')

function bench() {
  const root = tempDir()
  const options: CliOptions = { cwd: root }
  const circe = (...words: string[]) => {
    const { exit, output } = cliJson(['circe', ...words], options, quickCli)
    return { exit, ...output }
  }
  const shell = (script: string) =>
    execFileSync('sh', ['-euc', script], { cwd: join(root, 'AI_MANAGER'), env: plainEnvironment(), encoding: 'utf8' })
  return { root, circe, shell }
}

/** Steps 1 and 6 are the coordinator's, who has Signalbox in both runs. */
function request({ circe }: ReturnType<typeof bench>) {
  expect(circe('init', 'coordinator', 'engineer', 'qa').exit).toBe(0)
  const sent = circe(
    'send',
    '--from',
    'coordinator',
    '--to',
    'all',
    '--intent',
    'implement_feature',
    '--task',
    task,
    '--summary',
    'Add JWT',
  )
  expect(sent.message.path).toMatch(
    /^AI_MANAGER\/NEW_MESSAGES\/\d{8}_\d{6}_coordinator-all_implement-feature_AUTH-012\.md$/,
  )
}

function integrate({ circe }: ReturnType<typeof bench>) {
  const [standing] = circe('tasks', task).tasks
  expect(standing).toMatchObject({ status: 'in_progress', owner: 'engineer', checks: { tests_passed: true } })
  const completed = circe('status', task, 'completed', '--as', 'coordinator')
  expect({ exit: completed.exit, status: completed.task.status }).toEqual({ exit: 0, status: 'completed' })
}

function playWithSignalbox() {
  const play = bench()
  const { circe } = play
  request(play)
  const { message } = circe('claim', 'engineer')
  expect(message).toMatchObject({ task, intent: 'implement_feature', state: 'inbox' })
  expect(circe('start', 'engineer', message.file).message.state).toBe('workspace')
  circe(
    'send',
    '--from',
    'engineer',
    '--to',
    'coordinator',
    '--intent',
    'status_update',
    '--task',
    task,
    '--status',
    'in_progress',
    '--summary',
    'Half done',
  )
  circe('send', '--from', 'engineer', '--to', 'qa', '--intent', 'test', '--task', task, '--summary', 'Please test')
  const testing = circe('claim', 'qa').message
  expect(testing.intent).toBe('test')
  circe('done', 'qa', testing.file)
  circe(
    'send',
    '--from',
    'qa',
    '--to',
    'engineer',
    '--intent',
    'test_results',
    '--task',
    task,
    '--status',
    'completed',
    '--summary',
    'All green',
  )
  integrate(play)
  return play
}

/** A message as a shell writes it: under a name that nobody looks at, then under its own. */
const writes = (from: string, to: string, intent: string, status: string, summary: string) => `
printf '# MESSAGE\\nfrom: ${from}\\nto: ${to}\\nintent: ${intent}\\ntask_id: ${task}\\nstatus: ${status}\\ncreated_at: %s\\n\\n## Summary\\n${summary}\\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" > NEW_MESSAGES/.draft
mv NEW_MESSAGES/.draft "NEW_MESSAGES/$(date -u +%Y%m%d_%H%M%S)_${from}-${to}_${intent.replaceAll('_', '-')}_${task}.md"`

function playWithShell() {
  const play = bench()
  request(play)
  play.shell(`mv NEW_MESSAGES/*_implement-feature_${task}.md AGENTS/engineer/INBOX/
cat AGENTS/engineer/INBOX/*.md > /dev/null
mv AGENTS/engineer/INBOX/*.md AGENTS/engineer/WORKSPACE/
${writes('engineer', 'coordinator', 'status_update', 'in_progress', 'Half done')}
${writes('engineer', 'qa', 'test', 'new', 'Please test')}`)
  play.shell(`mv NEW_MESSAGES/*_engineer-qa_test_${task}.md AGENTS/qa/INBOX/
cat AGENTS/qa/INBOX/*.md > /dev/null
mv AGENTS/qa/INBOX/*.md LOGS/
${writes('qa', 'engineer', 'test_results', 'completed', 'All green')}`)
  integrate(play)
  return play
}

describe(`the six steps, on ${runtime}`, () => {
  const expected = {
    [`AI_MANAGER/LOGS/DATE_TIME_coordinator-all_implement-feature_${task}.md`]: expect.stringContaining('Add JWT'),
    [`AI_MANAGER/LOGS/DATE_TIME_engineer-coordinator_status-update_${task}.md`]: expect.stringContaining('Half done'),
    [`AI_MANAGER/LOGS/DATE_TIME_engineer-qa_test_${task}.md`]: expect.stringContaining('Please test'),
    [`AI_MANAGER/LOGS/DATE_TIME_qa-engineer_test-results_${task}.md`]: expect.stringContaining('All green'),
    [`AI_MANAGER/TASKS/${task}.checks`]:
      'tests_passed: true\ncoverage_threshold_met: false\npeer_reviewed: false\nready_for_merge: false\n',
    [`AI_MANAGER/TASKS/${task}.owner`]: 'owner: engineer\nclaimed_at: TIME\n',
    [`AI_MANAGER/TASKS/${task}.status`]: `task_id: ${task}\nstatus: completed\nowner: engineer\nstarted_at: TIME\nupdated_at: TIME\n`,
  }

  verifies('CI-7', 'run from end to end, and leave everything in LOGS/ and TASKS/', () => {
    expect({ ...treeOf(playWithSignalbox().root) }).toEqual(expected)
  })

  verifies(['CI-9', 'X-shell', 'CI-5c'], 'work for agents with nothing but a shell, and leave the same tree', () => {
    const [ours, theirs] = [treeOf(playWithSignalbox().root), treeOf(playWithShell().root)]
    expect(theirs).toEqual(ours)
  })

  verifies('CI-8', 'are told in order by the log, the same with every cache deleted', () => {
    const { root, circe } = playWithSignalbox()
    const told = circe('log', '--task', task)
    const events = (story: typeof told) =>
      story.entries.map(({ event, agent }: { event: string; agent: string }) => `${event} ${agent}`)
    expect(events(told)).toEqual([
      'message coordinator',
      'claimed engineer',
      'acknowledged engineer',
      'started engineer',
      'message engineer',
      'message engineer',
      'claimed qa',
      'acknowledged qa',
      'handled qa',
      'message qa',
      'completed coordinator',
    ])
    execFileSync('rm', ['-r', join(root, '.signalbox/cache')])
    expect(circe('log', '--task', task)).toEqual(told)
    expect(circe('tasks', task).tasks[0].status).toBe('completed')
  })
})
