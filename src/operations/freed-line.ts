/** What was freed, for people. */
import type { Freed } from '../bridge/free-the-dead.ts'

export const freedLine = ({ agent, why, what }: Freed): string => `${what} of ${agent}: ${why}`
