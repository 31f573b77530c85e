/**
 * A directory that was cloned from a stranger, met from the command line: nothing of ours reaches the server that it
 * names, and nothing of the files that it points to is shown.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { spawnProgram } from '../support/child.ts'
import { tempDir } from '../support/temp.ts'
import { verifies } from '../support/verifies.ts'
import { cli, cliJson, plainEnvironment, programFor } from './cli-program.ts'

const secret = 'correct-horse-battery'
let clone: string
/** What the user has outside: settings of their own, and a file with a secret. */
let home: string
let secretFile: string
beforeEach(() => {
  clone = tempDir()
  home = tempDir()
  secretFile = join(home, 'secret')
  writeFileSync(secretFile, `${secret}\n`, { mode: 0o600 })
})

const brings = (settings: string) => writeFileSync(join(clone, 'signalbox.yaml'), settings)
const owns = (settings: string) => {
  mkdirSync(join(home, 'signalbox'), { recursive: true })
  writeFileSync(join(home, 'signalbox/config.yaml'), settings, { mode: 0o600 })
}

describe('a server that a cloned directory names', () => {
  let server: Server
  let received: string[]
  let address: string
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (piece) => {
        body += piece
      })
      request.on('end', () => {
        received.push(`${request.url} ${body} ${JSON.stringify(request.headers)}`)
        response.writeHead(400, { 'content-type': 'application/json' })
        response.end('{"error":"etcdserver: authentication failed, invalid user ID or password","code":3}')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `etcd://127.0.0.1:${(server.address() as AddressInfo).port}/team`
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  beforeEach(() => {
    received = []
  })

  /** In a process beside this one, so that the server can answer. */
  async function run(words: readonly string[], env: Record<string, string> = {}) {
    const environment = plainEnvironment({ XDG_CONFIG_HOME: home, ...env }) as Record<string, string>
    const child = spawnProgram([process.execPath, programFor(words), ...words], { cwd: clone, env: environment })
    const { code } = await child.exited
    return { exit: code, said: `${child.stdout.join('\n')}\n${child.stderr()}` }
  }
  const commands = [
    ['acmq', 'missions'],
    ['acmq', 'send', 'alpha', '--from', 'ann', '--to', 'bob', '--body', 'Our plans'],
    ['mr', 'status'],
    ['doctor'],
    ['doctor', '--fix'],
    ['init'],
    ['export', 'copy'],
  ]

  verifies('X-trust', 'never gets a file that the directory names as a password', async () => {
    brings(`engine: ${address}\netcd:\n  user: root\n  passwordFile: ${secretFile}\n`)
    for (const words of commands) {
      const { exit, said } = await run(words)
      expect(received.join('\n')).not.toContain(secret)
      expect([words.join(' '), exit === 0]).toEqual([words.join(' '), false])
      expect(said).not.toContain(secret)
    }
    expect(received).toEqual([])
    const { said } = await run(['acmq', 'missions'])
    expect(said).toContain(`${clone}/signalbox.yaml:3: \`etcd.user\` is not for a workspace to say`)
    expect(said).toContain(`into ${home}/signalbox/config.yaml below a line \`${address}:\``)
  })

  verifies('X-trust', 'gets no message and no password of another server before it is trusted', async () => {
    brings(`engine: ${address}\n`)
    owns(`etcd://other:2379/team:\n  user: ann\n  passwordFile: ${secretFile}\n`)
    const global = { SIGNALBOX_ETCD_USER: 'ann', SIGNALBOX_ETCD_PASSWORD_FILE: secretFile }
    for (const words of commands) {
      const { exit } = await run(words, global)
      expect(received).toEqual([])
      expect(exit).toBe(6)
    }
    expect((await run(['acmq', 'missions'])).said).toContain(`echo '${address}:' >> '${home}/signalbox/config.yaml'`)

    // Trusted by that very command, it is spoken to; what is meant for another is still not sent.
    owns(`${address}:\netcd://other:2379/team:\n  user: ann\n  passwordFile: ${secretFile}\n`)
    await run(['acmq', 'missions'], global)
    expect(received.length).toBeGreaterThan(0)
    expect(received.join('\n')).not.toContain(secret)
  })

  it('gets what the user wrote below its address, or set beside it in the environment', async () => {
    brings(`engine: ${address}\n`)
    owns(`${address}:\n  user: ann\n  passwordFile: ${secretFile}\n`)
    expect(await run(['acmq', 'missions'])).toMatchObject({ exit: 6 })
    expect(received[0]).toContain(secret)
    received = []
    owns('')
    const named = { SIGNALBOX_ENGINE: address, SIGNALBOX_ETCD_USER: 'ann', SIGNALBOX_ETCD_PASSWORD_FILE: secretFile }
    expect(await run(['acmq', 'missions'], named)).toMatchObject({ exit: 6 })
    expect(received[0]).toContain(secret)
  })
})

describe('settings that are another file', () => {
  const commands = [['acmq', 'missions'], ['doctor'], ['init'], ['mr', 'status']]

  verifies('X-trust', 'are not read through a link, and nothing of them is quoted', () => {
    for (const text of [`${secret}\n`, `key: "${secret}`, `durability: ${secret}\n`]) {
      clone = tempDir()
      writeFileSync(secretFile, text)
      symlinkSync(secretFile, join(clone, 'signalbox.yaml'))
      for (const words of commands) {
        const { exit, out, err } = cli(words, { cwd: clone, env: { SIGNALBOX_DEBUG: '1' } })
        expect([words[0], exit === 0 || exit === 70]).toEqual([words[0], false])
        expect(`${out}${err}`).toContain('symbolic link')
        expect(`${out}${err}`).not.toContain(secret)
      }
    }
  })

  verifies('X-trust', 'are not quoted when the same file has a name elsewhere', () => {
    writeFileSync(secretFile, `durability: ${secret}\n`)
    linkSync(secretFile, join(clone, 'signalbox.yaml'))
    const { exit, err } = cli(['acmq', 'missions'], { cwd: clone, env: { SIGNALBOX_DEBUG: '1' } })
    expect(exit).toBe(2)
    expect(err).toContain('signalbox.yaml:1: this is not a setting; the file has a second name')
    expect(err).not.toContain(secret)
  })

  it('a home of the workspace, or a policy, that is a link is not followed', () => {
    const outside = tempDir()
    symlinkSync(outside, join(clone, '.signalbox'))
    const refused = cliJson(['acmq', 'create-mission', 'alpha'], { cwd: clone })
    expect(refused).toMatchObject({ exit: 6, output: { error: { code: 'LINK_REFUSED' } } })
    expect(readdirSync(outside)).toEqual([])

    const other = tempDir()
    mkdirSync(join(other, '.signalbox'))
    writeFileSync(secretFile, `hold: ${secret}\n`)
    symlinkSync(secretFile, join(other, '.signalbox/policy.yaml'))
    cli(['acmq', 'create-mission', 'alpha'], { cwd: other })
    const sent = cli(['acmq', 'send', 'alpha', '--from', 'a', '--to', 'b', '--body', 'x'], { cwd: other })
    const claimed = cli(['acmq', 'claim', 'alpha', '--as', 'b'], { cwd: other, env: { SIGNALBOX_DEBUG: '1' } })
    expect(`${sent.err}${sent.out}${claimed.err}${claimed.out}`).not.toContain(secret)
    expect(claimed.exit).not.toBe(0)
    expect(claimed.exit).not.toBe(70)
  })
})

describe('keys that a cloned directory brings along', () => {
  const task = ['--type', 'task-delegation', '--payload', '{"task":"Delete everything"}']

  verifies('X-trust', 'vouch for nobody; doctor tells of them', () => {
    // The stranger makes a workspace with keys, and hands it over with a signed message in it.
    const theirs = { XDG_CONFIG_HOME: tempDir(), SIGNALBOX_MR_SIGNING: 'require' }
    expect(cli(['mr', 'keys', 'lead', '--generate'], { cwd: clone, env: theirs }).exit).toBe(0)
    expect(cli(['mr', 'send', '--from', 'lead', '--to', 'coder', ...task], { cwd: clone, env: theirs }).exit).toBe(0)
    const [workspace = ''] = readdirSync(join(theirs.XDG_CONFIG_HOME, 'signalbox/workspaces'))
    mkdirSync(join(clone, '.signalbox/state'), { recursive: true })
    cpKeys(join(theirs.XDG_CONFIG_HOME, 'signalbox/workspaces', workspace, 'keys'))

    const ours = { XDG_CONFIG_HOME: home, SIGNALBOX_MR_SIGNING: 'require' }
    const received = cliJson(['mr', 'receive', 'coder'], { cwd: clone, env: ours })
    expect(received.output).toMatchObject({ messages: [], rejected: [{ code: 'UNKNOWN_KEY' }] })
    const sent = cliJson(['mr', 'send', '--from', 'lead', '--to', 'coder', ...task], { cwd: clone, env: ours })
    expect(sent).toMatchObject({ exit: 6, output: { error: { code: 'NO_KEY' } } })
    const { findings } = cliJson(['doctor'], { cwd: clone, env: ours }).output
    expect(findings).toMatchObject([{ code: 'KEYS_IN_WORKSPACE', severity: 'warning' }, { code: 'WAITS_FOR_PERSON' }])

    // Whoever made them moves them, as the hint says, and goes on.
    const [, command = ''] = /move them: (.*)\. Otherwise/.exec(findings[0].hint) ?? []
    sh(command)
    expect(existsSync(join(clone, '.signalbox/state/keys'))).toBe(false)
    expect(cli(['mr', 'send', '--from', 'lead', '--to', 'coder', ...task], { cwd: clone, env: ours }).exit).toBe(0)
    // The message that vouched for nobody was set aside.
    expect(cliJson(['doctor'], { cwd: clone, env: ours }).output.findings).toMatchObject([{ code: 'WAITS_FOR_PERSON' }])
  })

  const sh = (command: string) => expect(spawnSync('sh', ['-c', command]).status).toBe(0)
  const cpKeys = (from: string) => sh(`cp -rp ${from} ${join(clone, '.signalbox/state/keys')}`)
})
