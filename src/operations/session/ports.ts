/** What sessions need from outside of the tree: a tokenizer, what people wrote about roles, and where messages lie. */
import { type Encoding, loadTokenizer } from '../../adapters/tokens.ts'
import type { RolesFile, SessionPorts } from '../../protocols/shared-agent/index.ts'
import type { Around } from '../protocols.ts'
import { carrying } from './carrying.ts'
import { languageModel } from './model.ts'

/** Longer files are not read. */
const longest = 256 * 1024

export const sessionPorts = (around: Around): SessionPorts => {
  const { outside, environment, root, messagePlaces, messagePlacesIn, neutralOf, startSelf } = around
  const model = languageModel(around)
  return {
    folder: root.path,
    runProgram: async (run) => (await import('../../adapters/program.ts')).runProgram(run),
    ...(startSelf
      ? {
          startRunner: (session: string, task: string) =>
            startSelf(['session', 'work', '--root', root.path, '--session', session, '--task', task, '--once']),
        }
      : {}),
    ...carrying(neutralOf),
    async workTree({ onBranch }) {
      const { findWorkTree, gitRunner } = await import('../../adapters/git/index.ts')
      const [files, leaveAlone] = await Promise.all([outside.plainFiles(), messagePlaces()])
      const git = gitRunner({ environment })
      return findWorkTree({ git, files, from: root.path, leaveAlone, leaveAloneIn: messagePlacesIn, onBranch })
    },
    ...(model ? { model } : {}),
    tokenizer: (encoding) => loadTokenizer(encoding as Encoding),
    messagePlaces,
    async readRoles(): Promise<RolesFile | undefined> {
      const path = outside.resolve(root.path, '.signalbox/session.yaml')
      const found = outside.readSettings(path, { atMost: longest, links: false })
      // It can make us start programs: another user's word does not count, nor one that others could have changed.
      if (found?.kind !== 'file' || !found.isOwn || found.mayOthersWrite) return undefined
      return { path, text: found.text }
    },
  }
}
