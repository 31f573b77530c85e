/** Unfolding what strangers may have packed: never to more than a message may be, and never to more than it says. */

/** Loaded when first needed: most commands have nothing to do with the archive. */
export const zlib = () => process.getBuiltinModule('node:zlib')

/** The bytes of one gzip member. Its last four bytes say how many there are, so a lie ends the unfolding at once. */
export function unzip(member: Uint8Array, largest: number): Uint8Array {
  const size = sizeOf(member)
  if (size > largest) throw new Error(`it has ${size} bytes, and a message has at most ${largest}`)
  return zlib().gunzipSync(member, { maxOutputLength: Math.max(1, size) })
}

const sizeOf = (member: Uint8Array): number =>
  member.length < 18 ? 0 : new DataView(member.buffer, member.byteOffset + member.length - 4, 4).getUint32(0, true)
