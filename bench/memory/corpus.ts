/**
 * Messages of a made-up mission, the same on every run: some dozens of topics at a time, which come and go, each with words and a
 * file of its own among the words that everybody uses. A tenth belongs to no topic.
 */

export interface MadeMessage {
  readonly id: string
  readonly summary: string
  readonly body: string
  /** Of the message that it depends on. */
  readonly after?: string
}

const wordsOfATopic = 8
const openTopics = 30
/** A topic ends after this one with a chance of one in so many. */
const lengthOfATopic = 12

interface Topic {
  readonly words: readonly string[]
  readonly file: string
  last?: string
}

/** `vocabulary`: common words first. */
export function* madeMessages(vocabulary: readonly string[], seed = 1): Generator<MadeMessage> {
  const random = randomFrom(seed)
  const below = (most: number) => Math.floor(random() * most)
  // The first words of a language are said most by far: their share falls with their rank.
  const commonWord = () => vocabulary[Math.floor(vocabulary.length ** random()) - 1]!
  const rareWord = () => vocabulary[below(vocabulary.length)]!
  const newTopic = (n: number): Topic => {
    const words = Array.from({ length: wordsOfATopic }, rareWord)
    return { words, file: `src/${words[0]}/${words[1]}-${n}.ts` }
  }
  const topics: Topic[] = []
  for (let n = 0; ; n++) {
    const at = below(openTopics)
    const isNoise = random() < 0.1
    if (!topics[at] || below(lengthOfATopic) === 0) topics[at] = newTopic(n)
    const topic = isNoise ? newTopic(n) : topics[at]!
    const say = () => (random() < 0.35 ? topic.words[below(wordsOfATopic)]! : commonWord())
    const sentence = (length: number) => Array.from({ length }, say).join(' ')
    const id = n.toString(36).padStart(8, '0')
    const names = random() < 0.15 ? ` See \`${topic.file}\`.` : ''
    const after = !isNoise && topic.last !== undefined && random() < 0.1 ? topic.last : undefined
    yield {
      id,
      summary: sentence(6),
      body: `The ${sentence(12)}. We ${sentence(8)} and ${sentence(10)}.${names}`,
      ...(after === undefined ? {} : { after }),
    }
    if (!isNoise) topic.last = id
  }
}

/** Mulberry32: small, quick and the same everywhere. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The whole words that the sentence model knows, which its weights list last: about the most frequent first. */
export function wordsOfPack(pack: Uint8Array): string[] {
  const text = Buffer.from(pack.buffer, pack.byteOffset + pack.length - 240_000, 240_000).toString('latin1')
  return text
    .split('\n')
    .filter((word) => /^[a-z]{3,14}$/.test(word))
    .slice(100)
}
