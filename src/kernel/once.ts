/** What is made at the first call and shared by all later ones. A failure is not kept: the next call tries again. */

export interface Once<T> {
  (): Promise<T>
  /** What there is by now; nothing is made. */
  made(): Promise<T> | undefined
}

export function once<T>(make: () => Promise<T>): Once<T> {
  let made: Promise<T> | undefined
  const get = () => {
    if (made) return made
    const making = make()
    made = making
    making.catch(() => {
      if (made === making) made = undefined
    })
    return making
  }
  return Object.assign(get, { made: () => made })
}
