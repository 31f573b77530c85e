/** Arithmetic on vectors of numbers. */

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** Scales a vector to length 1, in place; one without length stays as it is. */
export function toUnit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  if (length > 0) for (let i = 0; i < vector.length; i++) vector[i] = vector[i]! / length
  return vector
}

/** The same direction: 1; nothing in common, or no direction at all: 0. */
export const cosine = (a: Float32Array, b: Float32Array): number => {
  const lengths = Math.sqrt(dot(a, a) * dot(b, b))
  return lengths > 0 ? dot(a, b) / lengths : 0
}
