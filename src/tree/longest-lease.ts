/** In milliseconds. Whoever needs something for longer takes the lease anew before it ends. */
export const longestLease = 24 * 60 * 60 * 1000
