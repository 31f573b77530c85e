/** What is measured of Message Routing, and the four limits of its specification. */
export const agents = 20

/** Milliseconds at the 99th percentile. Spec: Message Routing, "Latency Requirements". */
export const limits = { write: 50, read: 100, scan: 200, validation: 10 } as const

export type Step = keyof typeof limits
export const stepNames = Object.keys(limits) as Step[]

/** What a step cost all agents together. */
export interface Cost {
  /** Milliseconds on the clock, of every single time. */
  readonly wall: number[]
  /** Milliseconds of processor time in all. What else the machine does hardly changes it. */
  cpu: number
}

/** For each step: ours, and the bare calls right after it. */
export type Samples = Readonly<Record<Step, { readonly ours: Cost; readonly bare: Cost }>>

const noCost = () => ({ ours: { wall: [], cpu: 0 }, bare: { wall: [], cpu: 0 } })

export const emptySamples = (): Samples => ({
  write: noCost(),
  read: noCost(),
  scan: noCost(),
  validation: noCost(),
})

export function addSamples(sum: Samples, more: Samples): void {
  for (const step of stepNames) {
    for (const side of ['ours', 'bare'] as const) {
      sum[step][side].wall.push(...more[step][side].wall)
      sum[step][side].cpu += more[step][side].cpu
    }
  }
}

export const nameOfAgent = (n: number): string => `agent-${n}`

/** The inbox that everybody scans and nobody empties. */
export const fullInbox = { agent: 'full', messages: 100 } as const

/** A message of about 1 KB, as most of them are. */
export const payload = {
  task: 'Review the login',
  context: { files: ['src/login.ts'], dependencies: [] },
  metadata: { delegation_reason: 'because it is short and to the point. '.repeat(18) },
}

/** The smallest value that is not exceeded by at least this share of the values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export const p99 = (values: readonly number[]): number => percentile(values, 0.99)

/** How many times its processor time the bare work takes on the clock. The machine's other work slows ours down as much. */
export function slowdownOf(samples: Samples): number {
  const bare = stepNames.map((step) => samples[step].bare)
  const wall = bare.flatMap((cost) => cost.wall).reduce((sum, one) => sum + one, 0)
  return Math.max(1, wall / bare.reduce((sum, { cpu }) => sum + cpu, 0))
}
