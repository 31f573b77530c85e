import { treePath } from '../../src/kernel/tree-path.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import { messageRouting } from '../../src/protocols/message-routing/index.ts'
import { describeNeutral } from './neutral.ts'

describeNeutral('Message Routing', {
  protocol: messageRouting,
  open: async (tree, clock) =>
    (await messageRouting.open({ tree, clock, settings: messageRouting.defaults })).neutral(),
  lacks: ['renew', 'failed', 'questions', 'answer', 'duties'],
  takesIds: false,
  waiting: 'inbox',
  async clutter(tree) {
    const at = (path: string) => treePath(`${messageRouting.defaults.root}/${path}`)
    await tree.create(at('coder-1/inbox/msg_0000000a.json'), 'no JSON')
    await tree.create(at('coder-1/inbox/msg_0000000b.json'), '{"version": "1.0.0"}')
    await tree.create(at('coder-1/inbox/msg_0000000c.json/below.json'), '{}')
    await tree.create(at('coder-1/inbox/.tmp'), 'x')
    await tree.create(at('coder-1/taken'), 'a file where a folder belongs')
    await tree.create(at('coder-3/inbox'), 'a file where a folder belongs')
    await tree.create(at('stray.txt'), 'x')
    await tree.create(at('Not An Agent/inbox/msg_0000000d.json'), '{}')
  },
})

describeNeutral('AC-MQ', {
  protocol: acmq,
  async open(tree, clock) {
    const missions = await acmq.open({ tree, clock, settings: acmq.defaults })
    await missions.create('alpha')
    return missions.neutral()
  },
  lacks: [],
  takesIds: true,
  waiting: 'pending',
  async clutter(tree) {
    const at = (path: string) => treePath(`${acmq.defaults.root}/${path}`)
    await tree.create(at('alpha/queue/pending/no-header.md'), 'no header')
    await tree.create(at('alpha/queue/pending/broken.md'), '---\nid: [\n---\n')
    await tree.create(at('alpha/queue/pending/folder.md/below.md'), 'x')
    await tree.create(at('alpha/queue/pending/.hidden.md'), 'x')
    await tree.create(at('alpha/queue/completed/no-message.md'), '---\n---\n')
    await tree.create(at('stray.txt'), 'x')
    await tree.create(at('no-mission/notes.md'), 'x')
  },
})
