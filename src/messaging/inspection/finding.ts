import type { Finding } from '../../tree/tree.ts'

/** Something out of order that was found and not repaired. */
export const finding = (
  severity: Finding['severity'],
  code: string,
  path: string,
  message: string,
  hint: string,
): Finding => ({ code, severity, path, message, hint, repaired: false })
