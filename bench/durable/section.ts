/** Group commit: many durable sends in flight against a flush of file and folder for every single one. */
import { runChild } from '../child.ts'
import { compare, median } from '../measure.ts'
import type { Place } from '../places.ts'
import { short } from '../print.ts'
import type { Figure, Section } from '../section.ts'
import { inFlight } from './in-flight.ts'

type Samples = Readonly<Record<'full' | 'batch' | 'bareFull' | 'bareBatch' | 'making', readonly number[]>>

/** Microseconds. A disk at rest makes a file in 20 to 40. */
const slowMaking = 80

export const groupCommit: Section = {
  title: `Durable: batch with ${inFlight} in flight against a flush for every message`,

  async run(places, { isQuick }) {
    const place = places.disk
    if (!place) return { figures: [], notes: ['Left out: there is no disk to write to, only memory.'] }
    const many = await measure(place, `${inFlight}`, isQuick)
    const few = await measure(place, undefined, isQuick)
    const making = median([...many.making, ...few.making])
    return {
      figures: [...figuresOf(many, `${inFlight} threads`, true), ...figuresOf(few, 'default pool', false)],
      notes: [
        `On ${place.fileSystem}; ratios of speed. The goal is for a pool of ${inFlight} threads.`,
        ...(making > slowMaking
          ? [`Making a file takes ${short(making)} µs: files were deleted here lately, which flatters nobody.`]
          : []),
      ],
    }
  },
}

async function measure(place: Place, threads: string | undefined, isQuick: boolean): Promise<Samples> {
  const roots = ['full', 'batch', 'bare'].map((name) => place.folder(name))
  const amounts = isQuick ? ['3', '30', '320'] : ['5', '60', '640']
  return JSON.parse(await runChild('durable', [...roots, ...amounts], { UV_THREADPOOL_SIZE: threads }))
}

function figuresOf({ batch, full, bareFull, bareBatch }: Samples, pool: string, hasGoal: boolean): Figure[] {
  const shared = { name: `batch, ${pool}`, ours: batch, unit: 'µs a message', ratio: 'speed' } as const
  return [
    compare({ ...shared, against: '`full`, one by one', theirs: full, ...(hasGoal ? { goal: { atLeast: 5 } } : {}) }),
    compare({ ...shared, against: 'a bare loop, one by one', theirs: bareFull }),
    compare({ ...shared, against: 'a bare loop in batches', theirs: bareBatch }),
  ]
}
