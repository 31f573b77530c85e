/** In milliseconds. Whoever needs something for longer renews the lease before it ends. */
export const longestLease = 24 * 60 * 60 * 1000
