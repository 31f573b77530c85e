/** The commands for an agent itself: its inbox and its keys. */
import { printableLine } from '../../../../kernel/printable.ts'
import { mrInit } from '../../../../operations/mr/init.ts'
import { type KeyView, mrKeys } from '../../../../operations/mr/keys.ts'
import { commandFace } from '../../command.ts'
import { noticeLines } from '../../lines.ts'
import { fieldList, type Row } from '../../message.ts'
import type { Screen } from '../../terminal.ts'

export const initFace = commandFace(
  mrInit,
  ({ outcome, agent, path, sequencesReset }, { paint }) => {
    const name = paint('bold', printableLine(agent))
    if (outcome === 'created') return `Made agent ${name}: ${printableLine(path)}\n`
    if (outcome === 'unchanged') return `Agent ${name} is there already: ${printableLine(path)}\n`
    return `Agent ${name} starts over: it numbers from 1 again towards ${sequencesReset} agent(s).\n`
  },
  { aside: noticeLines },
)

const didToKeys: Readonly<Record<string, string>> = {
  created: 'Made keys.',
  replaced: 'Made new keys; the old one counts for what it signed before.',
  trusted: 'Trusted from now on.',
  unchanged: 'That is so already.',
}

export const keysFace = commandFace(mrKeys, ({ outcome, folder, keys }, screen) => {
  if (keys.length === 0) return screen.next('No keys yet. Make some: signalbox mr keys coder-1 --generate\n')
  const lines = keys.map((key) => keyText(key, folder, screen)).join('\n')
  return didToKeys[outcome] === undefined ? lines : `${didToKeys[outcome]}\n${lines}`
})

/** Shows public keys only. Private ones are not even read. */
function keyText({ agent, signing, encryption, retired, isOwn }: KeyView, folder: string, screen: Screen): string {
  const rows: Row[] = [
    ['signing', signing?.publicKey],
    ['since', signing?.createdAt],
    ['encryption', encryption],
    ['private key', isOwn ? `here, in ${printableLine(folder)}/keys/private` : 'elsewhere'],
    ['retired', retired > 0 ? String(retired) : undefined],
  ]
  return `${screen.paint('bold', printableLine(agent))}\n${fieldList(rows, screen).replace(/^/gm, '  ').trimEnd()}\n`
}
