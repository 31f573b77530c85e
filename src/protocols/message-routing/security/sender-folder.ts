/** What is remembered of a sender lies under its name; a sender writes its name itself, and may write any length of it. */

/** As long as the names of agents that have a folder here. */
const longest = 64

/** The name, or for one that is too long for a file its beginning and a digest, which no real name has the length of. */
export const folderNameOf = (from: string): string =>
  from.length <= longest
    ? from
    : `${from.slice(0, 32)}-${process.getBuiltinModule('node:crypto').hash('sha256', from, 'hex')}`
