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
          summary:
            'Look after a mission: settle stalls, set malformed files aside, archive what is old, digest what belongs together.',
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
        {
          name: 'search',
          summary: 'Find messages by their words and by what they mean, archived ones too.',
          load: async () => (await import('./commands/acmq/memory.ts')).searchFace,
        },
        {
          name: 'bus',
          summary: 'Digest related messages into bus documents in `findings/`: a table, a summary and the whole log.',
          load: async () => (await import('./commands/acmq/memory.ts')).busFace,
        },
        {
          name: 'snapshot',
          summary: 'Write down what is in the queues right now, as tables in `artifacts/queue-snapshots/`.',
          load: async () => (await import('./commands/acmq/memory.ts')).snapshotFace,
        },
        {
          name: 'organize',
          summary: 'Bring files of `context/` that belong together into folders of their own, each with a README.',
          load: async () => (await import('./commands/acmq/memory.ts')).organizeFace,
        },
        {
          name: 'report',
          summary: 'Report on a mission: every message in order, the state of things, or the whole story.',
          load: async () => (await import('./commands/acmq/memory.ts')).reportFace,
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
      name: 'circe',
      summary: 'CIRCE: Markdown messages with intents, a workspace for each agent, tasks with owners and checks.',
      members: [
        {
          name: 'init',
          summary: 'Make the inbox and the workspace of agents.',
          load: async () => (await import('./commands/circe/messages.ts')).initFace,
        },
        {
          name: 'send',
          summary: 'Put a message into NEW_MESSAGES/.',
          load: async () => (await import('./commands/circe/messages.ts')).sendFace,
        },
        {
          name: 'inbox',
          summary: 'List what there is for an agent: waiting, claimed and being worked on.',
          load: async () => (await import('./commands/circe/tasks.ts')).inboxFace,
        },
        {
          name: 'claim',
          summary: 'Take the oldest message that is for an agent, so that no other works on it.',
          load: async () => (await import('./commands/circe/messages.ts')).claimFace,
        },
        {
          name: 'start',
          summary: 'Begin to work on a message: it moves into the workspace.',
          load: async () => (await import('./commands/circe/messages.ts')).startFace,
        },
        {
          name: 'ack',
          summary: 'Acknowledge a message: a copy goes into LOGS/, and it stays in the inbox.',
          load: async () => (await import('./commands/circe/messages.ts')).ackFace,
        },
        {
          name: 'done',
          summary: 'Be done with a message: it leaves inbox or workspace, and LOGS/ keeps it.',
          load: async () => (await import('./commands/circe/messages.ts')).doneFace,
        },
        {
          name: 'release',
          summary: 'Give a task back: others can claim its work.',
          load: async () => (await import('./commands/circe/tasks.ts')).releaseFace,
        },
        {
          name: 'tasks',
          summary: 'Show how tasks stand: status, owner, checks, and which have gone quiet.',
          load: async () => (await import('./commands/circe/tasks.ts')).tasksFace,
        },
        {
          name: 'check',
          summary: 'Show or set the checks of a task.',
          load: async () => (await import('./commands/circe/tasks.ts')).checkFace,
        },
        {
          name: 'status',
          summary: 'Say how a task stands.',
          load: async () => (await import('./commands/circe/tasks.ts')).statusFace,
        },
        {
          name: 'log',
          summary: 'Tell what happened, in order: messages, claims, checks, questions and answers.',
          load: async () => (await import('./commands/circe/tasks.ts')).logFace,
        },
        {
          name: 'answer',
          summary: 'Answer a message: one answer goes to whoever asked.',
          load: async () => (await import('./commands/circe/messages.ts')).answerFace,
        },
      ],
    },
    {
      name: 'dream',
      summary: 'Dream.OS: shared mailboxes, inboxes, plans and prompts, with a log of what was decided.',
      members: [
        {
          name: 'mailbox',
          summary: 'Shared mailboxes: claim one, send, get the next message, say what came of it.',
          alone: 'list',
          members: [
            {
              name: 'init',
              summary: 'Make shared mailboxes, with the numbers 1 to N.',
              load: async () => (await import('./commands/dream/mailbox.ts')).initFace,
            },
            {
              name: 'claim',
              summary: 'Take a mailbox: a free one, or one whose agent has not been seen for five minutes.',
              load: async () => (await import('./commands/dream/mailbox.ts')).claimFace,
            },
            {
              name: 'heartbeat',
              summary: 'Say that the agent of a mailbox lives, and still works on what it has in hand.',
              load: async () => (await import('./commands/dream/mailbox.ts')).heartbeatFace,
            },
            {
              name: 'send',
              summary: 'Put a message into a shared mailbox.',
              load: async () => (await import('./commands/dream/mailbox.ts')).sendFace,
            },
            {
              name: 'next',
              summary: 'Get the next message of your mailbox.',
              load: async () => (await import('./commands/dream/mailbox.ts')).nextFace,
            },
            {
              name: 'done',
              summary: 'Record what came of a message, and mark it processed.',
              load: async () => (await import('./commands/dream/mailbox.ts')).doneFace,
            },
            {
              name: 'release',
              summary: 'Give a mailbox up; what was in hand is given to whoever comes next.',
              load: async () => (await import('./commands/dream/mailbox.ts')).releaseFace,
            },
            {
              name: 'compact',
              summary: 'Move processed messages of more than a week ago out of a mailbox, into a file beside it.',
              load: async () => (await import('./commands/dream/mailbox.ts')).compactFace,
            },
            {
              name: 'list',
              summary: 'Show the mailboxes: whose they are, how they stand, what is wrong with them.',
              load: async () => (await import('./commands/dream/mailbox.ts')).listFace,
            },
          ],
        },
        {
          name: 'task',
          summary: 'Inboxes of agents: send, list, take, finish.',
          members: [
            {
              name: 'send',
              summary: 'Put a task into the inbox of an agent.',
              load: async () => (await import('./commands/dream/task.ts')).sendFace,
            },
            {
              name: 'inbox',
              summary: 'List what waits for an agent, and what it has in hand.',
              load: async () => (await import('./commands/dream/task.ts')).inboxFace,
            },
            {
              name: 'take',
              summary: 'Take the next file for an agent, the most urgent first.',
              load: async () => (await import('./commands/dream/task.ts')).takeFace,
            },
            {
              name: 'done',
              summary: 'Record what came of a task, and put its file into the archive.',
              load: async () => (await import('./commands/dream/task.ts')).doneFace,
            },
          ],
        },
        {
          name: 'route',
          summary: 'Carry what lies in outboxes to where it is meant for, and look after mailboxes and plans.',
          load: async () => (await import('./commands/dream/task.ts')).routeFace,
        },
        {
          name: 'plan',
          summary: 'Ask a planning agent to break a goal down into tasks.',
          load: async () => (await import('./commands/dream/task.ts')).planFace,
        },
        {
          name: 'tasks',
          summary: 'List the tasks, or those that may start, or hand those out.',
          load: async () => (await import('./commands/dream/task.ts')).tasksFace,
        },
        {
          name: 'completed',
          summary: 'List the outcomes of tasks.',
          load: async () => (await import('./commands/dream/task.ts')).completedFace,
        },
        {
          name: 'prompt',
          summary: 'The bridge to a model: prompts from templates, and responses.',
          members: [
            {
              name: 'render',
              summary: 'Render a template, and write nothing.',
              load: async () => (await import('./commands/dream/prompt.ts')).renderFace,
            },
            {
              name: 'stage',
              summary: 'Render a template and put it where the bridge reads it.',
              load: async () => (await import('./commands/dream/prompt.ts')).stageFace,
            },
            {
              name: 'fetch',
              summary: 'Take the response of the bridge, once.',
              load: async () => (await import('./commands/dream/prompt.ts')).fetchFace,
            },
            {
              name: 'ask',
              summary: 'Stage a prompt and wait for the response to it.',
              load: async () => (await import('./commands/dream/prompt.ts')).askFace,
            },
          ],
        },
        {
          name: 'governance',
          summary: 'The log of significant events.',
          members: [
            {
              name: 'add',
              summary: 'Write an event into the governance log.',
              load: async () => (await import('./commands/dream/prompt.ts')).addFace,
            },
            {
              name: 'query',
              summary: 'Find events in the governance log, by type, agent and time.',
              load: async () => (await import('./commands/dream/prompt.ts')).queryFace,
            },
          ],
        },
        {
          name: 'reflect',
          summary: 'Write a reflection of an agent on its own work.',
          load: async () => (await import('./commands/dream/prompt.ts')).reflectFace,
        },
        {
          name: 'report',
          summary: 'Write a report or a log for people, in Markdown.',
          load: async () => (await import('./commands/dream/prompt.ts')).reportFace,
        },
        {
          name: 'state',
          summary: 'Show or change a state of the system, or of an agent.',
          load: async () => (await import('./commands/dream/prompt.ts')).stateFace,
        },
        {
          name: 'supervisor',
          summary: 'What the supervisor knows.',
          alone: 'show',
          members: [
            {
              name: 'show',
              summary: 'Show what the supervisor knows: agents, assignments, goals, and what it did.',
              load: async () => (await import('./commands/dream/prompt.ts')).supervisorFace,
            },
          ],
        },
      ],
    },
    {
      name: 'session',
      summary: 'Shared Agent Protocol: sessions in which agents and people speak in short commands.',
      members: [
        {
          name: 'start',
          summary: 'Start a session, and make it the one that is meant when none is named.',
          load: async () => (await import('./commands/session/overview.ts')).startFace,
        },
        {
          name: 'say',
          summary: 'Say a line in a session, and print its answer.',
          load: async () => (await import('./commands/session/say.ts')).sayFace,
        },
        {
          name: 'translate',
          summary: 'Tell which command a sentence means, without running it.',
          load: async () => (await import('./commands/session/say.ts')).translateFace,
        },
        {
          name: 'chat',
          summary: 'Speak in a session at a prompt, with history and completion.',
          load: async () => (await import('./commands/session/chat.ts')).chatFace,
        },
        {
          name: 'serve-stdio',
          summary: 'Speak in a session line by line over standard input and output, for programs.',
          load: async () => (await import('./commands/session/serve.ts')).serveFace,
        },
        {
          name: 'inbox',
          summary: 'Take what was sent to an agent in a session, oldest first.',
          load: async () => (await import('./commands/session/overview.ts')).inboxFace,
        },
        {
          name: 'work',
          summary: 'Do what was delegated to programs, and record what came of it.',
          load: async () => (await import('./commands/session/work.ts')).workFace,
        },
        {
          name: 'locks',
          summary: 'List the locks of a session: who holds what until when, and who waits.',
          load: async () => (await import('./commands/session/overview.ts')).locksFace,
        },
        {
          name: 'log',
          summary: 'Tell every change of a session, with who made it and when.',
          load: async () => (await import('./commands/session/overview.ts')).logFace,
        },
        {
          name: 'list',
          summary: 'List the sessions of this workspace.',
          load: async () => (await import('./commands/session/overview.ts')).listFace,
        },
        {
          name: 'end',
          summary: 'End a session: clear what is temporary, release its locks and stop its programs.',
          load: async () => (await import('./commands/session/overview.ts')).endFace,
        },
      ],
    },
    {
      name: 'human',
      summary: 'What waits for a person: look, answer, approve, deny.',
      alone: 'list',
      members: [
        {
          name: 'list',
          summary: 'List what waits for a person.',
          load: async () => (await import('./commands/human.ts')).humanListFace,
        },
        {
          name: 'approve',
          summary: 'Say yes: let a held message go to whoever claims it.',
          load: async () => (await import('./commands/human.ts')).humanApproveFace,
        },
        {
          name: 'deny',
          summary: 'Say no: a held message fails with your reason.',
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
      summary: 'Take over a workspace of plain files from a directory, or single files.',
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
