/** The sentence model as the package ships it, for tests that need what texts mean. The build makes its kernel. */
import { existsSync, readFileSync } from 'node:fs'
import { localEmbedder } from '../../src/adapters/embeddings/local-embedder.ts'

const inRoot = (path: string) => new URL(`../../${path}`, import.meta.url)

/** Reads a file of the package, as an installation does. */
export const packageFile = (path: string): Uint8Array | undefined =>
  existsSync(inRoot(path)) ? readFileSync(inRoot(path)) : undefined

export const sentenceModel = localEmbedder(packageFile)
