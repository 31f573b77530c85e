/** The keys whose value may be `undefined` become optional ones, which are there or not. */
type WithoutUndefined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> }

/** A copy without the keys whose value is `undefined`: whoever reads it may ask whether a key is there. */
export function withoutUndefined<T extends object>(values: T): WithoutUndefined<T> {
  const copy = { ...values }
  for (const key in copy) if (copy[key] === undefined) delete copy[key]
  return copy as WithoutUndefined<T>
}
