/** What a translator answers. */

/** Why something is asked back. */
export type Reason =
  /** Nothing in it is a request, or no command does this. */
  | 'unclear'
  /** The request is clear, and a part of it is not said. */
  | 'missing'
  /** It would destroy something, and its object is not named, a word had to be corrected, or it is no request but a question. */
  | 'destructive'
  /** It has two readings. */
  | 'either'
  /** It has more than one request. */
  | 'several'

export type Translation =
  | { readonly outcome: 'command'; readonly command: string }
  | {
      readonly outcome: 'asked'
      readonly reason: Reason
      /** In words, for whoever said it. */
      readonly question: string
      /** What a `yes` runs. */
      readonly command?: string
      /** Why a configured model was of no help. */
      readonly note?: string
    }
