import type { Finding } from './tree.ts'

/** Something that was found out of order. */
export const finding = (
  severity: Finding['severity'],
  code: string,
  path: string,
  message: string,
  hint: string,
  repaired = false,
): Finding => ({ code, severity, path, message, hint, repaired })
