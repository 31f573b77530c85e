/** A workspace in which all five protocols are used, and what lies in one. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { quickCli } from '../scenarios/cli-program.ts'

const commands = [
  'acmq create-mission alpha',
  'acmq send alpha --from ann --to bob --body One',
  'acmq send alpha --from ann --to bob --body Two',
  'acmq claim alpha --as bob',
  'mr send --from ann --to bob --type heartbeat --payload {"health":"healthy"}',
  'mr receive bob',
  'circe init eng qa',
  'circe send --from lead --to eng --intent implement_feature --task T-1 --summary Build',
  'circe claim eng',
  'dream mailbox init 2',
  'dream mailbox claim --agent Worker --as Worker',
  'dream mailbox send --mailbox 1 --command run --params {} --from Lead',
  'dream mailbox next --mailbox 1 --as Worker',
  'dream governance add DECISION_MADE --agent Lead --details {"what":"ship"}',
  'dream reflect Worker --body Well',
  'dream report weekly --body Fine --in analysis',
  'dream prompt stage review.j2 --vars {"file":"core.py"}',
  'dream plan --to Planner --goal Ship --as Lead',
  'session say --as DevAgent #STATE:save:build:green:persistent',
  'session say --as DevAgent #CONTEXT:export:./context/final.ctx',
]

export function makeFiveProtocols(root: string): void {
  for (const folder of ['templates', 'src', 'context']) mkdirSync(join(root, folder))
  writeFileSync(join(root, 'templates/review.j2'), 'Review {{ file }}')
  // Around it a repository, which is none of our business.
  writeFileSync(join(root, 'src/code.ts'), 'code')
  writeFileSync(join(root, 'context/notes.txt'), 'mine')
  writeFileSync(join(root, '.signalbox-note'), 'mine')
  for (const command of commands) {
    const { exit, err } = quickCli(command.split(' '), { cwd: root })
    if (exit !== 0) throw new Error(`${command}: ${exit} ${err}`)
  }
}

/** Every file that is worth carrying, with its bytes and time; caches and what an engine needs for itself are not. */
export function leavesOf(root: string, folder = ''): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(join(root, folder)).sort()) {
    const path = folder === '' ? name : `${folder}/${name}`
    if (/^\.signalbox\/(?:engine|cache|\.gitignore)$/.test(path)) continue
    const { mtimeMs } = statSync(join(root, path))
    if (statSync(join(root, path)).isDirectory()) Object.assign(found, leavesOf(root, path))
    else found[path] = `${Math.floor(mtimeMs)} ${readFileSync(join(root, path), 'latin1')}`
  }
  return found
}
