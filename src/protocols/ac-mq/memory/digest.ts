import { hash } from 'node:crypto'

/** Names what was compared, shown or written: 32 hexadecimal digits. */
export const digestOf = (text: string | Uint8Array): string => hash('sha256', text, 'hex').slice(0, 32)
