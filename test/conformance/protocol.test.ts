import { readFileSync } from 'node:fs'
import { treePath } from '../../src/kernel/tree-path.ts'
import { messageOf, parseMessage as parseAcmq, type ReadMessage, withFields } from '../../src/protocols/ac-mq/format.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import {
  fileNameOf as acmqNameOf,
  missionAddress,
  missionPath,
  parseFileName,
} from '../../src/protocols/ac-mq/layout.ts'
import { viewOf as acmqViewOf } from '../../src/protocols/ac-mq/store/view.ts'
import { parseMessage, printMessage } from '../../src/protocols/message-routing/format.ts'
import { messageRouting } from '../../src/protocols/message-routing/index.ts'
import {
  agentId,
  agentPath,
  fileNameOf,
  isMessageId,
  messageId,
  stemOf,
} from '../../src/protocols/message-routing/layout.ts'
import { viewOf } from '../../src/protocols/message-routing/store/view.ts'
import { describeProtocol } from './protocol.ts'

const golden = (path: string) => readFileSync(new URL(`../golden/${path}`, import.meta.url))

const acmqSample = (name: string) => {
  const { fileName } = JSON.parse(golden(`ac-mq/${name}.json`).toString()) as { fileName: string }
  return { fileName, bytes: golden(`ac-mq/${name}.md`) }
}
const alpha = { address: missionAddress('system-design-alpha'), timeoutSeconds: 3600 }

describeProtocol<{ read: ReadMessage; bytes: Uint8Array }>({
  protocol: acmq,
  samples: ['specification', 'specification-failed', 'crlf', 'timestamp-with-offset', 'fences-in-body'].map(acmqSample),
  unknownField: { ...acmqSample('unknown-fields'), text: 'reply_to: x' },
  // A message of AC-MQ is its bytes: a change edits them and keeps all the rest.
  parse: (bytes, fileName) => ({ read: messageOf(parseAcmq(bytes, { ...alpha, fileName })), bytes }),
  print: ({ read, bytes }) => withFields(bytes, { priority: read.message.record.priority }),
  recordOf: ({ read }) => read.message.record,
  lift: ({ read: { message, problems } }, path) => acmqViewOf(message.record, 'pending', path, problems),
  nameOf: ({ read }) => acmqNameOf(read.message.record),
  readName: (name) => {
    const parts = parseFileName(name)
    return parts && { from: parts.from, to: parts.to }
  },
  folderOf: (name) => missionPath({ root: treePath(acmq.defaults.root), address: missionAddress(name) }),
})

const mrExamples = 'status-update task-delegation result command heartbeat task-delegation-full result-full'.split(' ')
const mrSample = (path: string) => {
  const bytes = golden(`message-routing/${path}.json`)
  return { fileName: `${/"msg_id": "(\w+)"/.exec(bytes.toString())![1]}.json`, bytes }
}

describeProtocol({
  protocol: messageRouting,
  samples: [...mrExamples, 'odd/offset', 'odd/newer-minor', 'odd/unknown-fields'].map(mrSample),
  unknownField: { ...mrSample('odd/unknown-fields'), text: '"signature": "abc"' },
  parse: (bytes) => {
    const read = parseMessage(bytes)
    return read.outcome === 'message' ? read.message : undefined
  },
  print: printMessage,
  recordOf: (message) => message,
  lift: (message, path) => viewOf(message, 'inbox', path),
  nameOf: ({ msg_id }) => fileNameOf(messageId(msg_id)),
  readName: (name) => (isMessageId(stemOf(name)) ? { id: stemOf(name) } : undefined),
  folderOf: (name) => agentPath(treePath(messageRouting.defaults.root), agentId(name)),
})
