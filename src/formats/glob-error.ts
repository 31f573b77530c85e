import { invalidInput } from '../kernel/errors.ts'

export const badGlob = (pattern: string, reason: string) =>
  invalidInput('BAD_GLOB', `Not a pattern for files: ${JSON.stringify(pattern.slice(0, 120))}: ${reason}.`, {
    hint: 'Use a relative pattern such as context/**/*.md.',
    details: { pattern: pattern.slice(0, 120), reason },
  })
