/** The commands of AC-MQ, by name: `acmq …` is `signalbox acmq …`. Light on purpose, as the table they stand in. */
import type { Group } from './command.ts'

export const acmqGroup: Group = {
  name: 'acmq',
  summary: 'AC-MQ: missions with queues of Markdown messages, dependencies and claims.',
  members: [
    {
      name: 'create-mission',
      summary: 'Make a mission: its folders, its queues and a manifest to fill in.',
      load: async () => (await import('./commands/acmq/create-mission.ts')).createMissionFace,
    },
    {
      name: 'missions',
      summary: 'List all missions, with how many messages are where.',
      load: async () => (await import('./commands/acmq/missions.ts')).missionsFace,
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
      load: async () => (await import('./commands/acmq/list.ts')).listFace,
    },
    {
      name: 'show',
      summary: 'Show one message with its text, wherever it is, in the archive too.',
      load: async () => (await import('./commands/acmq/show.ts')).showFace,
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
      name: 'milestone',
      summary: 'Tick a milestone in the manifest, or take the tick back.',
      load: async () => (await import('./commands/acmq/milestone.ts')).milestoneFace,
    },
    {
      name: 'find-stalled',
      summary: 'List the messages whose claim has run out of time. Nothing is changed.',
      load: async () => (await import('./commands/acmq/find-stalled.ts')).findStalledFace,
    },
    {
      name: 'supervise',
      summary: 'Look after a mission: settle stalled claims, set malformed files aside, archive what is old.',
      load: async () => (await import('./commands/acmq/supervise.ts')).superviseFace,
    },
    {
      name: 'reconcile',
      summary: 'Put a mission in order after a crash, and tell an agent where it stands.',
      load: async () => (await import('./commands/acmq/reconcile.ts')).reconcileFace,
    },
    {
      name: 'archive',
      summary: 'Pack messages that were completed a while ago.',
      load: async () => (await import('./commands/acmq/archive.ts')).archiveFace,
    },
    {
      name: 'hydrate',
      summary: 'Print what an agent should read before it works, as one document.',
      load: async () => (await import('./commands/acmq/hydrate.ts')).hydrateFace,
    },
    {
      name: 'graph',
      summary: 'Draw which message waits for which, with their states.',
      load: async () => (await import('./commands/acmq/graph.ts')).graphFace,
    },
  ],
}
