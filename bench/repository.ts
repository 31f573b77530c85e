/** Where the repository is, seen from `build/bench/`, which the benchmark runs from. */
import { fileURLToPath } from 'node:url'

export const inRepository = (...parts: string[]): string =>
  fileURLToPath(new URL(`../../${parts.join('/')}`, import.meta.url))
