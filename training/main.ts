/**
 * `npm run train`: makes `data/sentences.bin` from `data/sentences/`. The same files always give the same bytes.
 *
 *   npm run train -- --tune      leaves `development.txt` out, prints how that does, and writes nothing
 */
import { writeFileSync } from 'node:fs'
import { SentenceModel } from '../src/protocols/shared-agent/language/sentence-model.ts'
import { tokensOf } from '../src/protocols/shared-agent/language/tokens.ts'
import { nowhere } from '../src/protocols/shared-agent/language/translation.ts'
import { type Corpus, Expander, readCorpus } from './corpus.ts'
import { train, usual } from './train.ts'

const began = performance.now()
const corpus = readCorpus('data/sentences')
const options = { ...usual, log: (line: string) => console.error(line) }
if (process.argv.includes('--tune')) tellDevelopment(corpus, new SentenceModel(train(corpus, options)))
else {
  const bytes = train({ ...corpus, entries: [...corpus.entries, ...corpus.development] }, options)
  writeFileSync('data/sentences.bin', bytes)
  console.error(`data/sentences.bin: ${bytes.length} bytes after ${Math.round((performance.now() - began) / 1000)} s`)
}

/** Which kind of request each sentence was taken for, where it was another one. */
function tellDevelopment({ development, fillers }: Corpus, model: SentenceModel): void {
  const expander = new Expander(fillers, 1)
  const wrong = development.flatMap((entry) => {
    const { text } = expander.fill(entry)
    const [best] = model.guesses(tokensOf(text, nowhere))
    const isRight = best!.intent === entry.intent || (entry.intent === 'none' && best!.intent === 'several')
    return isRight ? [] : [`${entry.intent} taken for ${best!.intent} (${best!.probability.toFixed(2)}): ${text}`]
  })
  console.log([...wrong, `${development.length - wrong.length} of ${development.length} right`].join('\n'))
}
