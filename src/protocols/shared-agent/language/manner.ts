/** How somebody is spoken to in a session: in words or in commands, and how much of the protocol is seen. §2.5. Pure. */

export interface Manner {
  readonly mode: 'natural' | 'protocol'
  /** `plain`: sentences only. `show`: the commands too. `explain`: and what each does. */
  readonly shows: 'plain' | 'show' | 'explain'
  /** What a `yes` runs. */
  readonly asked?: string
  /** What was said last, where corrections are kept, and whether it was asked back. */
  readonly heard?: string
  readonly isUnsure?: boolean
}

/** §2.5: natural language is the default for the orchestrator; agents speak in commands. */
export const firstManner = (isOrchestrator: boolean): Manner => ({
  mode: isOrchestrator ? 'natural' : 'protocol',
  shows: 'plain',
})

type Wish = Partial<Pick<Manner, 'mode' | 'shows'>>

const protocol = '(?:the )?(?:protocol(?: commands?)?|commands as they run|internal commands)'
const turnTo =
  '(?:use|switch to|switch back to|go to|go back to|back to|enter|change to|speak|talk|speak in|talk in)(?: the)?'
const wishes: readonly (readonly [wish: Wish, says: string, form: string])[] = [
  [
    { mode: 'natural', shows: 'show' },
    'I will show the commands as they run.',
    `(?:show|display|print)(?: me| us)? ${protocol}`,
  ],
  [
    { mode: 'natural', shows: 'explain' },
    'I will show the commands as they run, and say what each does.',
    `(?:explain(?: to me| to us)?|teach me) ${protocol}(?: to me| to us)?`,
  ],
  [
    { shows: 'plain' },
    'I will not show commands any more.',
    `(?:hide|stop (?:showing|explaining)(?: me)?) (?:the )?(?:protocol|commands|protocol commands)`,
  ],
  [
    { mode: 'protocol' },
    'Protocol mode: say commands such as #HELP. "use natural language" switches back.',
    `${turnTo} (?:protocol(?: mode)?|commands only|direct protocol)`,
  ],
  [
    { mode: 'natural' },
    'Natural language: say what you want in your own words.',
    `${turnTo} (?:natural language(?: mode)?|plain language|natural mode|plain english|words|normal language)|(?:leave|exit|quit|end)(?: the)? protocol mode`,
  ],
]
const polite = "(?:(?:please|can you|could you|would you|let's|let us|i want to|i would like to|now|ok),? )*"
const patterns = wishes.map(([wish, says, form]) => ({
  wish,
  says,
  pattern: new RegExp(`^${polite}(?:${form})(?:,? (?:please|now|thanks))?[.!?]*$`, 'i'),
}))

const longestWish = 100

/** What somebody wishes about this, and how it is confirmed; `undefined` for anything else. */
export function wishOf(text: string): { readonly wish: Wish; readonly says: string } | undefined {
  if (text.length > longestWish) return undefined
  const said = text.trim().replace(/\s+/g, ' ')
  return patterns.find(({ pattern }) => pattern.test(said))
}

/** "use natural language" always switches back; in protocol mode nothing else is heard. */
export const isForProtocolMode = ({ mode }: Wish): boolean => mode === 'natural'

export const isYes = (text: string): boolean =>
  /^\s*(?:y|yes|yep|yeah|ja|sí|si)(?:[\s,.!]+(?:please|do it|run it|go ahead|sure|do|do that|bitte|por favor))*[\s.!]*$/i.test(
    text,
  )

export const isNo = (text: string): boolean =>
  /^\s*(?:n|no|nope|nah|nein|cancel|never mind|nevermind|forget it)(?:[\s,.!]+(?:thanks|thank you|do not|don't))*[\s.!]*$/i.test(
    text,
  )

/** What is answered to a greeting or a thank you alone. */
export function courtesyFor(text: string): string | undefined {
  const said = text
    .trim()
    .replace(/[\s,.!]+/g, ' ')
    .trim()
  if (
    /^(?:(?:ok|okay|great|many) )?(?:thanks|thank you|thx|cheers|danke|gracias)(?: (?:a lot|so much|very much|you))?$/i.test(
      said,
    )
  )
    return 'You are welcome.'
  return /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|hallo|hola|guten (?:morgen|tag))(?: (?:there|all|everybody))?$/i.test(
    said,
  )
    ? 'Hello. Say what you want in your own words, or "help".'
    : undefined
}

/** "no, I meant …": what was meant. */
export const meantIn = (text: string): string | undefined =>
  /^\s*(?:no|nope|nein)?[\s,.!-]*(?:i (?:meant|mean)|what i meant (?:was|is)|ich meinte|quise decir)[\s,:]+(?:to )?(\S.*)$/is.exec(
    text,
  )?.[1]
