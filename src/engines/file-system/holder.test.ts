/** Whether a holder lives, on machines that are made up: what `/proc` and `/etc` say is what the test says. */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { spawnProgram } from '../../../test/support/child.ts'
import { steppingDisk } from '../../../test/support/stepping-disk.ts'
import { tempDir } from '../../../test/support/temp.ts'
import { verifies } from '../../../test/support/verifies.ts'
import { type FilePlace, type Folder, realDisk } from './disk.ts'
import { Holders, holderOf } from './holder.ts'

interface Machine {
  readonly machineId?: string
  readonly hostname?: string
  readonly bootId?: string
  /** The namespaces of whoever looks. */
  readonly pidSpace?: string
  readonly utsSpace?: string
  /** By pid as it is seen there. */
  readonly processes?: Readonly<Record<string, { start: number; inside?: number; pidSpace?: string; state?: string }>>
}

const outermost = '4026531836'
const one: Required<Machine> = {
  machineId: '0123456789abcdef0123456789abcdef',
  hostname: 'alpha',
  bootId: 'first-boot',
  pidSpace: outermost,
  utsSpace: '4026531838',
  processes: { [process.pid]: { start: 100 } },
}

const answering = new Set<number>()

/** What a process on this machine believes. */
function holdersOn(changes: Machine): Holders {
  const machine = { ...one, ...changes }
  const base = tempDir()
  const texts: Record<string, string> = {
    '/etc/machine-id': machine.machineId,
    '/proc/sys/kernel/hostname': `${machine.hostname}\n`,
    '/proc/sys/kernel/random/boot_id': `${machine.bootId}\n`,
    '/proc/1/stat': '1 (init) S 0',
  }
  const links: Record<string, string> = {
    '/proc/self/ns/pid': `pid:[${machine.pidSpace}]`,
    '/proc/self/ns/uts': `uts:[${machine.utsSpace}]`,
  }
  for (const [pid, { start, inside, pidSpace, state = 'S' }] of Object.entries(machine.processes)) {
    texts[`/proc/${pid}/stat`] = `${pid} (any (name) S) ${state} ${'0 '.repeat(18)}${start} 0\n`
    texts[`/proc/${pid}/status`] = `Name:\tany\nNSpid:\t${pid}${inside === undefined ? '' : `\t${inside}`}\n`
    links[`/proc/${pid}/ns/pid`] = `pid:[${pidSpace ?? machine.pidSpace}]`
  }
  const missing = () => Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
  const disk = steppingDisk(realDisk(), (step, values, call) => {
    if (step === 'readLink') {
      const link = links[values[0] as string]
      if (link === undefined) throw missing()
      return link
    }
    if (step === 'list' && (values[0] as Folder).prefix === '/proc/')
      return Object.keys(machine.processes).map((name) => ({ name }))
    if (step !== 'open') return call()
    const text = texts[(values[0] as FilePlace).path]
    if (text === undefined) throw missing()
    const file = join(base, String(Math.random()))
    fs.writeFileSync(file, text)
    return fs.openSync(file, 'r')
  })
  return new Holders(disk, (pid) => answering.has(pid))
}

/** The name of another process, of pid 5 unless said otherwise, on a machine like the first but for these. */
const otherOn = (changes: Machine, pid = 5, start = 200): string => {
  const [, , where = '', instance = ''] = holdersOn(changes).self.split('-')
  return `${pid.toString(36)}-${start.toString(36)}-${where}-${instance}`
}

const isLinux = process.platform === 'linux' ? undefined : 'it is about Linux'

verifies.unless(isLinux, 'X-held', 'a holder is alive or dead by pid and start on the same boot', () => {
  const processes = { ...one.processes, 5: { start: 200 }, 6: { start: 1, state: 'Z' }, 7: { start: 1, state: 'T' } }
  const here = holdersOn({ processes })
  expect(here.lifeOf(here.self)).toBe('alive')
  expect(here.lifeOf(otherOn({}, 5, 200))).toBe('alive')
  expect(here.lifeOf(otherOn({}, 5, 199))).toBe('dead')
  expect(here.lifeOf(otherOn({}, 6, 1))).toBe('dead')
  expect(here.lifeOf(otherOn({}, 7, 1)), 'stopped').toBe('alive')
  expect(here.lifeOf(otherOn({}, 8))).toBe('dead')
  answering.add(9)
  expect(here.lifeOf(otherOn({}, 9)), 'hidden by the system').toBe('unknown')
})

verifies.unless(isLinux, 'X-held', 'a holder of the same machine before a restart is dead', () => {
  expect(holdersOn({ bootId: 'second-boot' }).lifeOf(otherOn({}))).toBe('dead')
})

verifies.unless(isLinux, 'X-held', 'two machines are never taken for one that was restarted', () => {
  const later = { bootId: 'second-boot' }
  const lifeOf = (now: Machine, then: Machine) => holdersOn({ ...now, ...later }).lifeOf(otherOn(then))
  expect(lifeOf({ machineId: 'f'.repeat(32) }, {}), 'another id').toBe('unknown')
  expect(lifeOf({ hostname: 'beta' }, {}), 'one image, two machines').toBe('unknown')
  expect(lifeOf({ machineId: '' }, { machineId: '' }), 'no id').toBe('unknown')
  expect(lifeOf({ machineId: 'uninitialized\n' }, { machineId: 'uninitialized\n' }), 'not yet an id').toBe('unknown')
  expect(lifeOf({ hostname: 'localhost' }, { hostname: 'localhost' }), 'a name that many have').toBe('unknown')
  const container = { pidSpace: '4026532000', utsSpace: '4026532001' }
  expect(lifeOf(container, container), 'containers of one image').toBe('unknown')
  expect(lifeOf({ utsSpace: '4026532001' }, {}), 'a name of its own').toBe('unknown')
})

verifies.unless(isLinux, 'X-held', 'a holder in a container is seen from outside, not from beside', () => {
  const inside = otherOn({ pidSpace: '4026532000' }, 5, 200)
  const seen = { start: 200, inside: 5, pidSpace: '4026532000' }
  const from = (processes: Machine['processes'], pidSpace = outermost) =>
    holdersOn({ processes: { ...one.processes, ...processes }, pidSpace }).lifeOf(inside)
  expect(from({ 4711: seen })).toBe('alive')
  expect(from({ 4711: { ...seen, start: 201 } })).toBe('dead')
  expect(from({ 4711: { ...seen, pidSpace: '4026532009' } }), 'the same pid elsewhere').toBe('dead')
  expect(from({})).toBe('dead')
  expect(from({ 4711: seen }, '4026532007')).toBe('unknown')
})

verifies('X-notes', 'names that no holder has, and those of earlier versions, are unknown', () => {
  const here = holdersOn({})
  for (const id of ['', '-', 'a', '1a-2b-3c-4d', '../../x', '0-0-0_0_0-0', 'zzzzzzzz-1-0_0_0-a', '5-5k-0_0_0-a b']) {
    expect(here.lifeOf(id), id).toBe('unknown')
  }
})

it('a name that begins with a holder is taken apart', () => {
  expect(holderOf('1a-2b-3c_4d_5e-6f-d_0')).toEqual({ holder: '1a-2b-3c_4d_5e-6f', rest: 'd_0' })
  for (const name of ['1a-2b-3c-4d', 'x', '', '1a-2b-3c-4d-../x', '1a--3c-4d-5']) expect(holderOf(name)).toBeUndefined()
})

/** Whether this process may make a container of its own. */
const cannotUnshare = (() => {
  const { status } = process.getBuiltinModule('node:child_process').spawnSync('unshare', ['--pid', '--fork', 'true'])
  if (status !== 0) return 'unshare --pid does not work here'
  return fs.readlinkSync('/proc/self/ns/pid') === `pid:[${outermost}]` ? undefined : 'this runs in a container itself'
})()

verifies.unless(cannotUnshare, 'X-held', 'a real process in a container of its own is alive, then dead', async () => {
  const script = 'echo $$ $(cut -d" " -f22 /proc/self/stat) $(readlink /proc/self/ns/pid /proc/self/ns/time); cat'
  const child = spawnProgram(['unshare', '--pid', '--fork', '--mount-proc', 'sh', '-c', script])
  const [pid = '', , pidLink = '', timeLink = ''] = (await child.nextLine())!.split(' ')
  const here = new Holders(realDisk())
  const [, , where = ''] = here.self.split('-')
  const { shortHash } = await import('./holder.ts')
  const inside = `${where.split('_').slice(0, 2).join('_')}_${shortHash(`${pidLink} ${timeLink}`)}`
  // The start of the shell itself, which has the pid 1 in there, as it is seen from out here.
  const outer = fs.readdirSync('/proc').find((name) => {
    try {
      return (
        fs.readlinkSync(`/proc/${name}/ns/pid`) === pidLink &&
        /NSpid:.*\t1$/m.test(fs.readFileSync(`/proc/${name}/status`, 'utf8'))
      )
    } catch {
      return false // Gone by now, or no process.
    }
  })!
  const stat = fs.readFileSync(`/proc/${outer}/stat`, 'latin1')
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]).toString(36)
  const holder = `${Number(pid).toString(36)}-${start}-${inside}-aaaaaa`
  expect(here.lifeOf(holder)).toBe('alive')
  process.kill(Number(outer), 'SIGKILL')
  await child.exited
  expect(here.lifeOf(holder)).toBe('dead')
})
