import { heldClock } from '../../src/kernel/clock.ts'
import { treePath } from '../../src/kernel/tree-path.ts'
import { acmq } from '../../src/protocols/ac-mq/index.ts'
import { policyPath } from '../../src/protocols/ac-mq/store/policy.ts'
import { circe } from '../../src/protocols/circe/index.ts'
import { dream } from '../../src/protocols/dream-os/index.ts'
import { messageRouting } from '../../src/protocols/message-routing/index.ts'
import { sharedAgent } from '../../src/protocols/shared-agent/index.ts'
import { describeNeutral } from './neutral.ts'

describeNeutral('Message Routing', {
  protocol: messageRouting,
  open: async (tree, clock) =>
    (await messageRouting.open({ tree, clock, settings: messageRouting.defaults })).neutral(),
  lacks: ['renew', 'questions', 'answer', 'duties'],
  isShared: true,
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
  isShared: true,
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
  asks: {
    async 'a message that the policy holds back'(tree, neutral) {
      await tree.create(policyPath, Buffer.from('hold: ["deploy * production"]\n'))
      await neutral.send!({ from: 'lead', to: 'coder-1', text: 'Please deploy it to production' })
      await neutral.send!({ from: 'lead', to: 'coder-1', text: 'Harmless' })
    },
  },
})

describeNeutral('CIRCE', {
  protocol: circe,
  open: async (tree, clock) => (await circe.open({ tree, clock, settings: circe.defaults })).neutral(),
  lacks: ['renew', 'duties'],
  isShared: true,
  waiting: 'new',
  async clutter(tree) {
    const at = (path: string) => treePath(`${circe.defaults.root}/${path}`)
    await tree.create(at('NEW_MESSAGES/no-head.md'), 'no head')
    await tree.create(at('NEW_MESSAGES/no-headers.md'), '# MESSAGE\n')
    await tree.create(at('NEW_MESSAGES/folder.md/below.md'), 'x')
    await tree.create(at('NEW_MESSAGES/.hidden.md'), 'x')
    await tree.create(at('AGENTS/coder-1/INBOX/broken.md'), '# MESSAGE\nfrom: lead\n')
    await tree.create(at('AGENTS/coder-2/INBOX'), 'a file where a folder belongs')
    await tree.create(at('AGENTS/coder-3'), 'a file where a folder belongs')
    await tree.create(at('AGENTS/Not An Agent/INBOX/x.md'), 'x')
    await tree.create(at('TASKS/X-1.status'), 'not: [yaml')
    await tree.create(at('TASKS/X-2.owner/below'), 'x')
    await tree.create(at('TASKS/definition.md'), 'x')
    await tree.create(at('LOGS/no-message.md'), 'x')
    await tree.create(at('stray.txt'), 'x')
  },
  asks: {
    async 'an escalation with options'(tree) {
      const harmless = treePath(`${circe.defaults.root}/NEW_MESSAGES/20251231_120000_lead-engineer_question.md`)
      await tree.create(harmless, asked('lead', 'engineer', 'question', 'Nothing for a person'))
      await tree.create(
        newMessage('escalate'),
        asked('engineer', 'coordinator', 'escalate', '## Options\n1. RS256\n2. HS256\n'),
      )
    },
    async 'an escalation that nobody gave options'(tree) {
      await tree.create(newMessage('escalate'), asked('engineer', 'coordinator', 'escalate', '## Summary\nWhat now?\n'))
    },
    async 'an approval'(tree) {
      const text = '## Summary\nMay we ship it?\n\n## Request\nROOSTER, please say yes.\n'
      await tree.create(newMessage('approve'), asked('engineer', 'coordinator', 'approval_request', text))
      await tree.create(
        treePath(`${circe.defaults.root}/NEW_MESSAGES/20251231_120000_other.md`),
        asked('engineer', 'lead', 'approval_request', '## Summary\nMay I?\n'),
      )
    },
    async 'a question to the person'(_, neutral) {
      await neutral.send!({ from: 'engineer', to: 'ROOSTER', text: 'Which one is it?' })
    },
  },
})

const newMessage = (name: string) => treePath(`${circe.defaults.root}/NEW_MESSAGES/20260101_120000_${name}.md`)
const asked = (from: string, to: string, intent: string, text: string) =>
  `# MESSAGE\nfrom: ${from}\nto: ${to}\nintent: ${intent}\ntask_id: AUTH-012\nstatus: blocked\ncreated_at: 2026-01-01T12:00:00Z\n\n${text}`
describeNeutral('Dream.OS', {
  protocol: dream,
  open: async (tree, clock) => (await dream.open({ tree, clock, settings: dream.defaults })).neutral(),
  lacks: [],
  isShared: true,
  waiting: 'inbox',
  asks: {
    async 'a failure that waits for an executor nobody has seen'(_, neutral) {
      await neutral.send!({ from: 'lead', to: 'coder-1', text: 'Try it' })
      const taken = await neutral.take!('coder-1')
      if (taken.outcome === 'taken') await neutral.failed!(taken.receipt, { reason: 'It is broken' })
    },
  },
  async clutter(tree) {
    const at = (path: string) => treePath(`runtime/${path}`)
    await tree.create(at('coder-1/inbox/msg_1.json'), 'no JSON')
    await tree.create(at('coder-1/inbox/msg_2.json'), '[1]')
    await tree.create(at('coder-1/inbox/msg_3.json/below.json'), '{}')
    await tree.create(at('coder-1/inbox/.tmp'), 'x')
    await tree.create(at('coder-1/working'), 'a file where a folder belongs')
    await tree.create(at('coder-3/inbox'), 'a file where a folder belongs')
    await tree.create(at('stray.txt'), 'x')
    await tree.create(at('Not An Agent/inbox/msg_4.json'), '{}')
    await tree.create(treePath('_agent_coordination/shared_mailboxes/mailbox_1.json'), 'no mailbox')
    await tree.create(treePath('.signalbox/state/delivery/dream/finishing/x.json'), 'no note')
  },
})

describeNeutral('Shared Agent Protocol', {
  protocol: sharedAgent,
  async open(tree, clock) {
    return (await sharedAgent.open({ tree, clock, settings: sharedAgent.defaults })).neutral()
  },
  lacks: ['renew', 'duties'],
  isShared: true,
  waiting: 'pending',
  asks: {
    async 'an escalation'(tree) {
      const clock = heldClock(Date.parse('2026-01-01T12:00:00Z'))
      const sessions = await sharedAgent.open({ tree, clock, settings: sharedAgent.defaults })
      await sessions.say('#ESCALATE:production_is_down', { session: 'night', agent: 'coder-1' })
    },
  },
  async clutter(tree) {
    const at = (path: string) => treePath(`.signalbox/state/sessions/${path}`)
    await tree.create(at('broken/session.json'), 'no JSON')
    await tree.create(at('other/session.json'), '{"id": "another"}')
    await tree.create(at('folder/session.json/below.json'), '{}')
    await tree.create(at('stray'), 'a file where a folder belongs')
    await tree.create(at('Not A Session/session.json'), '{}')
  },
})
