/**
 * `npm run soak`: the tests whose proof grows with their length, five times as long, on Node and on Bun. Eight processes
 * drain 20,000 messages while fifty of them are killed, races go on for a quarter of a million moves, the model of AC-MQ plays
 * a few thousand runs, one process is paused before every step of every story while another goes on, 100,000 made-up
 * notes, locks, leases and caches do no harm, every command meets every kind of odd entry at every place, 2,000 made-up
 * templates render as Jinja2 renders them, and 100,000 made-up sentences destroy nothing that they do not ask for.
 * Checkpoints and rollbacks are killed at every step, and while every git runs.
 *
 *   npm run soak                  all of them
 *   npm run soak -- acmq-drain    those whose path contains the word
 *   npm run soak -- --scale=20    twenty times as long instead
 *   npm run soak -- --on=node     on one runtime only
 */
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { inRoot, isMain, root, run } from './setup.mjs'

const long = [
  'test/races/',
  'test/properties/acmq-model',
  'test/properties/acmq-memory',
  'test/properties/notes',
  'test/properties/dream-os',
  'packages/jinja2/test/by-chance',
  'test/properties/session-language',
  'test/properties/session-model',
  'test/crash/dream',
  'test/crash/checkpoints',
  'test/crash/session',
  'test/crash/memory',
  'test/memory/report',
  'test/held/',
  'test/odd/',
]

function main() {
  const { values, positionals } = parseArgs({
    options: { scale: { type: 'string', default: '5' }, on: { type: 'string' } },
    allowPositionals: true,
  })
  const words = positionals.length > 0 ? positionals : long
  const on = values.on === undefined ? [] : [`--on=${values.on}`]
  const env = { ...process.env, SIGNALBOX_TEST_SCALE: values.scale, JINJA2_CASES: `${400 * Number(values.scale)}` }
  const { status } = spawnSync(process.execPath, [inRoot('scripts/test.mjs'), ...on, ...words], {
    cwd: root,
    env,
    stdio: 'inherit',
  })
  return status ?? 1
}

if (isMain(import.meta.url)) await run(main)
