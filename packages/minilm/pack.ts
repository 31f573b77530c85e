/** Reads the weights. `pack.mjs` makes them and describes the layout. */

const magic = 'MINILM1\n'
/** A header that is longer is none. */
const longestHeader = 65_536

export interface Pack {
  readonly model: string
  readonly checksum: string
  /** Pieces of words, by their number. */
  readonly vocabulary: readonly string[]
  /** All blocks of numbers, one after the other. */
  readonly numbers: Uint8Array
  /** Where a block lies in `numbers`. */
  offsetOf(block: string): number
}

/** Throws when the bytes are not those of a whole pack. */
export function readPack(bytes: Uint8Array): Pack {
  const head = new TextDecoder().decode(bytes.subarray(0, longestHeader))
  const length = head.indexOf('\n', magic.length) + 1
  if (!head.startsWith(magic) || length === 0) throw new Error('it does not begin as one')
  const { model, checksum, blocks } = JSON.parse(head.slice(magic.length, length)) as Header
  const content = bytes.subarray(length)
  const [start, size] = blocks.vocabulary!
  if (content.length !== start + Math.ceil(size / 16) * 16) throw new Error(`it has ${bytes.length} bytes`)
  if (checksumOf(content) !== checksum) throw new Error('its bytes have changed')
  return {
    model,
    checksum,
    vocabulary: new TextDecoder().decode(content.subarray(start, start + size)).split('\n'),
    numbers: content.subarray(0, start),
    offsetOf: (block) => blocks[block]![0],
  }
}

interface Header {
  readonly model: string
  readonly checksum: string
  readonly blocks: Readonly<Record<string, readonly [offset: number, bytes: number]>>
}

/** FNV-1a over 32-bit numbers. */
function checksumOf(bytes: Uint8Array): string {
  // Numbers of 32 bits can be looked at only where they lie at a multiple of four.
  const { buffer, byteOffset, length } = byteOffsetIsEven(bytes) ? bytes : bytes.slice()
  const numbers = new Int32Array(buffer, byteOffset, length >> 2)
  let hash = 0x811c9dc5
  for (let i = 0; i < numbers.length; i++) hash = Math.imul(hash ^ numbers[i]!, 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

const byteOffsetIsEven = ({ byteOffset }: Uint8Array): boolean => byteOffset % 4 === 0
