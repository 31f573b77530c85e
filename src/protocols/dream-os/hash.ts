/** A name for anything, whatever that is called: 24 hexadecimal digits. */
export const hashOf = (...about: readonly string[]): string =>
  process.getBuiltinModule('node:crypto').hash('sha256', JSON.stringify(about), 'hex').slice(0, 24)
