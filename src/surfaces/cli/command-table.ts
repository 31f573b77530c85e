/**
 * Every command, by name. Light on purpose: a cold command reads this table and loads only its own line.
 * A test holds the summaries to those of the operations. Each protocol adds a group.
 */
import { acmqGroup } from './acmq-group.ts'
import type { Group } from './command.ts'
import { mrGroup } from './mr-group.ts'

export const program = 'signalbox'

export const commandTable: Group = {
  name: program,
  summary: 'One message bus for coding agents: plain files are the only truth.',
  members: [
    {
      name: 'init',
      summary: 'Make a workspace here: its settings file and its own folder.',
      load: async () => (await import('./commands/init.ts')).initFace,
    },
    acmqGroup,
    mrGroup,
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
      load: async () => (await import('./commands/bench.ts')).benchFace,
    },
    {
      name: 'completion',
      summary: 'Print the completion script for a shell.',
      load: async () => (await import('./commands/completion.ts')).completionFace,
    },
    {
      name: 'version',
      summary: 'Tell which version this is, and what it runs on.',
      load: async () => (await import('./commands/version.ts')).versionFace,
    },
  ],
}
