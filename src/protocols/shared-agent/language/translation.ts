/** What a translator answers: first, why something is asked back. */
export type Reason =
  /** Nothing in it is a request, no command does this, or it is not certain which. */
  | 'unclear'
  /** The request is clear, and a part of it is not said. */
  | 'missing'
  /** It would destroy something, and was not plainly asked for. */
  | 'destructive'
  /** It has several readings. */
  | 'either'
  /** It has more than one request, and they cannot simply be run one after the other. */
  | 'several'

export type Translation =
  | { readonly outcome: 'command'; readonly command: string }
  /** Several requests, each certain and none destructive, in the order in which they were said. */
  | { readonly outcome: 'commands'; readonly commands: readonly string[] }
  | {
      readonly outcome: 'asked'
      readonly reason: Reason
      /** In words, for the speaker. */
      readonly question: string
      /** What a `yes` runs. */
      readonly command?: string
      /** Why a configured model was of no help. */
      readonly note?: string
    }

export type Asked = Extract<Translation, { outcome: 'asked' }>
