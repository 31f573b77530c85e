/**
 * Says a labelled part again in other words, by rules: words are replaced by others that mean about the same, what was the summary
 * comes last, and each message is terse, polite or a report in turn. The second of three ways in which texts for measuring are made.
 * The rules were written before what is measured, and know nothing of it.
 */
import { contentOf, textOf } from './content-words.ts'
import type { LabelledMessage, LabelledPart, LabelledQuery } from './labelled-set.ts'

/** One a line: what is said, and what is said instead. */
const others = `
customer client|customers clients|visitor guest|visitors guests|people persons|person human|user account holder|users account holders
page screen|pages screens|file document|files documents|picture photo|pictures photos|image graphic|images graphics
find locate|found located|finds locates|show display|shows displays|shown displayed|make create|makes creates|made created
take need|takes needs|took needed|wait hold on|waits holds on|keep retain|keeps retains|kept retained|put place|send transmit|sent transmitted
ask request|asks requests|answer reply|answers replies|answered replied|tell inform|tells informs|write compose|writes composes|written composed
start begin|starts begins|started began|stop halt|stops halts|stopped halted|change alter|changes alters|changed altered|fix repair|fixed repaired
remove drop|removed dropped|delete erase|deleted erased|add attach|adds attaches|added attached|check verify|checks verifies|checked verified
compare contrast|measure gauge|measured gauged|run execute|runs executes|ran executed|fail break|fails breaks|failed broke
slow sluggish|quick fast|quicker faster|large big|larger bigger|small little|wrong incorrect|right correct|empty blank|old former|new fresh
long lengthy|short brief|same identical|different other|many numerous|few hardly any|often frequently|never at no time|always every time
today this day|tomorrow the next day|yesterday the day before|week seven days|month four weeks|year twelve months|hour sixty minutes|hours times sixty minutes
night dark hours|morning early hours|first initial|last final|next following|second other|half fifty percent|twice two times
number figure|numbers figures|list enumeration|table grid|rule policy|rules policies|reason cause|cause reason|mistake slip|error fault|errors faults
problem trouble|problems troubles|server machine|servers machines|machine box|machines boxes|worker process|workers processes
request call|requests calls|call request|calls requests|job task|jobs tasks|step stage|steps stages|part piece|parts pieces
word term|words terms|text copy|texts copies|letter character|letters characters|name label|names labels|link reference|links references
money funds|price cost|cost price|costs prices|bill charge|pay settle|buy purchase|shop store|shops stores|team crew|teams crews
colleague coworker|address location|addresses locations|mail message|button control|field box|message note|messages notes|event signal|events signals
limit cap|load strain|memory storage|disk drive|room space|place spot|places spots|way manner|ways manners|side end|both the two|each every
between among|behind after|before ahead of|because since|although even if|without lacking|instead rather|together jointly|again once more
`

const instead = new Map(
  others
    .trim()
    .split(/[|\n]/)
    .map((pair): [string, string] => {
      const [word, ...rest] = pair.split(' ')
      return [word!, rest.join(' ')]
    }),
)

/** Without the queries whose kind does not hold any more: those that share a word now, or none. */
export function paraphrase({ topics, messages, queries }: LabelledPart): LabelledPart {
  const said = messages.map(sayAgain)
  return { topics, messages: said, queries: queries.filter((query) => holds(query, said)) }
}

function sayAgain(message: LabelledMessage, at: number): LabelledMessage {
  const [first = '', ...rest] = sentencesOf(reworded(message.body))
  const ending = `${reworded(message.summary)}.`
  const style = styles[at % styles.length]!
  return { ...message, summary: first.slice(0, 80).trim(), body: style([...rest, ending].join(' '), first) }
}

const styles: readonly ((text: string, first: string) => string)[] = [
  // Terse: no articles, no forms of "to be".
  (text, first) => `${first} ${text}`.replace(/\b(?:the|a|an|is|are|was|were|be|been|it|that|which)\s/gi, ''),
  (text, first) => `Could you please have a look? ${text} ${first} Many thanks in advance.`,
  (text, first) => `Status for the record. ${first} ${text}`,
]

const sentencesOf = (text: string): string[] => text.split(/(?<=[.?!])\s+/)

/** What stands between backticks, and names with a dot or a slash, stay as they are. */
function reworded(text: string): string {
  return text.replace(/`[^`]*`|\S*[/.]\w\S*|\p{L}+/gu, (found) => {
    const other = instead.get(found.toLowerCase())
    if (other === undefined) return found
    return /^\p{Lu}/u.test(found) ? other[0]!.toUpperCase() + other.slice(1) : other
  })
}

function holds({ kind, text, relevant }: LabelledQuery, messages: readonly LabelledMessage[]): boolean {
  const asked = contentOf(text)
  const shares = messages.some(
    (one) => relevant.includes(one.id) && [...contentOf(textOf(one))].some((w) => asked.has(w)),
  )
  return shares === (kind === 'words')
}
