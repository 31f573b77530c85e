/**
 * Things a stranger can put under `.signalbox/` and beside it: notes, locks, leases, caches and state, whole ones, mutated
 * ones and none at all. Each says where it goes and what stands there.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { realDisk } from '../../../src/engines/file-system/disk.ts'
import { Holders } from '../../../src/engines/file-system/holder.ts'
import { printBase } from '../../../src/protocols/ac-mq/store/waiting/pending-cache-format.ts'
import { quickTempDir } from '../../support/temp.ts'

export interface Crafted {
  /** Relative to the root. */
  readonly path: string
  readonly content: Content
}

export type Content =
  | { readonly kind: 'file'; readonly text: string; readonly mode?: number }
  | { readonly kind: 'link'; readonly to: string }
  | { readonly kind: 'folder' | 'pipe' | 'huge' }

/** Stands for the directory outside the root, whose path differs from run to run. */
export const outside = '@outside@'

const file = (text: string, mode?: number): Content => ({ kind: 'file', text, ...(mode === undefined ? {} : { mode }) })

/** Names of processes of this machine, made from our own: one that cannot be there any more, and one that can. */
const [ownPid = '', ownStart = '', where = ''] = new Holders(realDisk()).self.split('-')
export const deadHolder = `${ownPid}-1-${where}-dead00`
export const livingHolder = `${ownPid}-${ownStart}-${where}-other0`
export const unknownHolders = ['zz-1-0_abc_def-aaaaaa', '1a-2b-3c-4d', `${ownPid}-${ownStart}-0_abcdef_1-zzzzzz`]
const holders = [deadHolder, deadHolder, deadHolder, livingHolder, ...unknownHolders]

const engine = '.signalbox/engine'
export const pending = 'llm/missions/alpha/queue/pending'
export const slotOf = (name: string): string => `${engine}/moves/${name}`
export const lockIn = (stripe: string, name: string): string => `${engine}/locks/${stripe}/${name}`
export const archiveLease = `${engine}/leases/${encodeURIComponent('ac-mq archive llm/missions/alpha/archive')}.json`

let onePipe: string | undefined
/** One for all, since making one takes a process. */
function pipe(): string {
  if (onePipe === undefined) {
    onePipe = join(quickTempDir(), 'pipe')
    execFileSync('mkfifo', [onePipe])
  }
  return onePipe
}

export function craft(root: string, { path, content }: Crafted, outsidePath: string): void {
  const full = join(root, path)
  // `@inode of PATH@` is the number that the file system gave to what was put there before.
  const fill = (text: string) =>
    text
      .replaceAll(outside, outsidePath)
      .replace(/"@inode of ([^@]+)@"/g, (_, found: string) => String(fs.lstatSync(join(root, found)).ino))
  try {
    fs.mkdirSync(dirname(full), { recursive: true })
    // Another of them may be a link on the way: the stranger brings things along, and does not go out itself.
    if (!`${fs.realpathSync(dirname(full))}/`.startsWith(`${root}/`)) return
    if (content.kind === 'file') fs.writeFileSync(full, fill(content.text), { mode: content.mode ?? 0o600, flag: 'wx' })
    else if (content.kind === 'link') fs.symlinkSync(fill(content.to), full)
    else if (content.kind === 'folder') fs.mkdirSync(full)
    else if (content.kind === 'pipe') fs.linkSync(pipe(), full)
    else {
      fs.writeFileSync(full, '', { flag: 'wx' })
      fs.truncateSync(full, 1 << 30)
    }
  } catch (error) {
    // Two of them want the same place, or one stands where another wants its folder: the first is there.
    if (
      !['EEXIST', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'ENOENT'].includes(
        (error as { code?: string }).code ?? '',
      )
    )
      throw error
  }
}

const oddKinds: fc.Arbitrary<Content> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom<Content>({ kind: 'folder' }, { kind: 'huge' }) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(outside, `${outside}/victim`, `${outside}/not-there`, '.', '../../..')
      .map((to): Content => ({ kind: 'link', to })),
  },
  { weight: 1, arbitrary: fc.constant<Content>({ kind: 'pipe' }) },
)

const texts = fc.oneof(
  fc.constantFrom('', '-', '{', '{}\n', 'null\n', '[]\n', '0\n', '"x"\n', '{"a":', '\0\0\0\0', 'H', 'F', 'hello\n'),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.json({ maxDepth: 3 }).map((text) => `${text}\n`),
)

const numbers: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(0, 1, 2, -1, 1.5, 1e300, 9007199254740991, 9007199254740992, 8e15, 'x', null, '1', []),
  fc.integer({ min: 0, max: 5_000_000_000_000 }),
)

/** What says where, as a note may have it: sound ones, and all that have led elsewhere. */
const paths: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(`${pending}/made-up.md`, 'state/agents/coder-1/inbox/msg_00000001.json', 'a/b/c', 'top'),
  fc.constantFrom<unknown>(
    '../outside/victim',
    '../../outside/victim',
    `${outside}/victim`,
    `${outside}/planted`,
    'a/../../outside/victim',
    'way-out/victim',
    'way-out/planted',
    'way-out',
    `${engine}/moves/x`,
    `${engine}/tmp/x`,
    '.SIGNALBOX/Engine/x',
    '.git/hooks/post-checkout',
    'a/.own-x',
    'a/.signalbox-tmp/x',
    '',
    '/',
    '..',
    'a//b',
    'a\0b',
    'a\\..\\b',
    'x'.repeat(300),
    'x'.repeat(180),
    'signalbox.yaml',
    null,
    7,
    ['a'],
    { a: 1 },
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

const drafts: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  undefined,
  `${engine}/tmp`,
  `${engine}/tmp`,
  'a/.signalbox-tmp',
  '.signalbox-tmp',
  `${engine}`,
  `${engine}/moves`,
  'way-out',
  outside,
  '../outside',
  '..',
  '',
  7,
  null,
)

const holder = fc.constantFrom(...holders)
const operations = (by: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('0', 'a1', 'zz').map((n) => `${by}-${n}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<unknown>(
        `${by}-../../../../outside/victim`,
        `${by}/victim`,
        `${by}-`,
        by,
        `../../${by}-0`,
        'victim',
        7,
        undefined,
        `${by}-${'0'.repeat(200)}`,
      ),
    },
  )

/** A note, and beside it often the files that it speaks of: as they should be, or a link, or a folder. */
const notes: fc.Arbitrary<readonly Crafted[]> = holder.chain((by) =>
  fc
    .record({
      operation: operations(by),
      from: paths,
      to: paths,
      draft: drafts,
      file: numbers,
      links: numbers,
      shape: fc.constantFrom('whole', 'whole', 'whole', 'cut', 'missing', 'more'),
      slot: fc.constantFrom(0, 1, 'x'),
      own: fc.option(fc.oneof(fc.constant(file('private', 0o700)), oddKinds)),
      written: fc.option(fc.oneof(fc.constant(file('draft', 0o700)), oddKinds)),
    })
    .map(({ shape, slot, own, written, ...intent }) => {
      const { links: _links, ...missing } = intent
      const text =
        shape === 'cut'
          ? JSON.stringify(intent).slice(0, 40)
          : `${JSON.stringify(shape === 'missing' ? missing : shape === 'more' ? { ...intent, more: [1] } : intent)}\n`
      const made: Crafted[] = [{ path: slotOf(`${by}-${slot}`), content: file(text) }]
      const { operation, from } = intent
      if (own && isHarmless(operation) && isHarmless(from)) {
        const cut = String(from).lastIndexOf('/') + 1
        made.push({ path: `${from.slice(0, cut)}.own-${operation}-${from.slice(cut)}`, content: own })
      }
      if (written && isHarmless(operation)) made.push({ path: `${engine}/tmp/${operation}`, content: written })
      return made
    }),
)

/** That we can make ourselves without leaving the root. */
const isHarmless = (text: unknown): text is string =>
  typeof text === 'string' && /^[\w./-]{1,120}$/.test(text) && !/^\/|\.\.|way-out|\/\/|\/$/.test(text)

const oddNotes: fc.Arbitrary<readonly Crafted[]> = fc
  .tuple(
    fc.oneof(
      holder.map((by) => `${by}-9`),
      fc.constantFrom('x', '...', 'a b', '-', '\u202e', 'x'.repeat(200), '{}'),
    ),
    fc.oneof(
      texts.map((text) => file(text)),
      oddKinds,
    ),
  )
  .map(([name, content]) => [{ path: slotOf(name), content }])

const stripes = fc.oneof(
  fc
    .tuple(fc.constantFrom('turn', 'lease', 'path', 'recovery'), fc.integer({ min: 0, max: 63 }))
    .map(([family, n]) => `${family}-${n.toString(36)}`),
  fc.constantFrom('x', 'turn-', 'lease-zzz', '..x'),
)
const lockNames = fc.constantFrom(
  ...['1', '1', '1', '2', '999999999998', '999999999999', '1000000000000', '9007199254740991', '9007199254740993'],
  ...['99999999999999999999', 'Infinity', 'NaN', '007', '0', '-1', '1e9', '0x10', '', ' 1', '1.5'],
)
// A lock that a living process holds is waited for, whoever wrote it: no stranger can know the name of one.
const lockHolders = fc.constantFrom(deadHolder, ...unknownHolders, 'garbage', '-', '')
const lockTexts = fc.oneof(
  fc
    .tuple(fc.constantFrom('H-', 'HW', 'F-', 'H', 'X-'), lockHolders, fc.constantFrom('0', '99999999999999', 'x', '-5'))
    .map(([state, by, since]) => `${state}${by} ${since}\n`),
  texts,
)
const locks: fc.Arbitrary<readonly Crafted[]> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(stripes, lockNames, fc.oneof({ weight: 4, arbitrary: lockTexts.map((text) => file(text)) }, oddKinds))
      .map(([stripe, number, content]) => [{ path: lockIn(stripe, `lock.${number}`), content }]),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(stripes, oddKinds).map(([stripe, content]) => [{ path: `${engine}/locks/${stripe}`, content }]),
  },
)

const leases: fc.Arbitrary<readonly Crafted[]> = fc
  .record({
    path: fc.oneof(
      { weight: 3, arbitrary: fc.constant(archiveLease) },
      fc.constantFrom('a', 'a%2Fb', '%', '..x', 'x'.repeat(150)).map((name) => `${engine}/leases/${name}.json`),
    ),
    lease: fc.record(
      {
        resource: fc.constantFrom<unknown>('ac-mq archive llm/missions/alpha/archive', 'a', '', 7, null),
        owner: fc.constantFrom<unknown>('somebody', '', 7, null),
        until: fc.oneof(numbers, fc.constantFrom<unknown>(8.64e15, 1e308, '2999-01-01')),
        fence: numbers,
      },
      { requiredKeys: [] },
    ),
    odd: fc.option(
      fc.oneof(
        texts.map((text) => file(text)),
        oddKinds,
      ),
    ),
    cut: fc.option(fc.integer({ min: 0, max: 60 })),
  })
  .map(({ path, lease, odd, cut }) => {
    const text = `${JSON.stringify(lease)}\n`
    return [{ path, content: odd ?? file(cut === null ? text : text.slice(0, cut)) }]
  })

const candidate = (n: number) => ({
  name: `2026-01-0${n}T00-00-00Z-from-claude-to-gemini-priority-3.md`,
  id: `cached-${n}`,
  to: 'gemini',
  priority: 3,
  time: 1_700_000_000_000 + n,
  dependencies: [],
  summary: '',
})

/** The head of a base with any numbers, and with the right sum over them. */
const heads = fc
  .record({
    readAt: numbers,
    sum: numbers,
    names: fc.oneof(numbers, fc.constantFrom(-100, -100_000)),
    count: fc.oneof(numbers, fc.constantFrom(-10, 25_000)),
    sections: fc.oneof(
      fc.array(fc.tuple(fc.constantFrom<unknown>('gemini', 'all', 7), fc.oneof(numbers, fc.constantFrom(100_000))), {
        maxLength: 3,
      }),
      numbers,
    ),
  })
  .map((head) => `${summed(JSON.stringify(head))}\n`)

/** As the cache sums up: by words, and what is left by bytes. */
function sumOf(bytes: Buffer): number {
  let sum = bytes.length
  let at = 0
  for (; at + 4 <= bytes.length; at += 4) sum = Math.imul(sum ^ bytes.readInt32LE(at), 16777619)
  for (; at < bytes.length; at++) sum = Math.imul(sum ^ bytes[at]!, 16777619)
  return sum >>> 0
}

const summed = (head: string): string => `signalbox-acmq-pending-2 ${sumOf(Buffer.from(head))} ${head}`

/** A part that reaches beyond the end of the file, made up for by a length below zero. */
export function endlessBase(): string {
  const body = '\n'.repeat(100)
  const lengths = { names: body.length - 100_000, count: 0, sections: [['gemini', 100_000]] }
  return `${summed(JSON.stringify({ readAt: 0, sum: sumOf(Buffer.from(body)), ...lengths }))}\n${body}`
}

const bases = fc
  .tuple(fc.integer({ min: 1, max: 5 }), fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 4 }))
  .map(([count, changes]) => {
    const all = Array.from({ length: count }, (_, i) => candidate(i + 1))
    const bytes = printBase(all, 1)
    for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte
    return bytes.toString('latin1')
  })

const cacheFolder = '.signalbox/cache/acmq/alpha/queue/pending'
const caches: fc.Arbitrary<readonly Crafted[]> = fc
  .tuple(
    fc.constantFrom('1-a.base', '1-a.log', '2-b.base', '999999999999999-z.base', 'x.base', 'odd'),
    fc.oneof(heads, bases, texts, fc.constant(endlessBase())),
  )
  .map(([name, text]) => [{ path: `${cacheFolder}/${name}`, content: file(text) }])

const state = '.signalbox/state'
const agent = 'state/agents/coder-1'
const states: fc.Arbitrary<readonly Crafted[]> = fc
  .tuple(
    fc.constantFrom(
      `${state}/approvals/some-message.json`,
      `${state}/approvals/.json`,
      `${state}/metrics/message-routing/journal.jsonl`,
      `${state}/metrics/message-routing/full-abc.jsonl`,
      `${state}/metrics/message-routing/totals.json`,
      `${state}/rates/message-routing/sent/lead.json`,
      `${state}/rates/message-routing/received/coder-1/lead.json`,
      `${state}/delivery/message-routing/coder-1/lead/2026-01-01.seen`,
      `${state}/delivery/message-routing/coder-1/lead/2026-99-99.floor`,
      `${state}/delivery/message-routing/coder-1/lead/permits`,
      'keys/public/lead.json',
      'keys/private/lead.pem',
      `${state}/presence/lead.json`,
      `${state}/sessions/.current`,
      `${state}/sessions/s/session.json`,
      `${state}/sessions/s/log/000000.json`,
      `${state}/sessions/s/1/traffic`,
      `${state}/sessions/s/1/signals/c/latch`,
      `${state}/sessions/s/1/signals/c/line/w-0123456789ab`,
      `${state}/sessions/t/session.json`,
      `${agent}/.received.json`,
      `${agent}/.sequences/lead`,
      `${agent}/.awaiting/msg_0000000a`,
      `${agent}/.acked/msg_0000000b`,
    ),
    fc.oneof(
      texts,
      fc.constantFrom(
        '9007199254740991\n',
        '1e400',
        '{"fullAt":1e999,"at":-1e999}',
        `{"fullAt":${'9'.repeat(400)},"at":${'9'.repeat(400)}}`,
        '{"senders":{"lead":{"last":-5,"missing":[[1,2]]},"__proto__":{"last":1}}}',
        '{"senders":[]}',
        '{"senders":{"lead":{"last":1e300,"missing":[[0,9007199254740991]]}}}',
        '{"to":"../../x","type":"command","timestamp":"never"}',
        '{"id":7,"digest":null}',
        '{"snapshot":{"message_write_latency_ms":{"counts":[]}},"folded":["../../../x",7]}',
        '{"agent":"lead","signing":[null]}',
        '../../outside',
        '{"id":"s","status":"running","changes":1e300}',
        `{"id":"s","status":"running","startedAt":0,"generation":1,"changes":0,"state":[{"key":"__proto__","value":"x","persistent":true,"at":0,"by":"A"}],"variables":[],"definitions":[],"tasks":[],"lastTask":0,"depends":[],"escalations":[],"channels":[{"channel":"n","agents":["../x"]}],"read":[["A",9007199254740991]],"modes":[],"exported":0,"log":[]}`,
        '[{"n":1,"at":0,"by":"A","did":"x","to":["A"]}]',
        '-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----\n',
      ),
    ),
  )
  .map(([path, text]) => [{ path, content: file(text) }])

/** Paths that a journal of moved files may name, for good or ill. */
const journalPaths = fc.constantFrom(
  ...['context/a.md', 'context/b.md', 'context/a.md/b.md', 'context/deep/er/x.md', 'context/.pinned', 'context/'],
  ...[
    'context/../../../../outside/victim',
    '../../../outside/victim',
    '/etc/passwd',
    'way-out/victim',
    '',
    'context/..',
  ],
  ...['_meta/manifest.md', 'queue/pending/x.md', 'context/\u0000', `context/${'x'.repeat(300)}`],
)
const moves = fc.record({ from: journalPaths, to: journalPaths, digest: fc.constantFrom('', 'a', 'f'.repeat(32)) })
const journals = fc
  .array(
    fc.record({
      at: fc.constantFrom(0, 1, -1, 9e15),
      state: fc.constantFrom('moving', 'undoing', 'done', 'odd'),
      moves: fc.array(moves, { maxLength: 3 }),
      clusters: fc.array(fc.constantFrom('a', '../..', 'deep/er', '', '..', 'README.md'), { maxLength: 2 }),
    }),
    { maxLength: 3 },
  )
  .map((runs) => JSON.stringify({ runs }))
const organizing = fc
  .array(
    fc.oneof(
      fc.record({ do: fc.constantFrom('move', 'odd'), from: journalPaths, to: journalPaths }),
      fc.record({ do: fc.constant('readme'), cluster: fc.constantFrom('a', '../..', 'README.md', 'deep/er') }),
      fc.record({ do: fc.constant('record'), at: fc.nat(3), moves: fc.array(moves), clusters: fc.constant(['a']) }),
      fc.record({ do: fc.constant('forget'), at: fc.nat(3), isUndo: fc.boolean(), gone: fc.array(journalPaths) }),
    ),
    { maxLength: 4 },
  )
  .map((steps) => JSON.stringify({ steps }))
const mergings = fc
  .record({
    coveredBy: fc.constantFrom('completed-20261117150000.md', '../../../../outside/victim', 'x', 7),
    threshold: fc.constantFrom(0, -1, 1e300, 'x'),
    rate: fc.constantFrom(1e300, null),
    countedUntil: fc.constantFrom(9e15, -1, 'never'),
    last: fc.constantFrom({}, [], { completed: { at: 9e15, count: -5 } }, { pending: 7 }),
    samples: fc.constantFrom([], [null, { at: 9e15, count: 1e300 }], 'x'),
    decisions: fc.constantFrom([], [{}], [{ at: 1, queue: 'x', did: 'snapshot', reason: 'x'.repeat(9999) }]),
  })
  .map((state) => JSON.stringify(state))

/** What AC-MQ's memory keeps: the journal of moved files, when snapshots are due, and caches. */
const memories: fc.Arbitrary<readonly Crafted[]> = fc
  .oneof(
    fc.tuple(fc.constant(`${state}/aliases/alpha.json`), fc.oneof({ weight: 4, arbitrary: journals }, texts)),
    fc.tuple(
      fc.constant(`${state}/aliases/unfinished/alpha/organize.json`),
      fc.oneof({ weight: 4, arbitrary: organizing }, texts),
    ),
    fc.tuple(fc.constant(`${state}/merging/alpha.json`), fc.oneof({ weight: 4, arbitrary: mergings }, texts)),
    fc.tuple(fc.constantFrom('.signalbox/cache/memory/x', '.signalbox/cache/embeddings/x/y'), texts),
  )
  .chain(([path, text]) =>
    fc.oneof({ weight: 5, arbitrary: fc.constant(file(text)) }, oddKinds).map((content) => [{ path, content }]),
  )

/** Private names beside the messages, and other names that look like ours. */
const privates: fc.Arbitrary<readonly Crafted[]> = fc
  .tuple(
    fc.constantFrom(`${pending}/`, 'state/agents/coder-1/inbox/', ''),
    fc.oneof(
      holder.map((by) => `.own-${by}-0-`),
      fc.constantFrom('.own-', '.OWN-a-b-c-d-0-', '.signalbox-tmp', '.Signalbox-TMP'),
    ),
    fc.constantFrom('made-up.md', 'msg_00000002.json', '..', '.', '.own-x.md', '.signalbox-tmp', '', 'a\nb.md'),
    fc.oneof(fc.constant(file('private')), oddKinds),
  )
  .map(([folder, prefix, name, content]) => [{ path: `${folder}${prefix}${name}`, content }])

const folders: fc.Arbitrary<readonly Crafted[]> = fc
  .tuple(fc.constantFrom('moves', 'locks', 'leases', 'tmp', 'set-aside'), oddKinds)
  .map(([name, content]) => [{ path: `${engine}/${name}`, content }])

const draftsLeft: fc.Arbitrary<readonly Crafted[]> = fc
  .tuple(
    fc.oneof(
      holder.map((by) => `${by}-d_0`),
      fc.constantFrom('x', 'a b', '..x'),
    ),
    fc.oneof(
      texts.map((text) => file(text)),
      oddKinds,
    ),
  )
  .map(([name, content]) => [{ path: `${engine}/tmp/${name}`, content }])

export const crafted: fc.Arbitrary<readonly Crafted[]> = fc.oneof(
  { weight: 8, arbitrary: notes },
  { weight: 2, arbitrary: oddNotes },
  { weight: 5, arbitrary: locks },
  { weight: 4, arbitrary: leases },
  { weight: 3, arbitrary: caches },
  { weight: 4, arbitrary: states },
  { weight: 2, arbitrary: memories },
  { weight: 2, arbitrary: privates },
  { weight: 2, arbitrary: draftsLeft },
  { weight: 1, arbitrary: folders },
)

/** A note as a process of ours writes it. */
export const noteOf = (by: string, fields: Readonly<Record<string, unknown>> = {}): string =>
  `${JSON.stringify({ operation: `${by}-0`, from: `${pending}/x.md`, to: 'a/x.md', file: 1, links: 1, ...fields })}\n`
