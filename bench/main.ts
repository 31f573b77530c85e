/**
 * `npm run bench`: the engine and the whole library beside bare system calls and C, group commit, cold starts, header
 * reading. Everything is a ratio between two things measured alternately in this run; see docs/performance.md.
 *
 *   --quick      fewer rounds and messages
 *   --json       one JSON document
 *   --dir=PATH   work there, instead of in memory and on the temporary disk
 *   --only=WORD  only the sections whose title contains the word
 *   --peers      other queues too, installed into a cache of their own
 */
import { parseArgs } from 'node:util'
import { Places } from './places.ts'
import { printResult } from './print.ts'
import { isMet, type Result } from './section.ts'
import { sections } from './sections.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    dir: { type: 'string' },
    only: { type: 'string', default: '' },
  },
})

// Every program and server that we start adds a listener that ends it with us.
process.setMaxListeners(100)
const places = new Places(values.dir)
for (const [signal, number] of [
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGTERM', 15],
] as const) {
  process.on(signal, () => process.exit(128 + number))
}

const effort = { rounds: values.quick ? 5 : 15, isQuick: values.quick, withPeers: values.peers }
const runtime = process.versions.bun === undefined ? `Node ${process.versions.node}` : `Bun ${process.versions.bun}`
const results: ({ title: string } & Result)[] = []

const say = (text: string) => {
  if (!values.json) console.log(text)
}

say(
  `${runtime}, ${process.platform}. Ratios within this run; medians over rounds in which the contenders take turns.\n`,
)
for (const section of sections) {
  if (!section.title.toLowerCase().includes(values.only.toLowerCase())) continue
  const result = await section.run(places, effort)
  results.push({ title: section.title, ...result })
  say(printResult(section.title, result))
}

const goals = results.flatMap(({ figures }) => figures.flatMap(({ goal, ratio }) => (goal ? [isMet(goal, ratio)] : [])))
const met = goals.filter(Boolean).length
say(`${runtime}: ${met} goals met, ${goals.length - met} missed.\n`)
if (values.json) {
  const judged = results.map(({ figures, ...rest }) => ({
    ...rest,
    figures: figures.map((figure) => ({
      ...figure,
      ...(figure.goal ? { met: isMet(figure.goal, figure.ratio) } : {}),
    })),
  }))
  console.log(
    JSON.stringify({
      runtime,
      platform: process.platform,
      sections: judged,
      goals: { met, missed: goals.length - met },
    }),
  )
}
