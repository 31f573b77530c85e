/** Agents that have nothing but a shell, beside those that have Signalbox, in one mission. */
import fs from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { heldClock } from '../../src/kernel/clock.ts'
import { type AcmqBox, openBox } from '../support/acmq.ts'
import { spawnProgram } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'

let root: string
let box: AcmqBox

beforeEach(async () => {
  root = tempDir()
  box = await openBox(root)
})
afterEach(() => box.close())

const queue = (name: string) => join(root, 'llm/missions/alpha/queue', name)
const names = (name: string) => fs.readdirSync(queue(name)).sort()
const textIn = (folder: string, name: string) => fs.readFileSync(join(queue(folder), name), 'utf8')

/** What such an agent would have in its head. No program of ours is on its path, and no `ln`, lock or library. */
const shell = `
set -u
me=$1
cd "$2/llm/missions/alpha/queue"

# send ID TO [DEPENDENCY]: whole or not at all.
send() {
  {
    printf '%s\\n' '---' "id: $1" "from: $me" "to: $2" 'status: pending' 'timeout_seconds: 60'
    [ -z "\${3-}" ] || printf 'dependencies:\\n  - "msg:%s"\\n' "$3"
    printf '%s\\n' '---' "Task $1."
  } > ".$1.tmp"
  mv ".$1.tmp" "pending/20260101000000-$1-from-$me-to-$2.md"
}

# change FILE SED...: nobody reads half of it.
change() {
  file=$1; shift
  sed "$@" "$file" > ".$me.tmp" && mv ".$me.tmp" "$file"
}

# take NAME: of all who try, one.
take() {
  mv "pending/$1" processing/ 2>/dev/null || return 1
  change "processing/$1" -e 's/^status: .*/status: processing/' -e "s/^to: all$/to: $me/"
}

# finish NAME QUEUE HEADING TEXT
finish() {
  { sed "s/^status: .*/status: $2/" "processing/$1"; printf '\\n---\\n\\n**%s**\\n\\n%s\\n' "$3" "$4"; } > ".$me.tmp"
  mv ".$me.tmp" "processing/$1"
  mv "processing/$1" "$2/"
}
`

const run = (me: string, script: string) => spawnProgram(['sh', '-c', `${shell}\n${script}`, 'sh', me, root])

async function expectDone(me: string, script: string): Promise<string[]> {
  const child = run(me, script)
  expect(await child.exited).toEqual({ code: 0, signal: null })
  expect(child.stderr()).toBe('')
  return [...child.stdout]
}

verifies(['X-shell', 'AC-4.2b'], 'two by hand and two with Signalbox share the work: each message once', async () => {
  const total = 120
  for (let i = 0; i < total; i++) {
    if (i % 2 === 0)
      await box.mission.sending.send({ from: 'claude', to: 'all', body: `Task ${i}.\n`, id: `task-${i}` })
  }
  await expectDone('ada', `i=1; while [ $i -lt ${total} ]; do send task-$i all; i=$((i + 2)); done`)

  const drain = `
    while :; do
      for path in pending/*-to-all.md; do
        [ -e "$path" ] || break 2
        name=\${path##*/}
        take "$name" || continue
        grep -q "^to: $me$" "processing/$name" || echo "not mine: $name"
        finish "$name" completed Result "Done by $me."
        echo "$name"
      done
    done`
  const byHand = ['ada', 'bob'].map((me) => run(me, drain))
  for (const child of byHand) await child.nextLine()
  const bySignalbox = async (agent: string): Promise<string[]> => {
    const other = await openBox(root)
    const done: string[] = []
    for (;;) {
      const claimed = await other.mission.claims.next({ agent })
      if (claimed.outcome === 'nothing') break
      const { message } = claimed
      await other.mission.settling.complete(message, { agent, attempt: message.attempt }, { text: `Done by ${agent}.` })
      done.push(message.name)
      // Two that wait for each other's system calls in one process would leave the shells no chance.
      await new Promise((resolve) => setImmediate(resolve))
    }
    await other.close()
    return done
  }
  const [gemini, codex] = await Promise.all([bySignalbox('gemini'), bySignalbox('codex')])
  for (const child of byHand) {
    expect(await child.exited).toEqual({ code: 0, signal: null })
    expect(child.stderr()).toBe('')
  }
  const done = [...gemini, ...codex, ...byHand.flatMap(({ stdout }) => stdout)]
  expect(done.toSorted()).toEqual(names('completed'))
  expect(new Set(done).size).toBe(total)
  expect([names('pending'), names('processing'), names('failed')]).toEqual([[], [], []])
  for (const name of names('completed')) {
    const text = textIn('completed', name)
    expect(text).toMatch(/^status: completed *$/m)
    expect(text.match(/Done by (\w+)\./g)).toHaveLength(1)
    expect(text).toMatch(new RegExp(`^to: ${/Done by (\w+)\./.exec(text)![1]}$`, 'm'))
  }
  expect((await (await box.mission.upkeep()).reconcile()).repairs).toEqual([])
})

verifies('X-shell', 'dependencies hold between them, in both directions', async () => {
  await expectDone('ada', `send by-hand-1 ada`)
  await box.mission.sending.send({
    from: 'claude',
    to: 'gemini',
    body: 'After it',
    id: 'after-1',
    dependencies: ['msg:by-hand-1'],
  })
  await expectDone('ada', `send by-hand-2 gemini after-1`)
  expect(await box.mission.claims.next({ agent: 'gemini' })).toMatchObject({ outcome: 'nothing' })
  const takeMine = `for path in pending/*-to-ada.md; do take "\${path##*/}"; finish "\${path##*/}" completed Result Done; done`
  await expectDone('ada', takeMine)
  expect(await box.mission.claims.next({ agent: 'gemini' })).toMatchObject({
    outcome: 'claimed',
    message: { id: 'after-1' },
  })
  expect(await box.mission.claims.next({ agent: 'gemini' })).toMatchObject({ outcome: 'nothing' })
  await box.mission.settling.complete('after-1', { agent: 'gemini' })
  expect(await box.mission.claims.next({ agent: 'gemini' })).toMatchObject({
    message: { id: 'by-hand-2', body: 'Task by-hand-2.\n' },
  })
})

verifies(
  'X-shell',
  'a claim by hand lives by touch, stalls without, fails with a report and can be tried again',
  async () => {
    const clock = heldClock(Date.now())
    const supervisor = await openBox(root, { clock })
    await expectDone('ada', `send slow-task bob`)
    const [name] = names('pending')
    await expectDone('bob', `take "${name}"`)
    expect((await (await supervisor.mission.upkeep()).supervise()).outcome).toBe('nothing')
    clock.advance(50_000)
    await expectDone('bob', `touch "processing/${name}"`)
    expect((await (await supervisor.mission.upkeep()).supervise()).outcome).toBe('nothing')
    // Nothing is heard of bob any more.
    clock.advance(120_000)
    expect((await (await supervisor.mission.upkeep()).supervise()).outcome).toBe('swept')
    expect(names('failed')).toEqual([name])
    // Its sender finds the question by its name, and reads it with cat.
    const [question] = await expectDone('ada', `cat pending/*-to-ada.md | grep -c 'slow-task'`)
    expect(Number(question)).toBeGreaterThan(0)
    await supervisor.mission.settling.retry('slow-task')
    await expectDone('bob', `take "${name}"; finish "${name}" failed 'Failure Report' 'No network.'`)
    const shown = await (await supervisor.mission.overview()).show('slow-task')
    expect(shown).toMatchObject({ state: 'failed', attempt: 2, body: expect.stringContaining('No network.') })
    expect(await supervisor.mission.settling.retry('slow-task')).toMatchObject({
      outcome: 'retried',
      message: { attempt: 3 },
    })
    await supervisor.close()
  },
)

it('one by hand that stops half-way is carried on from there', async () => {
  await expectDone('ada', `send moved-only bob; send written-only bob`)
  const [moved, written] = names('pending')
  await expectDone(
    'bob',
    `mv "pending/${moved}" processing/; take "${written}"; change "processing/${written}" 's/^status: .*/status: completed/'`,
  )
  const { repairs } = await (await box.mission.upkeep()).reconcile('bob')
  expect(repairs.map(({ what }) => what).sort()).toEqual(['finished', 'status'])
  expect([names('processing'), names('completed')]).toEqual([[moved], [written]])
  expect(textIn('processing', moved!)).toMatch(/^status: processing$/m)
})
