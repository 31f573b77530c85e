/** The part of `npm run eval` about sentences: how well the sets that nobody tunes on are understood. `--wrong` lists what was not. */
import { readFileSync } from 'node:fs'
import { SentenceModel } from '../../../src/protocols/shared-agent/language/sentence-model.ts'
import { measure, printMeasured, sets } from './measure.ts'

const root = process.env.SIGNALBOX_EVAL_ROOT ?? '.'
const model = new SentenceModel(readFileSync(`${root}/data/sentences.bin`))
const measured = sets(root).map(([name, sentences]) => measure(name, sentences, model))
if (process.argv.includes('--json')) console.log(JSON.stringify({ sentences: measured }))
else console.log(printMeasured(measured))
if (process.argv.includes('--wrong')) console.log(measured.flatMap(({ wrong }) => wrong).join('\n'))
