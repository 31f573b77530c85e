import type { Holding } from '../../protocols/ac-mq/index.ts'

/** Whose claim is meant, and which one if the caller says so. */
export const holding = (agent: string, attempt: number | undefined): Holding => ({
  agent,
  ...(attempt === undefined ? {} : { attempt }),
})
