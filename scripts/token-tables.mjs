/**
 * Makes `data/tokens/ENCODING.bin`, the tables by which tokens are counted: `node scripts/token-tables.mjs`.
 *
 * They come from the npm package gpt-tokenizer, sorted so that a text of a few words is counted without reading the table
 * into a structure of its own first. The result is committed: only whoever changes this script has to run it.
 *
 * The layout that `src/adapters/tokens.ts` reads: a line of JSON with the encoding, the pattern that cuts a text into pieces and
 * the number of tokens; then the tokens in the order of their bytes: the length of each (a byte), the rank of each (three bytes,
 * the lowest first), and the bytes of all.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  CL100K_TOKEN_SPLIT_REGEX,
  O200K_TOKEN_SPLIT_REGEX,
  R50K_TOKEN_SPLIT_REGEX,
} from 'gpt-tokenizer/encodingParams/constants'
import { inRoot, run, ScriptError } from './setup.mjs'

const patterns = {
  o200k_base: O200K_TOKEN_SPLIT_REGEX,
  cl100k_base: CL100K_TOKEN_SPLIT_REGEX,
  p50k_base: R50K_TOKEN_SPLIT_REGEX,
  r50k_base: R50K_TOKEN_SPLIT_REGEX,
}

await run(async () => {
  mkdirSync(inRoot('data/tokens'), { recursive: true })
  for (const [encoding, { source, flags }] of Object.entries(patterns)) {
    if (flags !== 'gu') throw new ScriptError(`The pattern of ${encoding} has the flags ${flags}.`)
    const table = tableOf(encoding, source)
    writeFileSync(inRoot(`data/tokens/${encoding}.bin`), table)
    console.error(`data/tokens/${encoding}.bin: ${table.length} bytes.`)
  }
})

function tableOf(encoding, pattern) {
  const file = createRequire(import.meta.url).resolve(`gpt-tokenizer/data/${encoding}.tiktoken`)
  const tokens = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [bytes, rank] = line.split(' ')
      return { bytes: Buffer.from(bytes, 'base64'), rank: Number(rank) }
    })
    .sort((a, b) => Buffer.compare(a.bytes, b.bytes))
  const ranks = Buffer.alloc(tokens.length * 3)
  for (const [n, { rank }] of tokens.entries()) ranks.writeUIntLE(rank, n * 3, 3)
  return Buffer.concat([
    Buffer.from(`${JSON.stringify({ encoding, pattern, tokens: tokens.length })}\n`),
    Buffer.from(tokens.map(({ bytes }) => bytes.length)),
    ranks,
    ...tokens.map(({ bytes }) => bytes),
  ])
}
