/** The one finding about sending once: a message that its sender noted as sent and did not get round to moving. */
import type { TreePath } from '../../kernel/tree-path.ts'
import type { Finding, Tree } from '../../tree/tree.ts'
import { isAboutOneMessage, type SendingOnce } from '../sending-once/sending-once.ts'
import { finding } from './finding.ts'

/** `publish`: moves a staged message to where it belongs; given where things are to be put right. */
export async function unfinishedSends(
  tree: Tree,
  once: SendingOnce,
  publish?: (staged: TreePath) => Promise<unknown>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const path of once.unmoved()) {
    try {
      await publish?.(path)
    } catch (error) {
      if (!isAboutOneMessage(error)) throw error
    }
    const repaired = publish !== undefined && (await tree.look(path)) === undefined
    const message = 'A sender was killed before its message, which it had noted as sent, was where it belongs.'
    const hint = repaired
      ? 'Nothing more is to be done.'
      : 'Run `signalbox doctor --fix`, which puts it there, or send it again under its key.'
    findings.push(finding('warning', 'UNFINISHED_SEND', path, message, hint, repaired))
  }
  return findings
}
