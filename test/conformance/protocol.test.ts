import { readFileSync } from 'node:fs'
import { treePath } from '../../src/kernel/tree-path.ts'
import {
  messageOrThrow,
  parseMessage as parseAcmq,
  type ReadMessage,
  withFields,
} from '../../src/protocols/ac-mq/format.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import {
  fileNameOf as acmqNameOf,
  missionAddress,
  missionPath,
  parseFileName,
} from '../../src/protocols/ac-mq/layout.ts'
import { viewOf as acmqViewOf } from '../../src/protocols/ac-mq/store/view.ts'
import { parseMessage as parseCirce } from '../../src/protocols/circe/format.ts'
import { circe } from '../../src/protocols/circe/index.ts'
import { inboxPath } from '../../src/protocols/circe/layout.ts'
import { agentId as circeAgent, fileNameOf as circeNameOf } from '../../src/protocols/circe/names.ts'
import { headlineOf as circeHeadlineOf } from '../../src/protocols/circe/store/view.ts'
import { parseEvent, printEvent } from '../../src/protocols/dream-os/event-format.ts'
import {
  parseMessage as parsePlain,
  printMessage as printPlain,
  statedFieldsOf,
} from '../../src/protocols/dream-os/format.ts'
import { dream } from '../../src/protocols/dream-os/index.ts'
import {
  folderPath,
  mailboxPath,
  messageFileName,
  reflectionsPath,
  taskFileName,
} from '../../src/protocols/dream-os/layout.ts'
import { inSpecifiedOrder as dreamMessageOf, readMessage } from '../../src/protocols/dream-os/mailbox-format.ts'
import { agentId as dreamAgent, mailboxNumber } from '../../src/protocols/dream-os/names.ts'
import type { MailboxMessage, PlannerEvent } from '../../src/protocols/dream-os/schema.ts'
import { viewOf as dreamViewOf, envelopeIn, idFrom } from '../../src/protocols/dream-os/store/view.ts'
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
import { messageOf as sessionMessageOf } from '../../src/protocols/shared-agent/envelope.ts'
import { sharedAgent } from '../../src/protocols/shared-agent/index.ts'
import { sessionId, sessionPath } from '../../src/protocols/shared-agent/layout.ts'
import { parseSession, printSession, type Session } from '../../src/protocols/shared-agent/record.ts'
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
  parse: (bytes, fileName) => ({ read: messageOrThrow(parseAcmq(bytes, { ...alpha, fileName })), bytes }),
  print: ({ read, bytes }) => withFields(bytes, { priority: read.message.record.priority }),
  recordOf: ({ read }) => read.message.record,
  lift: ({ read: { message, problems } }, path) => acmqViewOf(message.record, 'pending', path, problems),
  names: {
    nameOf: ({ read }) => acmqNameOf(read.message.record),
    readName: (name) => {
      const parts = parseFileName(name)
      return parts && { from: parts.from, to: parts.to }
    },
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
  names: {
    nameOf: ({ msg_id }) => fileNameOf(messageId(msg_id)),
    readName: (name) => (isMessageId(stemOf(name)) ? { id: stemOf(name) } : undefined),
  },
  folderOf: (name) => agentPath(treePath(messageRouting.defaults.root), agentId(name)),
})

const circeSample = (path: string) => ({ fileName: `${path.replace('/', '-')}.md`, bytes: golden(`circe/${path}.md`) })

describeProtocol({
  protocol: circe,
  samples: ['standard', 'feature-request', 'test-results', 'escalation', 'odd/crlf', 'odd/no-task', 'odd/emoji'].map(
    circeSample,
  ),
  unknownField: { ...circeSample('odd/unknown-headers'), text: 'X-Trace.id: a: b: c' },
  parse: (bytes) => {
    const read = parseCirce(bytes)
    return read.outcome === 'message' ? read.message : undefined
  },
  // A message of CIRCE is its bytes, and is never edited.
  print: ({ bytes }) => bytes,
  recordOf: (message) => message,
  lift: (message, path) =>
    circeHeadlineOf({ message, name: circeNameOf(message), place: 'inbox', path: treePath(path) }),
  names: {
    nameOf: (message) => circeNameOf(message),
    readName: (name) => ({ id: name.replace('.md', '') }),
  },
  folderOf: (name) => inboxPath(treePath(circe.defaults.root), circeAgent(name)),
})
const { places, largest: most } = dream.defaults
const dreamSample = (name: string) => ({ fileName: `${name}.json`, bytes: golden(`dream-os/${name}.json`) })

describeProtocol<MailboxMessage>(
  {
    protocol: dream,
    samples: ['message', 'message-without-task', 'message-unknown-keys'].map(dreamSample),
    unknownField: { ...dreamSample('message-unknown-keys'), text: '"priority": "high"' },
    parse: (bytes) => {
      let value: unknown
      try {
        value = JSON.parse(Buffer.from(bytes).toString())
      } catch {
        return undefined // Whoever reads a mailbox parses all of it.
      }
      return readMessage(value).message
    },
    print: (message) => JSON.stringify(dreamMessageOf(message), null, 2),
    recordOf: (message) => message,
    lift: (message, path) => envelopeIn(message, 1, 'waiting', path),
    names: { none: 'a message inside a mailbox is not a file' },
    folderOf: (name) => mailboxPath(places, mailboxNumber(Number(name))),
  },
  'mailboxes',
)

describeProtocol<PlannerEvent>(
  {
    protocol: dream,
    samples: ['generate-task-sequence', 'task-completed', 'task-failed'].map(dreamSample),
    unknownField: { ...dreamSample('task-failed'), text: '"trace": "t-9"' },
    parse: (bytes) => {
      const read = parseEvent(bytes, { most })
      return read.outcome === 'message' ? read.message : undefined
    },
    print: printEvent,
    recordOf: (event) => event,
    lift: (event, path) => {
      const file = messageFileName(`${String(event.data.task_id)}`)
      const where = {
        agent: 'Agent_0',
        state: 'outbox',
        path: (path === 'x' ? file : path) as never,
        modifiedAt: 0,
      } as const
      return { ...dreamViewOf(event, where), path }
    },
    names: {
      nameOf: ({ data }) => messageFileName(String(data.task_id)),
      readName: (name) => ({ id: idFrom(name) }),
    },
    folderOf: (name) => folderPath(places, dreamAgent(name), 'outbox'),
  },
  'events of planners',
)

describeProtocol(
  {
    protocol: dream,
    samples: ['task', 'task-dispatched'].map(dreamSample),
    unknownField: { ...dreamSample('task-dispatched'), text: '"estimate": 1.5' },
    parse: (bytes) => {
      const read = parsePlain(bytes, { most })
      return read.outcome === 'message' ? read.message : undefined
    },
    print: printPlain,
    recordOf: (message) => message,
    lift: (message, path) =>
      dreamViewOf(message, { agent: 'RefactorAgent', state: 'inbox', path: path as never, modifiedAt: 0 }),
    names: {
      nameOf: (message) => taskFileName(statedFieldsOf(message).id!),
      readName: (name) => ({ id: idFrom(name) }),
    },
    folderOf: (name) => reflectionsPath(places, dreamAgent(name)),
  },
  'plain channels',
)

// What lies on the tree is a session; the message that others know is a task in it.
const sessionSample = (name: string) => ({ fileName: 'ctx_789', bytes: golden(`shared-agent/${name}.json`) })

describeProtocol<Session>({
  protocol: sharedAgent,
  samples: ['session', 'unknown-fields'].map(sessionSample),
  unknownField: { ...sessionSample('unknown-fields'), text: '"note":"kept"' },
  parse: (bytes, fileName) => {
    const session = parseSession(bytes, fileName)
    return 'wrong' in session ? undefined : session
  },
  print: printSession,
  recordOf: (session) => session,
  lift: (session, path) => ({ ...sessionMessageOf(session.id, session.tasks[0]!), path }),
  names: { nameOf: ({ id }) => id, readName: (name) => ({ place: name }) },
  folderOf: (name) => sessionPath(sessionId(name)),
})
