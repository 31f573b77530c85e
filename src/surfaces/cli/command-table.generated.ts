// Written by scripts/command-table.mjs. Do not edit: change command-outline.ts or the operations, and run it again.
import type { Group } from './command.ts'

/** Every command, by name. Light on purpose: a cold command reads this table and loads only its own line. */
export const commandTable: Group = {
  name: 'signalbox',
  summary: 'One message bus for coding agents: plain files are the only truth.',
  members: [
    {
      name: 'init',
      summary: 'Make a workspace here: its settings file and its own folder.',
      load: async () => (await import('./commands/init.ts')).initFace,
    },
    {
      name: 'acmq',
      summary: 'AC-MQ: missions with queues of Markdown messages, dependencies and claims.',
      members: [
        {
          name: 'create-mission',
          summary: 'Make a mission: its folders, its queues and a manifest to fill in.',
          load: async () => (await import('./commands/acmq/mission.ts')).createMissionFace,
        },
        {
          name: 'missions',
          summary: 'List all missions, with how many messages are where.',
          load: async () => (await import('./commands/acmq/mission.ts')).missionsFace,
        },
        {
          name: 'status',
          summary: 'Show how a mission is doing: queues, what waits and why, who works, how fast.',
          load: async () => (await import('./commands/acmq/status.ts')).statusFace,
        },
        {
          name: 'send',
          summary: 'Put a message into the queue of a mission.',
          load: async () => (await import('./commands/acmq/send.ts')).sendFace,
        },
        {
          name: 'list',
          summary: 'List the messages of a mission, in the order in which they will be or were worked on.',
          load: async () => (await import('./commands/acmq/messages.ts')).listFace,
        },
        {
          name: 'show',
          summary: 'Show one message with its text, wherever it is, in the archive too.',
          load: async () => (await import('./commands/acmq/messages.ts')).showFace,
        },
        {
          name: 'claim',
          summary: 'Take the next message, so that no other agent works on it.',
          load: async () => (await import('./commands/acmq/claim.ts')).claimFace,
        },
        {
          name: 'renew',
          summary: 'Say that you still work on a message: its time starts again.',
          load: async () => (await import('./commands/acmq/settled.ts')).renewFace,
        },
        {
          name: 'complete',
          summary: 'Mark a claimed message as done, with its result.',
          load: async () => (await import('./commands/acmq/settled.ts')).completeFace,
        },
        {
          name: 'fail',
          summary: 'Give up a claimed message, with a report that stays in it.',
          load: async () => (await import('./commands/acmq/settled.ts')).failFace,
        },
        {
          name: 'retry',
          summary: 'Let a failed message wait again, as its next attempt.',
          load: async () => (await import('./commands/acmq/settled.ts')).retryFace,
        },
        {
          name: 'wait',
          summary: 'Wait until messages are completed or failed, and print what came of them.',
          load: async () => (await import('./commands/acmq/wait.ts')).waitFace,
        },
        {
          name: 'milestone',
          summary: 'Tick a milestone in the manifest, or take the tick back.',
          load: async () => (await import('./commands/acmq/mission.ts')).milestoneFace,
        },
        {
          name: 'find-stalled',
          summary: 'List the messages whose claim has run out of time. Nothing is changed.',
          load: async () => (await import('./commands/acmq/messages.ts')).findStalledFace,
        },
        {
          name: 'supervise',
          summary: 'Look after a mission: settle stalled claims, set malformed files aside, archive what is old.',
          load: async () => (await import('./commands/acmq/upkeep.ts')).superviseFace,
        },
        {
          name: 'reconcile',
          summary: 'Put a mission in order after a crash, and tell an agent where it stands.',
          load: async () => (await import('./commands/acmq/upkeep.ts')).reconcileFace,
        },
        {
          name: 'archive',
          summary: 'Pack messages that were completed a while ago.',
          load: async () => (await import('./commands/acmq/upkeep.ts')).archiveFace,
        },
        {
          name: 'hydrate',
          summary: 'Print what an agent should read before it works, as one document.',
          load: async () => (await import('./commands/acmq/messages.ts')).hydrateFace,
        },
        {
          name: 'graph',
          summary: 'Draw which message waits for which, with their states.',
          load: async () => (await import('./commands/acmq/messages.ts')).graphFace,
        },
      ],
    },
    {
      name: 'mr',
      summary: 'Message Routing: an inbox of JSON messages for each agent, numbered, limited and acknowledged.',
      members: [
        {
          name: 'init',
          summary: 'Make the inbox of an agent, so that others can see that it is there.',
          load: async () => (await import('./commands/mr/agents.ts')).initFace,
        },
        {
          name: 'send',
          summary: 'Put a message into the inbox of an agent.',
          load: async () => (await import('./commands/mr/send.ts')).sendFace,
        },
        {
          name: 'receive',
          summary: 'Take the messages that wait for an agent, oldest first.',
          load: async () => (await import('./commands/mr/receive.ts')).receiveFace,
        },
        {
          name: 'ack',
          summary: 'Tell the sender of a message that it arrived.',
          load: async () => (await import('./commands/mr/ack.ts')).ackFace,
        },
        {
          name: 'unacked',
          summary: 'List what has not been acknowledged: by others towards an agent, and by it.',
          load: async () => (await import('./commands/mr/kept.ts')).unackedFace,
        },
        {
          name: 'broadcast',
          summary: 'Send a message to every known agent but the sender.',
          load: async () => (await import('./commands/mr/exchange.ts')).broadcastFace,
        },
        {
          name: 'await',
          summary: 'Wait for the reply to a message, and take it.',
          load: async () => (await import('./commands/mr/exchange.ts')).awaitFace,
        },
        {
          name: 'validate',
          summary: 'Judge a file: is it a message, and if not, what is wrong with it?',
          load: async () => (await import('./commands/mr/validate.ts')).validateFace,
        },
        {
          name: 'status',
          summary: 'Show how full the inboxes are, what left them, and what is wrong.',
          load: async () => (await import('./commands/mr/overview.ts')).statusFace,
        },
        {
          name: 'metrics',
          summary: 'Show how long writing and reading took, how full inboxes are, and how much was evicted.',
          load: async () => (await import('./commands/mr/overview.ts')).metricsFace,
        },
        {
          name: 'taken',
          summary: 'List what was taken from an inbox and is still kept.',
          load: async () => (await import('./commands/mr/kept.ts')).takenFace,
        },
        {
          name: 'evicted',
          summary: 'List what had to make room in a full inbox and is still kept.',
          load: async () => (await import('./commands/mr/kept.ts')).evictedFace,
        },
        {
          name: 'rejected',
          summary: 'List the files that were no messages for an inbox and were set aside.',
          load: async () => (await import('./commands/mr/kept.ts')).rejectedFace,
        },
        {
          name: 'recover',
          summary: 'Put a message that was taken, evicted or rejected back into the inbox.',
          load: async () => (await import('./commands/mr/kept.ts')).recoverFace,
        },
        {
          name: 'keys',
          summary: 'Show the keys of agents, make them, or trust those of somebody else.',
          load: async () => (await import('./commands/mr/agents.ts')).keysFace,
        },
      ],
    },
    {
      name: 'human',
      summary: 'What waits for a person: look, approve, deny.',
      alone: 'list',
      members: [
        {
          name: 'list',
          summary: 'List what waits for a person.',
          load: async () => (await import('./commands/human.ts')).humanListFace,
        },
        {
          name: 'approve',
          summary: 'Let a held message go to whoever claims it.',
          load: async () => (await import('./commands/human.ts')).humanApproveFace,
        },
        {
          name: 'deny',
          summary: 'Refuse a held message: it fails with your reason.',
          load: async () => (await import('./commands/human.ts')).humanDenyFace,
        },
        {
          name: 'answer',
          summary: 'Answer a question that an agent has put to a person.',
          load: async () => (await import('./commands/human.ts')).humanAnswerFace,
        },
      ],
    },
    {
      name: 'doctor',
      summary: 'Look for what is out of order, and repair what can be repaired.',
      load: async () => (await import('./commands/doctor.ts')).doctorFace,
    },
    {
      name: 'mirror',
      summary: 'Keep a copy of a cluster’s workspace as plain files, for people and git to look at.',
      load: async () => (await import('./commands/transfer.ts')).mirrorFace,
    },
    {
      name: 'import',
      summary: 'Take over a workspace of plain files from a directory.',
      load: async () => (await import('./commands/transfer.ts')).importFace,
    },
    {
      name: 'export',
      summary: 'Write the workspace to a directory, as plain files.',
      load: async () => (await import('./commands/transfer.ts')).exportFace,
    },
    {
      name: 'demo',
      summary: 'A short tour on real files: what the tree promises, and how it looks on disk.',
      load: async () => (await import('./commands/demo.ts')).demoFace,
    },
    {
      name: 'bench',
      summary: 'Measure this machine: engine and library against bare system calls, and cold starts.',
      load: async () => (await import('./commands/about.ts')).benchFace,
    },
    {
      name: 'completion',
      summary: 'Print the completion script for a shell.',
      load: async () => (await import('./commands/completion.ts')).completionFace,
    },
    {
      name: 'version',
      summary: 'Tell which version this is, and what it runs on.',
      load: async () => (await import('./commands/about.ts')).versionFace,
    },
  ],
}
