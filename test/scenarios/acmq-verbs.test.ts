/** AC-MQ's verbs at their edges: what is refused, what is told, and to whom a message goes back. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { heldClock } from '../../src/kernel/clock.ts'
import { type AcmqBox, memoryBox, openBox } from '../support/acmq.ts'
import { tempDir } from '../support/temp.ts'
import { type CliOptions, cliJson, mainProgram, plainEnvironment, quickCli } from './cli-program.ts'

let root: string

beforeEach(() => {
  root = tempDir()
})

const inMissions = (...path: string[]) => join(root, 'llm/missions', ...path)
const run = (words: string, options: CliOptions = {}) =>
  cliJson(['acmq', ...words.split(' ')], { cwd: root, ...options }, quickCli)

/** Runs a command that must end well, and gives its answer. */
function must(words: string, options: CliOptions = {}) {
  const { exit, output } = run(words, options)
  expect({ words, exit, error: output.error }).toEqual({ words, exit: 0, error: undefined })
  return output
}

function refused(words: string, exit: number, options: CliOptions = {}) {
  const { exit: found, output } = run(words, options)
  expect({ words, exit: found, keys: Object.keys(output) }).toEqual({ words, exit, keys: ['error'] })
  return output.error as { code: string; message: string; hint: string; details: Record<string, unknown> }
}

const send = (id: string, more = '--to gemini') => must(`send alpha --from claude --id ${id} --body Work ${more}`)
const headerOf = (queue: string) => {
  const folder = inMissions('alpha/queue', queue)
  return readFileSync(join(folder, readdirSync(folder)[0]!), 'utf8').split('\n---')[0]!
}

describe('making a mission', () => {
  it('[AC-2b] leaves one as it is whose manifest lies beside its queue', () => {
    mkdirSync(inMissions('alpha/queue/completed'), { recursive: true })
    writeFileSync(inMissions('alpha/manifest.md'), '# alpha\n\n## Objective\n\nOurs.\n')
    expect(must('create-mission alpha --objective Other')).toMatchObject({
      outcome: 'unchanged',
      manifest: 'llm/missions/alpha/manifest.md',
    })
    expect(readdirSync(inMissions('alpha'))).toEqual(['manifest.md', 'queue'])
    expect(must('missions').missions).toMatchObject([{ mission: 'alpha', objective: 'Ours.' }])
    must('send alpha --from claude --to gemini --body Work')
  })

  it('[AC-2b] adds a queue to a folder with a manifest and hides nothing', () => {
    mkdirSync(inMissions('alpha'), { recursive: true })
    writeFileSync(inMissions('alpha/manifest.md'), '# alpha\n\n## Objective\n\nOurs.\n')
    expect(must('create-mission alpha')).toMatchObject({ outcome: 'created' })
    expect(readdirSync(inMissions('alpha/_meta'))).toEqual([])
    expect(must('status alpha').objective).toBe('Ours.')
  })

  it('[AC-2c] refuses a name that differs from another by case alone', () => {
    must('create-mission alpha')
    must('create-mission alpha/beta')
    expect(refused('create-mission Alpha', 4)).toMatchObject({
      code: 'SAME_BUT_FOR_CASE',
      details: { mission: 'Alpha', other: 'alpha' },
    })
    expect(refused('create-mission alpha/BETA', 4).hint).toContain('alpha/beta')
    expect(readdirSync(inMissions())).toEqual(['alpha'])
    // What is there is read all the same.
    mkdirSync(inMissions('Alpha/queue/pending'), { recursive: true })
    expect(must('create-mission Alpha').outcome).toBe('unchanged')
    expect(
      must('missions')
        .missions.map(({ mission }: { mission: string }) => mission)
        .sort(),
    ).toEqual(['Alpha', 'alpha', 'alpha/beta'])
  })
})

describe('a failed message', () => {
  beforeEach(() => {
    must('create-mission alpha')
  })

  it('[AC-7.3] that was for all is for all again', () => {
    send('task', '--to all')
    must('claim alpha --as gemini')
    must('fail alpha task --as gemini --reason Gone')
    expect(must('retry alpha task').message).toMatchObject({ to: 'all', attempt: 2, state: 'pending' })
    expect(must('claim alpha --as codex').message).toMatchObject({ id: 'task', to: 'codex' })
  })

  it('[AC-7.3] that another program named is for all again too', () => {
    const text = (await_: string) =>
      `---\nid: odd\nfrom: claude\nto: all\ntimestamp: 2026-01-01T00:00:00Z\n---\n${await_}\n`
    writeFileSync(inMissions('alpha/queue/pending/2026-task.md'), text('Work'))
    must('claim alpha --as gemini')
    expect(headerOf('processing')).toContain('sent_to: all')
    must('fail alpha odd --as gemini --reason Gone')
    expect(must('retry alpha odd').message.to).toBe('all')
    expect(headerOf('pending')).not.toContain('sent_to')
    expect(must('claim alpha --as codex').message).toMatchObject({ id: 'odd', to: 'codex', attempt: 2 })
  })

  it('[AC-4.4] goes to whom `retry --to` says, and stays with that agent', () => {
    for (const [id, to] of [
      ['one', 'gemini'],
      ['two', 'all'],
    ] as const) {
      send(id, `--to ${to}`)
      must(`claim alpha --as gemini --id ${id}`)
      must(`fail alpha ${id} --as gemini --reason Gone`)
      expect(must(`retry alpha ${id} --to codex`).message).toMatchObject({ to: 'codex', attempt: 2 })
      expect(refused(`claim alpha --as gemini --id ${id}`, 4).code).toBe('NOT_YOUR_MESSAGE')
      must(`claim alpha --as codex --id ${id}`)
      must(`fail alpha ${id} --as codex --reason Gone`)
      expect(must(`retry alpha ${id}`).message).toMatchObject({ to: 'codex', attempt: 3 })
      expect(must(`retry alpha ${id} --to codex`).outcome).toBe('unchanged')
      expect(refused(`retry alpha ${id} --to gemini`, 4).code).toBe('WRONG_STATE')
      must(`claim alpha --as codex --id ${id}`)
      must(`fail alpha ${id} --as codex --reason Gone`)
      expect(must(`retry alpha ${id} --to all`).message.to).toBe('all')
      must(`claim alpha --as kimi --id ${id}`)
      must(`complete alpha ${id} --as kimi`)
    }
    expect(refused('retry alpha one --to all', 4).code).toBe('WRONG_STATE')
    expect(refused('retry alpha one --to a/b', 2).code).toBe('INVALID_AGENT_ID')
  })

  it('[AC-9.2] that is archived is said to be archived', () => {
    send('task')
    must('claim alpha --as gemini')
    must('complete alpha task --as gemini')
    must('archive alpha --older-than 0s')
    for (const verb of ['retry alpha task', 'claim alpha --id task --as gemini']) {
      expect(refused(verb, 4)).toMatchObject({ code: 'WRONG_STATE', message: expect.stringContaining('is archived') })
    }
    expect(refused('retry alpha other', 3).code).toBe('NO_SUCH_MESSAGE')
  })
})

describe('a message that nobody has claimed', () => {
  it.each(['complete alpha task', 'fail alpha task --reason No', 'renew alpha task'])(
    '[AC-8.3] must be claimed first: %s',
    (words) => {
      must('create-mission alpha')
      send('task')
      for (const attempt of ['', ' --attempt 1']) {
        const error = refused(`${words} --as gemini${attempt}`, 4)
        expect(error).toMatchObject({ code: 'NOT_CLAIMED', hint: expect.stringContaining('Claim it first') })
      }
      must('claim alpha --as gemini')
      must('fail alpha task --as gemini --reason No')
      must('retry alpha task')
      expect(refused(`${words} --as gemini --attempt 1`, 4).code).toBe('LOST_CLAIM')
      expect(refused(`${words} --as gemini --attempt 2`, 4).code).toBe('NOT_CLAIMED')
      expect(refused(`${words} --as gemini`, 4)).toMatchObject({
        code: 'LOST_CLAIM',
        message: expect.stringContaining('waits again, as attempt 2'),
      })
    },
  )
})

describe('sending', () => {
  beforeEach(() => {
    must('create-mission alpha')
  })

  it('[AC-7.1c] refuses an id that means several messages, and several ids in one', () => {
    send('abcdefgh-1')
    send('abcdefgh-2')
    expect(refused('send alpha --from claude --to gemini --body Next --depends msg:abcdefgh', 4)).toMatchObject({
      code: 'AMBIGUOUS_ID',
      details: { candidates: ['abcdefgh-1', 'abcdefgh-2'] },
    })
    for (const joined of ['abcdefgh-1,abcdefgh-2', 'msg:abcdefgh-1,msg:abcdefgh-2']) {
      const error = refused(`send alpha --from claude --to gemini --body Next --depends ${joined}`, 2)
      expect(error).toMatchObject({ code: 'BAD_DEPENDENCY', hint: expect.stringContaining('--depends msg:A') })
    }
    must('send alpha --from claude --to gemini --body Next --depends path:a,b.md')
    expect(readdirSync(inMissions('alpha/queue/pending'))).toHaveLength(3)
  })

  it('[AC-7.1c] tells of what is not known, or has failed', () => {
    send('known')
    must('claim alpha --as gemini')
    must('fail alpha known --as gemini --reason No')
    const notices = (on: string) => must(`send alpha --from claude --to gemini --body Next --depends ${on}`).notices
    expect(notices('msg:nobody')).toEqual([expect.stringContaining('No message nobody is known yet')])
    expect(notices('nobody.md')).toEqual([expect.stringContaining('Neither a message nor a file nobody.md')])
    expect(notices('msg:known')).toEqual([expect.stringContaining('has failed')])
    expect(notices('path:later.md')).toEqual([])
  })

  it('[AC-4.1] refuses an empty text', () => {
    const words = 'send alpha --from claude --to gemini'
    for (const input of ['', '\n \n']) {
      expect(refused(`${words} --file - --summary Sum`, 2, { input }).code).toBe('MISSING_INPUT')
      expect(refused(`${words} --body -`, 2, { input }).code).toBe('MISSING_INPUT')
    }
    must(`${words} --file -`, { input: '---\nsummary: All of it\n---\n' })
    expect(readdirSync(inMissions('alpha/queue/pending'))).toHaveLength(1)
  })
})

describe('an answer that cannot be printed', () => {
  const shell = (command: string) =>
    spawnSync('bash', ['-c', command, 'sh', process.execPath, mainProgram], {
      encoding: 'utf8',
      cwd: root,
      env: plainEnvironment(),
    })

  it('[AC-4.2c] leaves a claim in force, and says so', () => {
    must('create-mission alpha')
    for (const [id, command] of [
      ['one', 'acmq claim alpha --as gemini > /dev/full'],
      ['two', 'acmq claim alpha --as gemini --json > /dev/full'],
    ] as const) {
      send(id)
      const { status, stderr } = shell(`"$1" "$2" ${command}`)
      expect({ status, stderr }).toEqual({
        status: 8,
        stderr: expect.stringMatching(
          new RegExp(
            `could not write standard output\\.\nhint: Message ${id} is claimed all the same, and held by gemini until .*` +
              `acmq claim alpha --id ${id} --as gemini, or give it up with acmq fail alpha ${id} --as gemini --attempt 1`,
          ),
        ),
      })
      expect(must(`claim alpha --id ${id} --as gemini`).message).toMatchObject({ id, attempt: 1 })
    }
    send('three')
    const unread = shell('"$1" "$2" acmq claim alpha --as gemini | true')
    expect(unread.stderr).toContain('Message three is claimed all the same, and held by gemini until')
    const sent = shell('"$1" "$2" acmq send alpha --from claude --to gemini --body Once --id once > /dev/full')
    expect(sent.stderr).toContain('Message once is sent all the same: do not send it again.')
    expect(shell('"$1" "$2" acmq create-mission beta > /dev/full').stderr).toContain('done all the same')
    expect(shell('"$1" "$2" acmq list alpha > /dev/full').stderr).toContain('repeat the command')
  })
})

describe('missions inside a mission', () => {
  it('[AC-7.2] are supervised, and their stalled claims are found', () => {
    must('create-mission alpha')
    must('create-mission alpha/beta')
    must('create-mission alpha/beta/gamma')
    must('send alpha/beta/gamma --from claude --to gemini --id deep --timeout 1 --body Work')
    must('claim alpha/beta/gamma --as gemini')
    const deadline = Date.now() + 10_000
    while (must('find-stalled alpha').stalled.length === 0 && Date.now() < deadline);
    expect(must('find-stalled alpha').stalled[0].message).toMatchObject({ id: 'deep', mission: 'alpha/beta/gamma' })
    expect(must('supervise alpha --once').stalled).toMatchObject([{ message: { id: 'deep', state: 'failed' } }])
    expect(must('status alpha').total).toMatchObject({ failed: 1, processing: 0 })
  })
})

describe('an approval', () => {
  const human = (...words: string[]) => cliJson(['human', ...words], { cwd: root }, quickCli)
  const edit = (from: string, to: string) => {
    const folder = inMissions('alpha/queue/pending')
    const path = join(folder, readdirSync(folder)[0]!)
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to))
  }

  beforeEach(() => {
    must('create-mission alpha')
    mkdirSync(join(root, '.signalbox'), { recursive: true })
    writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold: ["deploy * shop"]\n')
    must('send alpha --from claude --to gemini --id ship --file -', { input: 'Please deploy the shop' })
  })

  it('[AC-11.2b] is for what was shown: by the digest that `human list` prints', () => {
    const [{ digest }] = human('list').output.waiting
    expect(digest).toMatch(/^[0-9a-f]{32}$/)
    const { out } = quickCli(['human', 'list'], { cwd: root })
    expect(out).toContain(`signalbox human approve ship --digest ${digest}`)
    edit('the shop', 'the evil shop')
    // Another person looks meanwhile; the digest still says what was shown to the first.
    expect(human('list').output.waiting[0].digest).not.toBe(digest)
    const { exit, output } = human('approve', 'ship', '--digest', digest)
    expect({ exit, code: output.error?.code }).toEqual({ exit: 4, code: 'MESSAGE_CHANGED' })
    expect(run('claim alpha --as gemini').exit).toBe(1)
    edit('the evil shop', 'the shop')
    expect(human('approve', 'ship', '--digest', digest).exit).toBe(0)
    expect(must('claim alpha --as gemini').message.id).toBe('ship')
  })

  it('[AC-11.2b] without a digest is for what `human list` showed last', () => {
    human('list')
    edit('the shop', 'the evil shop')
    expect(human('approve', 'ship')).toMatchObject({ exit: 4, output: { error: { code: 'MESSAGE_CHANGED' } } })
    expect(run('claim alpha --as gemini').exit).toBe(1)
    human('list')
    expect(human('approve', 'ship').exit).toBe(0)
    human('list')
    expect(readdirSync(join(root, '.signalbox/state/approvals/shown'))).toEqual([])
    expect(must('claim alpha --as gemini').message.id).toBe('ship')
  })

  it('[AC-11.2b] is asked for in one list, with what a person must know', () => {
    const [entry, ...more] = human('list').output.waiting
    expect(more).toEqual([])
    expect(entry).toMatchObject({
      id: 'ship',
      protocol: 'acmq',
      kind: 'approval',
      from: 'claude',
      summary: 'Please deploy the shop',
      text: 'Please deploy the shop',
      options: [],
      answers: ['approve', 'deny'],
      place: 'alpha',
      mission: 'alpha',
    })
    expect(entry.createdAt).toBe(entry.message.createdAt)
    expect(entry.askedAt).toBe(entry.createdAt)
    expect(entry.ageSeconds).toBeGreaterThanOrEqual(0)
    expect(entry.ageSeconds).toBeLessThan(600)
    const { out } = quickCli(['human'], { cwd: root })
    expect(out).toMatch(/^kind: +approval\nfrom: +claude\nasked: +\d+m?s ago$/m)
    expect(out).toContain('to refuse it:  signalbox human deny ship --reason TEXT\n')
  })

  it('[AC-11.2b] is given or refused, and no answer in words', () => {
    const refused = (...words: string[]) => {
      const { exit, output } = human(...words)
      return [exit, output.error.code, output.error.hint]
    }
    const instead = 'What it can get: signalbox human approve ship, or signalbox human deny ship'
    expect(refused('answer', 'ship', '--body', 'Yes')).toEqual([7, 'UNSUPPORTED', instead])
    expect(refused('answer', 'ship', '--option', '1')).toEqual([7, 'UNSUPPORTED', instead])
    const which = 'Give --body TEXT or --option N; in a program, `text` or `option`.'
    expect(refused('answer', 'ship')).toEqual([2, 'MISSING_INPUT', which])
    expect(refused('answer', 'ship', '--body', ' ')).toEqual([2, 'MISSING_INPUT', which])
    expect(refused('answer', 'ship', '--body', 'Yes', '--option', '1')).toEqual([2, 'GIVEN_TWICE', which])
    expect(refused('answer', 'ship', '--option', 'one').slice(0, 2)).toEqual([2, 'WRONG_TYPE'])
    expect(refused('answer', 'shop', '--body', 'Yes').slice(0, 2)).toEqual([3, 'NO_SUCH_MESSAGE'])
    expect(human('list').output.waiting).toHaveLength(1)
    expect(human('approve', 'ship').output.outcome).toBe('approved')
    expect(human('approve', 'ship')).toMatchObject({ exit: 0, output: { outcome: 'unchanged' } })
    expect(refused('answer', 'ship', '--body', 'Yes')).toEqual([7, 'UNSUPPORTED', instead])
    must('claim alpha --as gemini')
    expect(refused('approve', 'ship').slice(0, 2)).toEqual([4, 'WRONG_STATE'])
  })

  it('[AC-11.2b] of an id that two missions know says which', () => {
    must('create-mission beta')
    must('send beta --from claude --to gemini --id ship --file -', { input: 'Please deploy the other shop' })
    const { exit, output } = human('approve', 'ship')
    expect({ exit, ...output.error }).toMatchObject({
      exit: 4,
      code: 'AMBIGUOUS_ID',
      message:
        'More than one message is meant by ship: ship (acmq alpha: Please deploy the shop), ship (acmq beta: Please deploy the other shop).',
      hint: 'Say which: --in alpha, --in beta',
    })
    expect(human('approve', 'ship', '--in', 'beta')).toMatchObject({ exit: 0, output: { mission: 'beta' } })
    expect(human('list').output.waiting).toMatchObject([{ mission: 'alpha' }])
    // The one that waits is meant now.
    expect(human('deny', 'ship')).toMatchObject({ exit: 0, output: { mission: 'alpha', outcome: 'denied' } })
  })

  it('[AC-11.2b] cannot be asked for by a policy that nobody can read: then nobody says that nothing waits', () => {
    writeFileSync(join(root, '.signalbox/policy.yaml'), 'hold: everything\n')
    expect(human('list')).toMatchObject({ exit: 5, output: { error: { code: 'BAD_POLICY' } } })
  })

  it('[AC-11.2b] of what nobody was shown is for what is there, and for nothing later', () => {
    expect(human('approve', 'ship').exit).toBe(0)
    edit('the shop', 'the evil shop')
    expect(run('claim alpha --as gemini').exit).toBe(1)
  })
})

describe('waiting for what becomes of messages', () => {
  const later = async (work: (box: AcmqBox) => Promise<unknown>) => {
    const other = await openBox(root)
    await work(other)
    await other.close()
  }

  it('[AC-4.3] wakes when they are completed or failed, whoever did it, and gives the results', async () => {
    const box = await openBox(root)
    for (const id of ['one', 'two', 'three'])
      await box.mission.sending.send({ from: 'claude', to: 'gemini', body: 'Work', id })
    const all = (await box.mission.ends()).wait(['one', 'two'])
    const any = (await box.mission.ends()).wait(['three', 'two'], { any: true })
    await later(async ({ mission }) => {
      for (const id of ['one', 'two']) await mission.claims.next({ agent: 'gemini', id })
      await mission.settling.complete('one', { agent: 'gemini' }, { text: 'Three tables.', links: ['findings/a.md'] })
      await (await mission.upkeep()).archive({ olderThanMs: 0 })
      await mission.settling.fail('two', { agent: 'gemini' }, { reason: 'No access', detail: 'At all.' })
    })
    const two = { id: 'two', ended: 'failed', failure: { reason: 'No access', detail: 'At all.' } }
    expect(await any).toMatchObject({ outcome: 'settled', messages: [two], unsettled: ['three'] })
    expect(await all).toMatchObject({
      outcome: 'settled',
      messages: [
        {
          id: 'one',
          state: 'archived',
          ended: 'completed',
          result: { text: 'Three tables.', links: ['findings/a.md'] },
        },
        two,
      ],
      unsettled: [],
    })
    await box.close()
  })

  it('[AC-4.3] two that look for a message at the same time both find it', async () => {
    const clock = heldClock()
    const box = await memoryBox({ clock })
    await box.mission.sending.send({ from: 'claude', to: 'gemini', body: 'Work', id: 'one' })
    // From now on one listing of the folder is enough for both.
    clock.advance(60_000)
    for (let ticks = 0; ticks < 40; ticks++) {
      const mission = await box.missions.open('alpha')
      const ends = await mission.ends()
      const first = ends.wait(['one'], { waitMs: 0 })
      for (let tick = 0; tick < ticks; tick++) await undefined
      const second = ends.wait(['one'], { waitMs: 0 })
      for (const { unsettled } of await Promise.all([first, second])) expect(unsettled, `${ticks}`).toEqual(['one'])
    }
    await box.close()
  })

  it('[AC-4.3] is a command: exit status 1 when the time is up, 3 for what is not known', () => {
    must('create-mission alpha')
    send('one')
    send('two')
    must('claim alpha --as gemini --id one')
    must('complete alpha one --as gemini --result Done')
    expect(run('wait alpha one two --timeout 0')).toMatchObject({
      exit: 1,
      output: { outcome: 'waiting', messages: [{ id: 'one' }], unsettled: ['two'] },
    })
    expect(must('wait alpha one two --any').messages).toMatchObject([{ id: 'one', result: { text: 'Done' } }])
    expect(quickCli('acmq wait alpha one two --timeout 0'.split(' '), { cwd: root })).toEqual({
      exit: 1,
      out: 'completed one by gemini\n  Done\nnot done two\n',
      err: '',
    })
    expect(refused('wait alpha nobody', 3).code).toBe('NO_SUCH_MESSAGE')
    expect(refused('wait alpha', 2).code).toBe('MISSING_INPUT')
  })
})

describe('a claim', () => {
  it('[AC-4.2a] with --mine leaves alone what is for all', () => {
    must('create-mission alpha')
    send('shared', '--to all --priority 1')
    send('own')
    expect(must('claim alpha --as gemini --mine').message.id).toBe('own')
    expect(run('claim alpha --as gemini --mine')).toMatchObject({
      exit: 1,
      output: { outcome: 'nothing', blocked: [] },
    })
    expect(must('claim alpha --as gemini').message.id).toBe('shared')
  })

  it('[AC-4.2a] with --mine in one process, while others wait for all', async () => {
    const box = await openBox(root)
    const mine = box.mission.claims.next({ agent: 'gemini', mine: true, waitMs: 5000 })
    await box.mission.sending.send({ from: 'claude', to: 'all', body: 'Shared', id: 'shared' })
    await box.mission.sending.send({ from: 'claude', to: 'gemini', body: 'Own', id: 'own' })
    expect(await mine).toMatchObject({ outcome: 'claimed', message: { id: 'own' } })
    expect(await box.mission.claims.next({ agent: 'gemini', mine: true })).toMatchObject({ outcome: 'nothing' })
    expect(await box.mission.claims.next({ agent: 'codex' })).toMatchObject({ message: { id: 'shared' } })
    await box.close()
  })

  it('[AC-7.2] takes from several missions in turn, and from all inside one', () => {
    for (const name of ['alpha', 'alpha/beta', 'alpha/beta/gamma', 'zeta']) must(`create-mission ${name}`)
    must('send zeta --from claude --to gemini --id last --body Work --priority 1')
    must('send alpha/beta/gamma --from claude --to gemini --id deep --body Work')
    expect(must('claim alpha/** zeta --as gemini').message).toMatchObject({ id: 'deep', mission: 'alpha/beta/gamma' })
    expect(run('claim alpha/** --as gemini').exit).toBe(1)
    expect(must('claim ** --as gemini --hydrate').message).toMatchObject({ id: 'last', mission: 'zeta' })
    expect(must('claim ** --as gemini --id deep').message).toMatchObject({ id: 'deep', attempt: 1 })
    expect(refused('claim alpha nowhere --as gemini', 3).code).toBe('NO_SUCH_MISSION')
    expect(refused('claim alpha/** zeta --id nobody --as gemini', 3).code).toBe('NO_SUCH_MESSAGE')
  })

  it('[AC-7.2] wakes for what comes to one of several missions, also to one made meanwhile', async () => {
    const box = await openBox(root)
    const waiting = box.missions.claim(['alpha/**'], { agent: 'gemini', waitMs: 10_000 })
    const other = await openBox(root)
    const { mission } = await other.missions.create('alpha/later')
    await mission.sending.send({ from: 'claude', to: 'all', body: 'Work', id: 'deep' })
    expect(await waiting).toMatchObject({ outcome: 'claimed', message: { id: 'deep', mission: 'alpha/later' } })
    await Promise.all([box.close(), other.close()])
  })
})

describe('what must come first in another mission', () => {
  it('[AC-7.1a] is a message of a mission inside, around or beside', () => {
    for (const name of ['alpha', 'alpha/beta', 'alpha/gamma']) must(`create-mission ${name}`)
    must('send alpha/beta --from claude --to gemini --id inner-part-1 --body Work')
    must('send alpha --from claude --to gemini --id outer --body Work --depends msg:beta/inner-part-1')
    must('send alpha/gamma --from claude --to gemini --id beside --body Work --depends msg:../beta/inner-pa')
    must('send alpha/beta --from claude --to codex --id next --body Work --depends msg:../outer')
    expect(run('claim alpha --as gemini').output.blocked).toMatchObject([
      { id: 'outer', reason: 'waits for beta/inner-part-1 (pending)' },
    ])
    expect(run('claim alpha/beta --as codex').output.blocked[0].reason).toBe('waits for ../outer (pending)')
    must('claim alpha/beta --as gemini')
    expect(run('claim alpha/gamma --as gemini').output.blocked[0].reason).toContain('(processing)')
    must('complete alpha/beta inner-part-1 --as gemini')
    expect(must('claim alpha --as gemini').message.id).toBe('outer')
    must('archive alpha/beta --older-than 0s')
    expect(must('claim alpha/gamma --as gemini').message.id).toBe('beside')
    must('fail alpha outer --as gemini --reason No')
    expect(run('claim alpha/beta --as codex').output.blocked[0].reason).toContain('failed')
  })

  it('[AC-7.1c] is told when it is not known, and refused when it cannot be', () => {
    must('create-mission alpha')
    const words = 'send alpha --from claude --to gemini --body Work --depends'
    for (const text of ['msg:nowhere/one', 'msg:../../one', 'msg:../one']) {
      expect(must(`${words} ${text}`).notices[0]).toContain('is known yet')
    }
    for (const text of ['msg:a//b', 'msg:/one', 'msg:./one', 'msg:a/../b/']) {
      expect(refused(`${words} ${text}`, 2).code).toBe('BAD_DEPENDENCY')
    }
    expect(run('claim alpha --as gemini').output.blocked[0].reason).toContain('which is not known')
  })

  it('[AC-7.1a] wakes whoever waits when it is completed there, however many else are waited for', async () => {
    const box = await openBox(root)
    const { mission: inner } = await box.missions.create('alpha/beta')
    await inner.sending.send({ from: 'claude', to: 'gemini', body: 'Work', id: 'inner' })
    await inner.sending.send({ from: 'claude', to: 'gemini', body: 'Work', id: 'inner-2' })
    const other = await openBox(root)
    const theirs = await other.missions.open('alpha/beta')
    await box.mission.sending.send({
      from: 'claude',
      to: 'codex',
      body: 'A',
      id: 'a',
      dependencies: ['msg:beta/inner'],
    })
    const first = box.mission.claims.next({ agent: 'codex', waitMs: 10_000 })
    await theirs.claims.next({ agent: 'gemini', id: 'inner' })
    const startedAt = performance.now()
    await theirs.settling.complete('inner', { agent: 'gemini' })
    expect(await first).toMatchObject({ outcome: 'claimed', message: { id: 'a' } })
    // One that comes while somebody waits already.
    const second = box.mission.claims.next({ agent: 'codex', waitMs: 10_000 })
    await other.mission.sending.send({
      from: 'claude',
      to: 'codex',
      body: 'B',
      id: 'b',
      dependencies: ['msg:beta/inner-2'],
    })
    await theirs.claims.next({ agent: 'gemini', id: 'inner-2' })
    await theirs.settling.complete('inner-2', { agent: 'gemini' })
    expect(await second).toMatchObject({ outcome: 'claimed', message: { id: 'b' } })
    expect(performance.now() - startedAt).toBeLessThan(2500)
    await Promise.all([box.close(), other.close()])
  })
})

describe('agents whose names differ by case alone', () => {
  it('[AC-2c] are refused once one of them has been seen', () => {
    must('create-mission alpha')
    send('one', '--to Gemini')
    // Being written to is not being there: a typo keeps nobody from writing to the right one.
    send('two', '--to gemini')
    must('claim alpha --as gemini')
    const words = 'send alpha --body Work'
    for (const [command, other] of [
      [`${words} --from claude --to GEMINI`, 'gemini'],
      [`${words} --from Claude --to gemini`, 'claude'],
      ['claim alpha --as GEMINI', 'gemini'],
      ['claim ** --as Claude', 'claude'],
    ] as const) {
      expect(refused(command, 4)).toMatchObject({ code: 'SAME_BUT_FOR_CASE', details: { other } })
    }
    expect(readdirSync(inMissions('alpha/queue/pending'))).toHaveLength(1)
  })

  it('[AC-2c] are read where they are there', () => {
    must('create-mission alpha')
    const file = (to: string) =>
      `---\nid: for-${to}\nfrom: claude\nto: ${to}\ntimestamp: 2026-01-01T00:00:00Z\n---\nWork\n`
    for (const to of ['gemini', 'Gemini']) {
      writeFileSync(inMissions(`alpha/queue/completed/20260101000000-for-${to}-from-claude-to-${to}.md`), file(to))
    }
    expect(must('list alpha').messages).toHaveLength(2)
    for (const to of ['gemini', 'Gemini']) must(`send alpha --from claude --to ${to} --body Work`)
    for (const to of ['gemini', 'Gemini']) expect(must(`claim alpha --as ${to}`).message.to).toBe(to)
  })
})
