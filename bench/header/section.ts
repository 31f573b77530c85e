/** Reading an ordinary AC-MQ header against the `yaml` package. */
import { parse } from 'yaml'
import { readFrontMatter } from '../../src/formats/front-matter.ts'
import { compare, interleave } from '../measure.ts'
import type { Section } from '../section.ts'
import { microsecondsEach } from '../steps/contender.ts'
import { message } from '../steps/message.ts'

/** Different messages, so that no compiler can specialise on one. Ours gets whole messages, `yaml` only the headers. */
const texts = Array.from({ length: 64 }, (_, i) => {
  const id = (0xa1b2c3d4 + i * 7919).toString(16)
  return message
    .toString('utf8')
    .replaceAll('a1b2c3d4', id)
    .replace('priority: 1', `priority: ${1 + (i % 5)}`)
})
const headers = texts.map((text) => text.slice(4, text.indexOf('\n---\n') + 1))

export const headerReading: Section = {
  title: 'Header: reading front matter against the yaml package',

  async run(_places, { rounds, isQuick }) {
    const [many, few] = isQuick ? [6_400, 128] : [19_200, 384]
    const samples = await interleave(rounds, {
      ours: () => time(many, (i) => readFrontMatter(texts[i % 64]!)?.fields.size),
      theirs: () => time(few, (i) => Object.keys(parse(headers[i % 64]!)).length),
    })
    const goal = { atLeast: 30 }
    return {
      figures: [compare({ name: 'read', against: 'yaml', ...samples, unit: 'µs a header', ratio: 'speed', goal })],
      notes: ['An AC-MQ header of ten fields, one of them a list; ratio of speed.'],
    }
  },
}

function time(count: number, read: (i: number) => number | undefined): number {
  const since = performance.now()
  for (let i = 0; i < count; i++) if (read(i) !== 10) throw new Error('a field is missing')
  return microsecondsEach(since, count)
}
