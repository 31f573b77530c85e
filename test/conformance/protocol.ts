/**
 * What every protocol keeps to, whatever its messages look like. A protocol describes itself by a few functions over its
 * pure parts; the suite never touches a disk.
 */
import { describe, expect, it } from 'vitest'
import type { Headline } from '../../src/kernel/envelope.ts'
import { isSegment } from '../../src/kernel/tree-path.ts'
import type { Protocol } from '../../src/protocols/contract.ts'

export interface Described<Parsed> {
  readonly protocol: Pick<Protocol, 'name' | 'title' | 'summary'>
  /** Files as they may be found, the specification's examples among them, each with the name it lies under. */
  readonly samples: readonly { readonly fileName: string; readonly bytes: Uint8Array }[]
  /** A sample with a field that no specification knows, and the text by which the field is recognised. */
  readonly unknownField: { readonly fileName: string; readonly bytes: Uint8Array; readonly text: string }
  /** Throws, or answers `undefined`, for what is no message. */
  parse(bytes: Uint8Array, fileName: string): Parsed | undefined
  print(parsed: Parsed): string | Uint8Array
  /** What was read, in the protocol's own fields. */
  recordOf(parsed: Parsed): unknown
  /** The neutral view. */
  lift(parsed: Parsed, path: string): Headline
  /** How messages are filed. Of a protocol with several codecs, one may have no files of its own: then the reason. */
  readonly names: Naming<Parsed> | { readonly none: string }
  /** The folder of an agent or a mission; throws for a name that could lead outside. */
  folderOf(name: string): string
}

export interface Naming<Parsed> {
  /** The name that a message is filed under. */
  nameOf(parsed: Parsed): string
  /** What the name says of the message; equal to the same part of the envelope. */
  readName(name: string): Partial<Headline> | undefined
}

/** Texts that try to be more than a name. */
const hostileNames = [
  '',
  '.',
  '..',
  '../x',
  'a/../../b',
  '/etc',
  '\\x',
  'a\0b',
  'a\nb',
  '\u202ex',
  ' ',
  'x'.repeat(300),
  '.hidden',
]

export function describeProtocol<Parsed>(described: Described<Parsed>, codec = ''): void {
  const { protocol, samples, unknownField, parse, print, recordOf, lift, names, folderOf } = described
  const bytesOf = (text: string | Uint8Array) => (typeof text === 'string' ? Buffer.from(text) : text)
  const parsed = (bytes: Uint8Array, fileName: string): Parsed => {
    const found = parse(bytes, fileName)
    if (found === undefined) throw new Error(`${fileName} is not read`)
    return found
  }

  describe(`protocol ${protocol.title}${codec === '' ? '' : `, ${codec}`}`, () => {
    it('says what it is', () => {
      expect(protocol.name).toMatch(/^[a-z]+$/)
      expect(protocol.summary).toContain(protocol.title)
    })

    it.each(samples.map(({ fileName, bytes }) => [fileName, bytes] as const))(
      '%s: printed and read is the same',
      (fileName, bytes) => {
        const first = parsed(bytes, fileName)
        const printed = print(first)
        const second = parsed(bytesOf(printed), fileName)
        expect(recordOf(second)).toEqual(recordOf(first))
        expect(Buffer.from(bytesOf(print(second))).equals(bytesOf(printed))).toBe(true)
      },
    )

    it.each(samples.map(({ fileName, bytes }) => [fileName, bytes] as const))(
      '%s: lifted, it keeps to the envelope',
      (fileName, bytes) => {
        const envelope = lift(parsed(bytes, fileName), 'a/b.c')
        expect(envelope).toMatchObject({ protocol: protocol.name, path: 'a/b.c' })
        for (const field of ['id', 'from', 'to', 'state', 'summary', 'createdAt'] as const) {
          expect(typeof envelope[field], field).toBe('string')
        }
        expect(Number.isNaN(Date.parse(envelope.createdAt))).toBe(false)
      },
    )

    if ('none' in names) it(`has no names of files: ${names.none}`, () => expect(names.none).toMatch(/\w/))
    else {
      it.each(samples.map(({ fileName, bytes }) => [fileName, bytes] as const))(
        '%s: filed under a name that says the same',
        (fileName, bytes) => {
          const message = parsed(bytes, fileName)
          const name = names.nameOf(message)
          expect(isSegment(name)).toBe(true)
          expect(lift(message, 'x')).toMatchObject(names.readName(name)!)
        },
      )
    }

    it('keeps fields that it does not know', () => {
      const { bytes, fileName, text } = unknownField
      expect(Buffer.from(bytes).toString()).toContain(text)
      expect(Buffer.from(bytesOf(print(parsed(bytes, fileName)))).toString()).toContain(text)
    })

    it.each(hostileNames)('no folder is called %j', (name) => {
      expect(() => folderOf(name)).toThrow(expect.objectContaining({ kind: 'InvalidInput' }))
    })

    it('cut short anywhere, a file is refused in its own words or read, and nothing worse', () => {
      const { bytes, fileName } = samples[0]!
      for (let length = 0; length < bytes.length; length += 7) {
        try {
          parse(bytes.subarray(0, length), fileName)
        } catch (error) {
          expect(error).toMatchObject({ kind: 'Corrupt', code: expect.stringMatching(/^[A-Z_]+$/) })
        }
      }
    })
  })
}
