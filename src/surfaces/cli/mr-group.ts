/** The commands of Message Routing, by name. Light on purpose, as the table they stand in. */
import type { Group } from './command.ts'

export const mrGroup: Group = {
  name: 'mr',
  summary: 'Message Routing: an inbox of JSON messages for each agent, numbered, limited and acknowledged.',
  members: [
    {
      name: 'init',
      summary: 'Make the inbox of an agent, so that others can see that it is there.',
      load: async () => (await import('./commands/mr/init.ts')).initFace,
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
      load: async () => (await import('./commands/mr/unacked.ts')).unackedFace,
    },
    {
      name: 'broadcast',
      summary: 'Send a message to every known agent but the sender.',
      load: async () => (await import('./commands/mr/broadcast.ts')).broadcastFace,
    },
    {
      name: 'await',
      summary: 'Wait for the reply to a message, and take it.',
      load: async () => (await import('./commands/mr/await.ts')).awaitFace,
    },
    {
      name: 'validate',
      summary: 'Judge a file: is it a message, and if not, what is wrong with it?',
      load: async () => (await import('./commands/mr/validate.ts')).validateFace,
    },
    {
      name: 'status',
      summary: 'Show how full the inboxes are, what left them, and what is wrong.',
      load: async () => (await import('./commands/mr/status.ts')).statusFace,
    },
    {
      name: 'metrics',
      summary: 'Show how long writing and reading took, how full inboxes are, and how much was evicted.',
      load: async () => (await import('./commands/mr/metrics.ts')).metricsFace,
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
      summary: 'Put a message that was taken or evicted back into the inbox.',
      load: async () => (await import('./commands/mr/recover.ts')).recoverFace,
    },
    {
      name: 'keys',
      summary: 'Show the keys of agents, make them, or trust those of somebody else.',
      load: async () => (await import('./commands/mr/keys.ts')).keysFace,
    },
  ],
}
