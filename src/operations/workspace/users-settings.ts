/** Sections that are the user's own to set, from the environment or the user's own file; never a workspace's. */
import { choice, type Fields, flag, fullPath, type InputOf, text } from '../../kernel/field.ts'

/**
 * How to reach a cluster, for `engine: etcd://…`. The user's own word, never a workspace's: the secrets would go to
 * whatever server it names. They are in files, where no process list shows them.
 */
export const etcd = {
  user: text('As whom to log in to etcd.', { longest: 256 }),
  passwordFile: fullPath('A file whose first line is the password of the etcd user.', 'file'),
  tls: flag('Speak TLS with etcd. Naming one of the three files below implies it.', { default: false }),
  ca: fullPath('Certificates to trust, when not those of the system.', 'file'),
  certificate: fullPath('The certificate to show to etcd.', 'file'),
  key: fullPath('The private key of that certificate.', 'file'),
  largeBodies: fullPath('A directory that all machines share, for bodies too large for etcd (over 1 MB).', 'folder'),
} as const satisfies Fields

/**
 * Which models may read messages. The user's own word, never a workspace's: texts would go wherever it says. Without any,
 * nothing leaves this machine.
 */
export const models = {
  embeddings: choice(
    'Who compares what texts mean: `local`, the sentence model that comes with Signalbox, or an endpoint.',
    ['local', 'openai', 'ollama'],
    { default: 'local' },
  ),
  embeddingsUrl: text('The address of the endpoint for embeddings, such as http://localhost:11434.', { longest: 1024 }),
  embeddingsModel: text('The model that makes embeddings there.', { longest: 256 }),
  url: text(
    'The address of an endpoint with a model, for summaries and for what is not understood, such as https://api.example.com/v1.',
    { longest: 1024 },
  ),
  model: text('The model to ask there.', { longest: 256 }),
  keyFile: fullPath('A file whose first line is the key for these endpoints; nobody else may read it.', 'file'),
} as const satisfies Fields

export type ModelSettings = InputOf<typeof models>
