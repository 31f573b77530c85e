/** How a user is spoken to in a session: in words or in commands, and how much of the protocol is seen. §2.5. Pure. */
import type { Asked, Translation } from './translation.ts'

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
const showing = 'I will show the commands as they run'
const wishes: readonly (readonly [says: string, wish: Wish, form: string])[] = [
  [`${showing}.`, { mode: 'natural', shows: 'show' }, `(?:show|display|print)(?: me| us)? ${protocol}`],
  [
    `${showing}, and say what each does.`,
    { mode: 'natural', shows: 'explain' },
    `(?:explain(?: to me| to us)?|teach me) ${protocol}(?: to me| to us)?`,
  ],
  [
    'I will not show commands any more.',
    { shows: 'plain' },
    '(?:hide|stop (?:showing|explaining)(?: me)?) (?:the )?(?:protocol|commands|protocol commands)',
  ],
  [
    'Protocol mode: say commands such as #HELP. "use natural language" switches back.',
    { mode: 'protocol' },
    `${turnTo} (?:protocol(?: mode)?|commands only|direct protocol)`,
  ],
  [
    'Natural language: say what you want in your own words.',
    { mode: 'natural' },
    `${turnTo} (?:natural language(?: mode)?|plain language|natural mode|plain english|words|normal language)|(?:leave|exit|quit|end)(?: the)? protocol mode`,
  ],
]
const polite = "(?:(?:please|can you|could you|would you|let's|let us|i want to|i would like to|now|ok),? )*"
const patterns = wishes.map(([says, wish, form]) => ({
  wish,
  says,
  pattern: new RegExp(`^${polite}(?:${form})(?:,? (?:please|now|thanks))?[.!?]*$`, 'i'),
}))

const longestWish = 100

/** What the speaker wishes about the manner, and how it is confirmed; `undefined` for any other sentence. */
export function wishOf(text: string): { readonly wish: Wish; readonly says: string } | undefined {
  if (text.length > longestWish) return undefined
  const said = text.trim().replace(/\s+/g, ' ')
  return patterns.find(({ pattern }) => pattern.test(said))
}

const yes =
  /^\s*(?:y|yes|yep|yeah|ja|sí|si)(?:[\s,.!]+(?:please|do it|run it|go ahead|sure|do|do that|bitte|por favor))*[\s.!]*$/i
const no =
  /^\s*(?:n|no|nope|nah|nein|cancel|never mind|nevermind|forget it)(?:[\s,.!]+(?:thanks|thank you|do not|don't))*[\s.!]*$/i
const thanks =
  /^(?:(?:ok|okay|great|many) )?(?:thanks|thank you|thx|cheers|danke|gracias)(?: (?:a lot|so much|very much|you))?$/i
const greeting =
  /^(?:hi|hello|hey|good (?:morning|afternoon|evening)|hallo|hola|guten (?:morgen|tag))(?: (?:there|all|everybody))?$/i
const correction =
  /^\s*(?:no|nope|nein)?[\s,.!-]*(?:i (?:meant|mean)|what i meant (?:was|is)|ich meinte|quise decir)[\s,:]+(?:to )?(\S.*)$/is

export const isYes = (text: string): boolean => yes.test(text)

/** What is answered to a greeting or a thank you alone. */
function courtesyFor(text: string): string | undefined {
  const said = text.replace(/[\s,.!]+/g, ' ').trim()
  if (thanks.test(said)) return 'You are welcome.'
  return greeting.test(said) ? 'Hello. Say what you want in your own words, or "help".' : undefined
}

/** "no, I meant …": what was meant. */
export const meantIn = (text: string): string | undefined => correction.exec(text)?.[1]

/** What is to be done about a line that is no command. */
type Heard =
  /** Run these, one after the other. Whatever was asked before is settled. */
  | { readonly todo: 'run'; readonly commands: readonly string[]; readonly manner: Manner }
  /** Ask, and keep what a `yes` runs. */
  | { readonly todo: 'ask'; readonly asked: Asked; readonly manner: Manner }
  /** Say this; the manner may be another one now. */
  | { readonly todo: 'say'; readonly sentence: string; readonly manner: Manner }
  /** Protocol mode: it is no command. */
  | { readonly todo: 'refuse'; readonly manner: Manner }

export async function hear(
  text: string,
  before: Manner,
  translate: (text: string) => Promise<Translation>,
): Promise<Heard> {
  const { asked, ...manner } = before
  const wished = wishOf(text)
  // In protocol mode the only accepted sentence is the wish to leave it.
  if (wished && (manner.mode === 'natural' || wished.wish.mode === 'natural'))
    return { todo: 'say', sentence: wished.says, manner: { ...manner, ...wished.wish } }
  if (manner.mode === 'protocol') return { todo: 'refuse', manner }
  if (isYes(text)) {
    if (asked !== undefined) return { todo: 'run', commands: [asked], manner }
    return { todo: 'say', sentence: 'There is nothing to say yes to.', manner }
  }
  if (asked !== undefined && no.test(text)) return { todo: 'say', sentence: 'Nothing was run.', manner }
  const courtesy = courtesyFor(text)
  if (courtesy !== undefined) return { todo: 'say', sentence: courtesy, manner: before }
  const translation = await translate(meantIn(text) ?? text)
  if (translation.outcome === 'command') return { todo: 'run', commands: [translation.command], manner }
  if (translation.outcome === 'commands') return { todo: 'run', commands: translation.commands, manner }
  const { command } = translation
  return { todo: 'ask', asked: translation, manner: command === undefined ? manner : { ...manner, asked: command } }
}
