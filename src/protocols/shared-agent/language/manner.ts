/** How somebody is spoken to in a session: in words or in commands, and how much of the protocol is seen. §2.5. Pure. */
import { peelings } from './adjuncts.ts'
import { withoutCourtesies } from './courtesies.ts'
import { fitsOf } from './match.ts'
import { compile } from './pattern.ts'
import { nowhere } from './surroundings.ts'
import { tokensOf } from './tokens.ts'

export interface Manner {
  readonly mode: 'natural' | 'protocol'
  /** `plain`: sentences only. `show`: the commands too. `explain`: and what each does. */
  readonly shows: 'plain' | 'show' | 'explain'
  /** What a `yes` runs. */
  readonly asked?: string
}

/** §2.5: natural language is the default for the orchestrator; agents speak in commands. */
export const firstManner = (isOrchestrator: boolean): Manner => ({
  mode: isOrchestrator ? 'natural' : 'protocol',
  shows: 'plain',
})

type Wish = Partial<Pick<Manner, 'mode' | 'shows'>>

const wishes: readonly (readonly [wish: Wish, says: string, forms: readonly string[]])[] = [
  [
    { mode: 'natural', shows: 'show' },
    'I will show the commands as they run.',
    ['(show|display|print) [me|us] [the] (protocol|protocol commands|commands as they run|internal commands)'],
  ],
  [
    { mode: 'natural', shows: 'explain' },
    'I will show the commands as they run, and say what each does.',
    ['explain [to me|to us] [the] (protocol|protocol commands|commands as they run)', 'teach me [the] protocol'],
  ],
  [
    { shows: 'plain' },
    'I will not show commands any more.',
    ['hide [the] (protocol|commands|protocol commands)', 'stop (showing|explaining) [me] [the] (protocol|commands)'],
  ],
  [
    { mode: 'protocol' },
    'Protocol mode: say commands such as #HELP. "use natural language" switches back.',
    [
      '(use|switch to|go to|enter|change to|speak|talk|speak in|talk in) [the] (protocol|protocol mode|commands only|direct protocol)',
    ],
  ],
  [
    { mode: 'natural' },
    'Natural language: say what you want in your own words.',
    [
      '(use|switch to|switch back to|go to|enter|change to|speak|talk|speak in|talk in|back to|go back to) [the] (natural language|natural language mode|plain language|natural mode|plain english|words|normal language)',
      '(leave|exit|quit|end) [the] protocol mode',
    ],
  ],
]

const longestWish = 100

/** What somebody wishes about this, and how it is confirmed; `undefined` for anything else. */
export function wishOf(text: string): { readonly wish: Wish; readonly says: string } | undefined {
  if (text.length > longestWish) return undefined
  for (const { tokens, adjuncts } of peelings(withoutCourtesies(tokensOf(text)))) {
    if (Object.keys(adjuncts).length > 0) continue
    const hearing = { text, tokens, around: nowhere, mayCorrect: false }
    for (const [wish, says, forms] of wishes)
      if (forms.some((form) => fitsOf(compile(form), hearing, false).length > 0)) return { wish, says }
  }
  return undefined
}

/** "use natural language" always switches back; in protocol mode nothing else is heard. */
export const isForProtocolMode = ({ mode }: Wish): boolean => mode === 'natural'

export const isYes = (text: string): boolean =>
  /^\s*(?:y|yes|yep|yeah)(?:[\s,.!]+(?:please|do it|run it|go ahead|sure|do|do that))*[\s.!]*$/i.test(text)

export const isNo = (text: string): boolean =>
  /^\s*(?:n|no|nope|nah|cancel|never mind|nevermind|forget it)(?:[\s,.!]+(?:thanks|thank you|do not|don't))*[\s.!]*$/i.test(
    text,
  )
