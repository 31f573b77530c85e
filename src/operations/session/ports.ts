/** What sessions need from outside of the tree: a tokenizer, what people wrote about roles, and where messages lie. */
import type { RolesFile, SessionPorts } from '../../protocols/shared-agent/index.ts'
import type { Around } from '../protocols.ts'

/** `npm run train` makes it. */
const sentenceModelFile = 'data/sentences.bin'

/** Longer files are not read. */
const longest = 256 * 1024

export const sessionPorts = (around: Around): SessionPorts => {
  const { outside, environment, root, messagePlaces, messagePlacesIn, forOthers, names, startSelf, packageFile } =
    around
  return {
    folder: root.path,
    runProgram: async (run) => (await import('../../adapters/program.ts')).runProgram(run),
    ...(startSelf
      ? {
          startRunner: (session: string, task: string) =>
            startSelf(['session', 'work', '--root', root.path, '--session', session, '--task', task, '--once']),
        }
      : {}),
    ...(forOthers
      ? {
          async carry(...wanted) {
            const [{ carryIn }, { busOf }] = await Promise.all([import('./bridging.ts'), import('../bus.ts')])
            const own = forOthers()
            try {
              return await carryIn(await busOf(own), ...wanted)
            } finally {
              await own.close()
            }
          },
        }
      : {}),
    async workTree({ onBranch }) {
      const { findWorkTree, gitRunner } = await import('../../adapters/git/index.ts')
      const [files, leaveAlone] = await Promise.all([outside.plainFiles(), messagePlaces()])
      const git = gitRunner({ environment })
      return findWorkTree({ git, files, from: root.path, leaveAlone, leaveAloneIn: messagePlacesIn, onBranch })
    },
    sentenceModel: () => packageFile(sentenceModelFile),
    model: async () => (await import('./model.ts')).languageModel({ ...around, models: await around.models() }),
    async tokenizer(encoding) {
      const { tokenizerFrom, tokenTable } = await import('../../adapters/tokens.ts')
      const table = packageFile(tokenTable(encoding))
      return table && tokenizerFrom(table)
    },
    messagePlaces,
    carriers: names.filter((name) => name !== 'session'),
    async readRoles(): Promise<RolesFile | undefined> {
      const { path, found, ignored } = lookAtRoles(around)
      return found?.kind !== 'file' || ignored ? undefined : { path, text: found.text }
    },
    rolesIgnored: async () => lookAtRoles(around).ignored,
  }
}

/** The file can make Signalbox start programs, so it counts only if it is this user's own and no other user may write to it. */
function lookAtRoles({ outside, root }: Around) {
  const path = outside.resolve(root.path, '.signalbox/session.yaml')
  const found = outside.readSettings(path, { atMost: longest, links: false })
  const ignore = (reason: string, hint: string) => ({ path, found, ignored: { reason, hint } })
  if (found === undefined) return { path, found, ignored: undefined }
  if (found.kind !== 'file') return ignore('it is a link, or no file', 'Put a file there.')
  if (!found.isOwn) return ignore('it belongs to another user', `Read it, then make it yours: chown $USER ${path}`)
  if (found.mayOthersWrite) return ignore('others may write to it', `Take that right away: chmod go-w ${path}`)
  return { path, found, ignored: undefined }
}
