import { treePath } from '../../kernel/tree-path.ts'
import { bytesOf, type Chapter } from '../chapter.ts'
import { messageRouting } from './index.ts'

/** Small, so that the tour need not send a hundred messages to fill it. */
const inboxLimit = 3

export const routing: Chapter = {
  name: 'routing',
  title: 'Message Routing: an inbox for each agent',
  async play({ tree, another, clock, say, step, show }) {
    const open = (on: typeof tree) =>
      messageRouting.open({ tree: on, clock, settings: { ...messageRouting.defaults, inboxLimit } })
    const lead = await open(tree)
    say('Every agent has an inbox. A message is a JSON file in it, and waits there until its reader starts.')
    for (const agent of ['lead', 'coder-1']) step(`mr init ${agent}`, (await lead.agents.init(agent)).outcome)
    const task = { from: 'lead', to: 'coder-1', type: 'task-delegation', requiresAck: true } as const
    const sent = await lead.sending.send({ ...task, payload: { task: 'Fix the login' } })
    step('mr send --from lead --to coder-1 --type task-delegation --requires-ack', sent.outcome)
    await show(treePath(sent.message.path))

    say('Two readers of one inbox ask at the same moment. The message goes to one of them, once.')
    const readers = await Promise.all([await open(await another()), await open(await another())])
    const both = await Promise.all(readers.map((reader) => reader.claiming.receive('coder-1')))
    for (const { outcome, messages } of both) step('mr receive coder-1', messages[0]?.id ?? outcome)
    const coder = readers[0]!

    say('The lead waits for the answer, and is woken by it. An acknowledgement is an answer too; it is given once.')
    const reply = lead.claiming.awaitReply('lead', sent.message.id, { waitMs: 10_000 })
    const acked = await coder.settling.ack('coder-1', sent.message.id)
    const again = await coder.settling.ack('coder-1', sent.message.id)
    step(`mr ack coder-1 ${sent.message.id}`, `${acked.outcome}, and the second time ${again.outcome}`)
    const answered = await reply
    step(`mr await lead ${sent.message.id}`, answered.outcome)

    say(
      `An inbox has a limit, here ${inboxLimit}. When it is full the oldest message makes room, and nothing is lost silently.`,
    )
    const ping = { from: 'lead', to: 'coder-1', type: 'command', payload: { action: 'health_check' } } as const
    const pings = []
    for (const priority of [1, 2, 3, 4]) pings.push(await lead.sending.send({ ...ping, priority }))
    const evicted = pings.flatMap((one) => one.evicted)
    step('mr send … (4 times)', `${evicted.length} evicted, ${pings.at(-1)!.depth} in the inbox`)
    await show(treePath(`${messageRouting.defaults.root}/coder-1/evictions.log`))

    say('A reader may ask for the most urgent first, and notices the number that never came.')
    const received = await coder.claiming.receive('coder-1', { order: 'priority' })
    const order = received.messages.map(({ priority }) => priority).join(', ')
    const missing = received.gaps.map(({ from, first }) => `number ${first} of ${from}`).join(', ')
    step('mr receive coder-1 --order priority', `priorities ${order}; missing is ${missing}`)

    say('A file that is no message is set aside with its reasons, and never stops the others.')
    const stray = treePath(`${messageRouting.defaults.root}/coder-1/inbox/msg_0badf00d.json`)
    await tree.create(stray, bytesOf('{"version": "1.0.0", "priority": 11}'))
    const { rejected } = await coder.claiming.receive('coder-1')
    step('mr receive coder-1', `${rejected.length} rejected: ${rejected[0]?.issues.at(-1)}`)

    say('What was taken or evicted can be brought back by a person.')
    const back = await lead.recovering.recover('coder-1', evicted[0]!)
    step(`mr recover coder-1 ${evicted[0]}`, `${back.outcome} from ${back.from}/`)
    const { depth } = await lead.overview.statusOf('coder-1')
    return {
      sent: sent.outcome,
      readers: both.filter(({ outcome }) => outcome === 'received').length,
      acknowledged: acked.outcome,
      twice: again.outcome,
      answered: answered.outcome,
      evicted: evicted.length,
      received: received.messages.length,
      order,
      rejected: rejected.length,
      gaps: received.gaps.length,
      recovered: back.outcome,
      depth,
    }
  },
}
