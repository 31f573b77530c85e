/**
 * Reads plain data (parsed JSON) that a stranger may have written: one reader for each kind of value, and objects made of them.
 * A reader throws for what it does not read; `readJson` answers `undefined` then. Pure.
 */
export type Reader<T> = (value: unknown) => T

type Read<R> = R extends Reader<infer T> ? T : never
type Shape = Readonly<Record<string, Reader<unknown>>>

/** The object that a table of readers reads. A field that may be `undefined` may be left out. */
export type Shaped<S extends Shape> = {
  readonly [K in keyof S as undefined extends Read<S[K]> ? never : K]: Read<S[K]>
} & {
  readonly [K in keyof S as undefined extends Read<S[K]> ? K : never]?: Read<S[K]>
}

export const unfit = (): never => {
  throw new TypeError('not what was expected')
}

export const text: Reader<string> = (value) => (typeof value === 'string' ? value : unfit())
export const number: Reader<number> = (value) => (Number.isFinite(value) ? (value as number) : unfit())
/** A time in milliseconds that `Date` can hold. */
export const time: Reader<number> = (value) => (Math.abs(number(value)) <= 8.64e15 ? (value as number) : unfit())
export const flag: Reader<boolean> = (value) => value === true

export const oneOf =
  <const T extends string>(all: readonly T[]): Reader<T> =>
  (value) =>
    all.find((one) => one === value) ?? unfit()

export const matching =
  <T extends string>(isMeant: (text: string) => text is T): Reader<T> =>
  (value) => {
    const read = text(value)
    return isMeant(read) ? read : unfit()
  }

export const maybe =
  <T>(read: Reader<T>): Reader<T | undefined> =>
  (value) =>
    value === undefined || value === null ? undefined : read(value)

export const list =
  <T>(read: Reader<T>): Reader<readonly T[]> =>
  (value) =>
    Array.isArray(value) ? value.map(read) : unfit()

/** An object with any keys. */
export const record =
  <T>(read: Reader<T>): Reader<Readonly<Record<string, T>>> =>
  (value) =>
    typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, read(one)]))
      : unfit()

export function object<S extends Shape>(shape: S): Reader<Shaped<S>> {
  const readers = Object.entries(shape)
  return (value) => {
    if (typeof value !== 'object' || value === null) return unfit()
    const fields = value as Readonly<Record<string, unknown>>
    const read: Record<string, unknown> = {}
    for (const [key, reader] of readers) read[key] = reader(fields[key])
    return read as Shaped<S>
  }
}

/** `undefined` for what is not JSON, or not what the reader reads. */
export function readJson<T>(read: Reader<T>, json: string | Uint8Array): T | undefined {
  try {
    return read(JSON.parse(typeof json === 'string' ? json : Buffer.from(json).toString('utf8')))
  } catch {
    return undefined // A SyntaxError, a TypeError of `unfit`, or a RangeError for what is nested too deeply.
  }
}
