/** The sentence model that comes with the package. Loaded when a vector is first asked for. */
import { Encoder } from '@signalbox/minilm'
import type { Embedder } from '../../kernel/embedder.ts'
import { corrupt } from '../../kernel/errors.ts'

/** The files of the model in an installed package: its weights, and the kernel that the build makes. */
export const modelFiles = { pack: 'packages/minilm/minilm.bin', kernel: 'dist/minilm.wasm' } as const

/** Named after its weights, so that vectors of another model are never compared with its own. */
const version = 'all-MiniLM-L6-v2, 4 bits'

export function localEmbedder(read: (path: string) => Uint8Array | undefined): Embedder {
  let encoder: Encoder | undefined
  return {
    id: 'local',
    version,
    dim: 384,
    isLocal: true,
    async embed(texts) {
      encoder ??= open(read)
      return texts.map((text) => encoder!.encode(text))
    },
  }
}

function open(read: (path: string) => Uint8Array | undefined): Encoder {
  const [pack, kernel] = [read(modelFiles.pack), read(modelFiles.kernel)]
  const missing = pack === undefined ? modelFiles.pack : modelFiles.kernel
  if (!pack || !kernel) throw unusable(`${missing} is missing`)
  try {
    return new Encoder(pack, kernel)
  } catch (error) {
    throw unusable(error instanceof Error ? error.message : String(error), error)
  }
}

const unusable = (why: string, cause?: unknown) =>
  corrupt('DAMAGED_MODEL', `The sentence model of this installation cannot be used: ${why}.`, {
    hint: 'Install Signalbox again. Until then texts are compared by their words alone.',
    ...(cause === undefined ? {} : { cause }),
  })
