/**
 * What Signalbox must do, as data. An id follows the section of its specification (`AC-3.2b`: AC-MQ §3.2), a
 * letter splits a section, and `X` goes beyond the specifications. A test cites ids through `verifies`, and
 * `coverage.test.ts` names what nobody proves. What is not built yet is deferred, with the reason.
 */
export interface Requirement {
  readonly id: string
  /** The family's name and, where there is one, the section: `AC-MQ §3.2`. */
  readonly section: string
  readonly must: string
  /** Why no test proves it yet. */
  readonly deferred?: string
}

type Row = readonly [id: string, must: string, state?: 'built']

const family = (name: string, deferred: string, rows: readonly Row[]): Requirement[] =>
  rows.map(([id, must, state]) => {
    const number = /^[A-Z]+-(\d+(?:\.\d+)?)/.exec(id)?.[1]
    const section = number === undefined ? name : `${name} §${number}`
    return state === 'built' ? { id, section, must } : { id, section, must, deferred }
  })

const acmq = family('AC-MQ', 'AC-MQ does not prove it yet', [
  [
    'AC-2a',
    'A new mission gets its manifest and all its folders, under a root set by flag, environment or file.',
    'built',
  ],
  ['AC-2b', 'Making a mission that is there changes nothing, says so, and is no error.', 'built'],
  ['AC-2c', 'A mission or agent name that could leave the root is refused before anything is written.', 'built'],
  ['AC-3.1', 'File names carry time, short id, sender and recipient, and are read back without doubt.', 'built'],
  ['AC-3.1b', 'Equal second and equal short id never collide; an ambiguous short id lists its candidates.', 'built'],
  ['AC-3.2a', 'All ten header fields are read and written with their types; optional ones have defaults.', 'built'],
  ['AC-3.2b', 'Changing one field leaves every other byte of the file as it was.', 'built'],
  ['AC-3.2c', 'A malformed message is set aside with a report once it stands still, and stops no other.', 'built'],
  ['AC-3.2d', 'Field values are checked; a mismatch is reported and not fatal.', 'built'],
  ['AC-3.2e', 'Odd encodings, pipes, devices, links and folders named like messages break nothing.', 'built'],
  ['AC-3.3', 'A body is any Markdown and stays as it is, with lines of three dashes too.', 'built'],
  ['AC-4.1', 'A sent message is there whole or not at all, whenever the sender dies.', 'built'],
  [
    'AC-4.2a',
    'A claim takes the most urgent, then the oldest, of what is meant for the agent and not blocked.',
    'built',
  ],
  ['AC-4.2b', 'Of all who claim at once, on any machine, exactly one gets each message.', 'built'],
  ['AC-4.2c', 'A claim writes the new status and starts the stall clock again.', 'built'],
  ['AC-4.3', 'Completing writes the status, adds the result or a link to it, and moves the file.', 'built'],
  ['AC-4.4', 'Failing writes the status, adds the report and moves the file.', 'built'],
  ['AC-4.5', 'The folder is the truth; a crash between move and rewrite is repaired forward.', 'built'],
  ['AC-5a', 'The manifest holds objective, status, milestones and globs, and bears editing by hand.', 'built'],
  ['AC-5b', 'Hydration reads manifest, matched files and dependencies, and tells what it left out and why.', 'built'],
  [
    'AC-5c',
    'No glob, path or link makes hydration read outside the mission and what its manifest names in the repository.',
    'built',
  ],
  ['AC-5d', 'Hydration happens at start and at each task; milestones are ticked by hand or by command.', 'built'],
  ['AC-6.1', 'The simple research workflow runs from end to end.', 'built'],
  ['AC-6.2', 'The design workflow of several steps runs from end to end.', 'built'],
  ['AC-7.1a', 'A message waits until the messages it depends on are completed and the files exist.', 'built'],
  ['AC-7.1b', 'A cycle is refused when sent and reported when found; neither hangs anything.', 'built'],
  ['AC-7.1c', 'Why a message is blocked is shown to people and agents.', 'built'],
  ['AC-7.1d', 'A diamond of 10,000 messages drains in order, none early.', 'built'],
  ['AC-7.2', 'Missions nest to any depth, have addresses, and roll up into the status of their parent.', 'built'],
  ['AC-7.2b', 'Hydration in a nested mission includes the manifests above it.', 'built'],
  ['AC-7.3', 'A message to all goes to its first claimer, who becomes the recipient; the name stays.', 'built'],
  ['AC-8.1', 'A failure report is a marked block with time, agent, reason and detail.', 'built'],
  ['AC-8.2a', 'Claims older than their timeout are listed as stalled.', 'built'],
  [
    'AC-8.2b',
    'Supervision fails each stalled message and asks for an investigation, once however often it runs.',
    'built',
  ],
  [
    'AC-8.2c',
    'Claims are renewed, failures retried and counted; a worker whose attempt is over is turned away.',
    'built',
  ],
  [
    'AC-8.2d',
    'An investigation goes to the sender under a derived id, survives a crash, and is not itself chased.',
    'built',
  ],
  ['AC-8.3', 'Repeating an operation is safe; the same id with other content is a conflict.', 'built'],
  ['AC-9.1', 'An agent that starts sees counts, the manifest, its own claims and which of them stalled.', 'built'],
  ['AC-9.2', 'Old completed messages are archived compressed, stay findable, and survive an interruption.', 'built'],
  ['AC-9.2b', 'Supervision archives by itself after the configured age.', 'built'],
  ['AC-10.1', 'Throughput and latency are measured beside the raw file system and peers.', 'built'],
  ['AC-10.2', 'A body that is too large is stored apart and referred to, with a notice; nothing is cut.', 'built'],
  ['AC-11.1', 'Files are for their owner alone unless configured; a root open to all is reported.', 'built'],
  ['AC-11.2', 'Content is never executed, put into a shell, or printed raw.', 'built'],
  ['AC-11.2b', 'A policy holds back what matches its patterns until a person approves.', 'built'],
  ['AC-12', 'The five commands of the specification work as written, each with JSON too.', 'built'],
  ['AC-13.1', 'A bus document has header, summary table, thematic summary and the whole log.'],
  ['AC-13.2a', 'Similar messages are clustered; a full cluster gets one bus document, which grows.'],
  ['AC-13.2b', 'A chain or sub-graph that is all completed gets a bus document.'],
  ['AC-13.2c', 'A ticked milestone gets a bus document of what contributed to it.'],
  ['AC-13.2d', 'A bus document is made on request from what a query finds.'],
  ['AC-14.1', 'Snapshots of a queue are Markdown tables in their folder.'],
  ['AC-14.2', 'Snapshots are taken at a size that follows the rate of messages, and archive what they cover.'],
  ['AC-15.1', 'Context files are clustered into named folders, each with a README that relates them.'],
  ['AC-15.2', 'Whatever named a moved file still finds it; the move can be previewed and undone.'],
  ['AC-16.1', 'The bottom-up report holds every message, in order.'],
  ['AC-16.2', 'The top-down report gives progress, findings and artifacts, by an agent or the built-in summariser.'],
  ['AC-16.3', 'The holistic report tells why, what and how, with links to the files.'],
])

const messageRouting = family('Message Routing', 'Message Routing is not built yet', [
  ['MR-1a', 'A message is valid exactly when the schema says so; errors name the field in plain words.', 'built'],
  ['MR-1b', 'The five payload types are checked too: enumerations, ranges, required parts.', 'built'],
  ['MR-1c', 'A message over 10 KB is refused when sent, with its size and the limit.', 'built'],
  ['MR-1d', 'Absent acknowledgement, priority and correlation have their defaults.', 'built'],
  ['MR-1e', 'One table describes every payload field; an unusual direction is noted, not refused.', 'built'],
  ['MR-2a', 'Numbers count per sender and recipient; concurrent senders never issue one twice.', 'built'],
  ['MR-2b', 'A sender that starts over resets its numbers; a receiver reports gaps.', 'built'],
  ['MR-3', 'Messages come in the order of their times, equal ones in the order of their numbers.', 'built'],
  ['MR-3b', 'Order compares instants, whatever the offset a time is written with.', 'built'],
  ['MR-4', 'Sending puts a whole file into the inbox, makes the inbox if need be, and keeps no copy.', 'built'],
  ['MR-4b', 'A write that fails is logged and not tried again; the sender learns the reason.', 'built'],
  [
    'MR-5',
    'Replies correlate, can be awaited, and acknowledgements are given once and can be missed visibly.',
    'built',
  ],
  ['MR-6', 'An invalid file is logged, set aside, never delivered, and stops no other.', 'built'],
  ['MR-6b', 'A file under a wrong name or in a wrong inbox is rejected.', 'built'],
  ['MR-7a', 'A full inbox evicts its oldest first, and never overflows by our own senders.', 'built'],
  ['MR-7b', 'Finding the oldest costs one listing, and times only at the limit.', 'built'],
  ['MR-7c', 'Evictions are logged and can be recovered; nothing expires by time.', 'built'],
  ['MR-8', 'Latency, depth and evictions are measured, exported, and raise alerts.', 'built'],
  ['MR-8b', 'Metrics carry the names and thresholds of the specification.', 'built'],
  ['MR-9', 'Twenty agents at once stay within the four latency limits.', 'built'],
  ['MR-10', 'An unsupported major version is refused; two sides take the highest they share.', 'built'],
  ['MR-10b', 'A newer minor version is accepted with its unknown fields; where versions are stated is fixed.', 'built'],
  ['MR-11', 'A broadcast reaches every known agent but its sender, each with its own number.', 'built'],
  [
    'MR-12',
    'On request messages are signed, encrypted and limited in rate; forgeries are refused and logged.',
    'built',
  ],
  ['MR-13', 'Delivery is at most once; one can look without taking, and a person can recover what was taken.', 'built'],
])

const dreamOs = family('Dream.OS', 'Dream.OS is not built yet', [
  ['DO-1', 'All ten channels work under one configurable root, in their formats and places.'],
  ['DO-1b', 'Each of the ten channels has a test of its own.'],
  ['DO-2a', 'Task inboxes and message outboxes are written, listed and taken, and a supervisor routes them.'],
  ['DO-2b', 'A processed file is put away and never processed twice.'],
  ['DO-3a', 'Templates render as Jinja2 does; a missing variable is an error that names it.'],
  ['DO-3b', 'Templates cannot run code, read outside their folder, or loop forever.'],
  ['DO-3c', 'A prompt is staged whole; a response is fetched once, and half a one is waited for or reported.'],
  ['DO-4', 'Planning flows from goal to a joined list of tasks that become runnable in order, and expand again.'],
  ['DO-4b', 'Every field of a task is checked; more from a planner is kept.'],
  ['DO-5a', 'Mailboxes are taken, kept fresh, released, and taken over from the dead.'],
  ['DO-5b', 'Many writers of one mailbox lose nothing.'],
  ['DO-5c', 'A handled message is not given again; one whose holder died is, marked as such.'],
  ['DO-5d', 'The status of a mailbox follows the life of its agent; System and User may send.'],
  ['DO-6', 'The log of completed tasks only grows, line by whole line, also after a torn one.'],
  ['DO-6b', 'Each line has all seven fields and one of two statuses.'],
  ['DO-7', 'Significant events are recorded and can be asked for by type, agent and time.'],
  ['DO-7b', 'Which events are significant is a documented list.'],
  ['DO-8', 'Reflections and reports lie in their folders; the supervisor remembers across a restart.'],
])

const sharedAgent = family('Shared Agent Protocol', 'The Shared Agent Protocol is not built yet', [
  ['SA-2a', 'The command grammar is parsed exactly, and anything else gives the right error.'],
  ['SA-2b', 'Responses are printed to the letter of the specification.'],
  ['SA-2.5a', 'Plain language becomes commands; what is not understood is asked back, never guessed.'],
  ['SA-2.5b', 'One can ask to see, explain and use the protocol.'],
  ['SA-2.5c', 'The mode is kept per user and session, and both kinds of line have a defined answer in each.'],
  ['SA-3a', 'HELP works in all its forms.'],
  ['SA-3b', 'STATE saves, loads, lists and clears.'],
  ['SA-3c', 'ERROR reports are recorded, and HEALTH counts them.'],
  ['SA-3d', 'VERSION and SUPPORTS work in all their forms.'],
  ['SA-3e', 'LOCK and UNLOCK work.'],
  ['SA-3f', 'WAIT and SIGNAL work.'],
  ['SA-3g', 'BROADCAST works.'],
  ['SA-3h', 'CHECKPOINT creates, lists and compares.'],
  ['SA-3i', 'ROLLBACK works by id and name, dry, forced, and tells its status.'],
  ['SA-3j', 'CONTEXT exports, imports, lists and validates.'],
  ['SA-4', 'Variables are declared, referred to, have defaults and a limit.'],
  ['SA-4b', 'Variables apply in command lines, delegations and exports.'],
  ['SA-5', 'Token limits are enforced with a real tokenizer.'],
  ['SA-6', 'State has limits on keys, values and names, and a mark for what persists.'],
  ['SA-6b', 'Nested values are refused; a session that ends clears what was not exported.'],
  ['SA-7', 'The five errors have the given format.'],
  ['SA-8', 'An orchestrator keeps the state, and what it delegates reaches the agent.'],
  ['SA-9', 'Commands can be added by configuration, checked for conflicts, with limits and help.'],
  ['SA-10', 'Versions and features can be asked for; deprecated commands say so and still work.'],
  ['SA-11', 'Help is there by category, by command and in full, within the limits.'],
  ['SA-12a', 'Locks have owners, ends and priorities; deadlocks are found and can be broken.'],
  ['SA-12b', 'A wait ends by a signal, also an earlier one, or by its timeout.'],
  ['SA-12c', 'Channels are subscribed to, left, broadcast on and addressed.'],
  ['SA-13a', 'A checkpoint is a real commit with an id; lists and differences are real.'],
  ['SA-13b', 'A rollback keeps what the user had; a dry one changes nothing.'],
  ['SA-13c', 'No checkpoint or rollback touches messages or the state of the workspace.'],
  ['SA-13d', 'Checkpoints have three types, and a message of the given form.'],
  ['SA-14', 'The smart defaults choose how much is said.'],
  ['SA-15', 'Health shows real figures, advises in time, and exports by itself when late.'],
  ['SA-15b', 'Health has its five lines, and every reason for a new session is noticed.'],
  ['SA-16', 'Context goes to YAML and back, filtered, replaced or merged; a broken file is refused with reasons.'],
  ['SA-16b', 'An import checks the checkpoint, counts what it merges; automatic exports are named by time.'],
  ['SA-17', 'Every change of state is logged with who and when.'],
])

const circe = family('CIRCE', 'CIRCE is not built yet', [
  ['CI-1a', 'A message is read and written with head, headers and every section in order.'],
  ['CI-1b', 'Required headers are checked, and the task where the intent is about one.'],
  ['CI-1c', 'Status and time of creation are checked.'],
  ['CI-2', 'All standard intents are known; others are refused unless configured.'],
  ['CI-3', 'File names follow the pattern and never collide; headers win over the name.'],
  ['CI-4', 'Claim, work, acknowledge and archive move files as the retention rules say; one claimer wins.'],
  ['CI-4b', 'A workspace is archived when its task completes.'],
  ['CI-5', 'The three files of a task keep step with its messages, and only those entitled change them.'],
  ['CI-5b', 'The three files have every field; other files beside them are left alone.'],
  ['CI-6', 'An escalation reaches a person, and the answer goes back as a message.'],
  ['CI-7', 'The flow of six steps runs from end to end, and the worked examples are accepted as they are.'],
  ['CI-8', 'Every message ends in the log exactly once, and the log is never cleared.'],
])

const beyond = family('Beyond the specifications', 'Built with the protocols and surfaces that come next', [
  ['X-bridge', 'Any agent can write to any other across protocols, and nothing is lost on the way there and back.'],
  ['X-mcp', 'An MCP server offers the bus in few, well-described tools, and works with a real client.'],
  ['X-web', 'A dashboard shows everything live, and a person can act in it.'],
  ['X-run', 'Any agent program can work a queue by one command.'],
  ['X-install', 'One command connects an agent client, and another undoes it.'],
  ['X-search', 'All messages of all protocols can be searched, by word and by meaning.'],
  [
    'X-index',
    'Every index is disposable; deleting it changes no answer, and foreign files show up by themselves.',
    'built',
  ],
  ['X-ladder', 'How far a message got is told honestly, and why it is not further in one sentence.'],
  ['X-recipient', 'Sending to somebody nobody has seen says so, with the nearest name.', 'built'],
  ['X-presence', 'Who is there is known, and what the dead held is freed.'],
  ['X-threads', 'A conversation can be followed across protocols.'],
  ['X-human', 'Everything that waits for a person is in one inbox with a way to answer.'],
  ['X-wake', 'An agent is woken without typing into its terminal, once for many messages.'],
  ['X-guard', 'Locks take globs and can be enforced at commit and at edit.'],
  ['X-identity', 'On request a message under a false name is refused; text of others is marked as untrusted.'],
  [
    'X-trust',
    'The settings of a directory are a stranger’s: no message, credential or key goes where only they point.',
    'built',
  ],
  ['X-tokens', 'Every surface can bound its answers, and says what it left out.'],
  [
    'X-doctor',
    'The doctor finds and repairs what is broken, and is never green while a message is lost or stuck.',
    'built',
  ],
  ['X-cluster', 'The protocols run unchanged on many machines, and a dead node costs nothing.', 'built'],
  ['X-crash', 'A process killed at any step leaves a state from which everything is recovered.', 'built'],
  ['X-held', 'A process held before any step while others go on breaks no promise when it continues.', 'built'],
  [
    'X-disk',
    'A failing disk at any step gives a clear error, loses nothing acknowledged, shows nothing half.',
    'built',
  ],
  [
    'X-clock',
    'Ages and ends go by the time of the tree: one wrong clock among many harms nobody, and is told.',
    'built',
  ],
  ['X-notes', 'Notes, locks, leases and caches that a stranger brings along do no harm and stop nobody.', 'built'],
  [
    'X-odd',
    'A folder, link, pipe or second name where a file belongs: a clear error, nothing lost, nothing changed elsewhere.',
    'built',
  ],
  ['X-memory', 'What a resident process remembers is bounded by what is in the queues, not by what has been.', 'built'],
  ['X-fuzz', 'Parsers survive random and hostile input within bounds.'],
  ['X-perf', 'A benchmark prints ratios against the raw limit and peers in one run.', 'built'],
  ['X-scale', 'A claim among 100,000 costs little more than among 100.', 'built'],
  ['X-cold', 'A cold command costs little more than starting a process.', 'built'],
  ['X-library', 'The library is importable with types on Node and Bun, and the command line runs on both.', 'built'],
  ['X-shell', 'A sender with nothing but a shell is first-class in every protocol.', 'built'],
])

export const requirements: readonly Requirement[] = [
  ...acmq,
  ...messageRouting,
  ...dreamOs,
  ...sharedAgent,
  ...circe,
  ...beyond,
]
