/** Root, configuration and engine together, on real directories. */
import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../../test/support/temp.ts'
import * as outside from '../../engines/file-system/outside.ts'
import { openMemoryTree } from '../../engines/memory/index.ts'
import { systemClock } from '../../kernel/clock.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import { duration, integer, list, text } from '../../kernel/field.ts'
import type { Outside } from '../../kernel/outside.ts'
import type { Environment } from '../define.ts'
import { readConfiguration } from './configuration.ts'
import type { EtcdEngineOptions, FileEngineOptions } from './engine.ts'
import { ownFilePath } from './own-file.ts'
import { findRoot } from './root.ts'
import { type Schema, settings } from './settings.ts'
import { lazyWorkspace } from './workspace.ts'

interface Setting {
  readonly file?: string
  readonly environment?: Environment
  readonly flags?: Readonly<Record<string, unknown>>
  readonly schema?: Schema
}

function configure({ file, environment = {}, flags = {}, schema }: Setting) {
  const root = tempDir()
  if (file !== undefined) writeFileSync(join(root, 'signalbox.yaml'), file)
  return readConfiguration({ root, flags, environment, outside, ...(schema ? { schema } : {}) })
}

async function refusal(promise: Promise<unknown>): Promise<SignalboxError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof SignalboxError) return error
  throw error ?? new Error('nothing was refused')
}

describe('configuration', () => {
  it('has defaults', async () => {
    expect(await configure({})).toMatchObject({
      engine: 'files',
      durability: 'process',
      permissions: 'owner',
      compat: false,
    })
    expect((await configure({})).agent).toBeUndefined()
  })

  it('flags beat environment beats file beats default, and each value knows where it came from', async () => {
    const file = 'durability: batch\nagent: from-file\npermissions: group\n'
    const environment = { SIGNALBOX_DURABILITY: 'full', SIGNALBOX_AGENT: 'from-env', SIGNALBOX_COMPAT: '' }
    const configuration = await configure({ file, environment, flags: { agent: 'from-flag' } })
    expect(configuration).toMatchObject({ agent: 'from-flag', durability: 'full', permissions: 'group', compat: false })
    expect(configuration.origins).toMatchObject({
      engine: 'default',
      agent: 'flag',
      durability: 'environment',
      permissions: 'file',
      compat: 'default',
    })
  })

  it('a key with nothing behind it means the default', async () => {
    expect(await configure({ file: 'durability:\n' })).toMatchObject({ durability: 'process' })
  })

  const wrong: readonly [string, number, RegExp, RegExp][] = [
    ['# settings\ndurabilty: full\n', 2, /unknown key "durabilty"/, /^Did you mean `durability`\?$/],
    [
      'zebra: 1\n',
      1,
      /unknown key "zebra"/,
      /^Known keys: engine, agent, durability, permissions, strict, compat, acmq, mr, circe, dream, session, etcd, models\.$/,
    ],
    ['\n\ndurability: fast\n', 3, /durability must be one of process, batch, full; found "fast"/, /./],
    ['compat: maybe\n', 1, /compat must be true or false; found "maybe"/, /./],
    ['agent: 007\n', 1, /agent must be a name .*; found 7/, /put quotes around it: agent: "…"/],
    ['agent: ../x\n', 1, /agent must be a name/, /./],
    ['agent:\n  name: x\n', 1, /agent` must be a name .*; found a section/, /^/],
    ['agent: [a, b]\n', 1, /agent must be a name .*; found a list/, /./],
    ['engine: files\nengine: files\n', 2, /unique/, /./],
    ['constructor: 1\n', 1, /unknown key "constructor"/, /./],
  ]
  it.each(wrong)('refuses %j at line %i', async (file, line, message, hint) => {
    const error = await refusal(configure({ file }))
    expect(error).toMatchObject({ code: 'BAD_CONFIGURATION', exit: 2 })
    expect(error.message).toMatch(new RegExp(`/signalbox\\.yaml:${line}: `))
    expect(error.message).toMatch(message)
    expect(error.hint ?? '').toMatch(hint)
    expect(error.details).toMatchObject({ line })
  })

  it('names the variable when the environment is wrong', async () => {
    const error = await refusal(configure({ environment: { SIGNALBOX_DURABILITY: 'fulll' } }))
    expect(error).toMatchObject({ code: 'BAD_CONFIGURATION', hint: 'Did you mean full?' })
    expect(error.message).toBe(
      'In the environment: SIGNALBOX_DURABILITY must be one of process, batch, full; found "fulll".',
    )
  })

  it('AC-MQ has a section of its own', async () => {
    expect(await (await configure({})).section('acmq')).toEqual({
      root: 'llm/missions',
      timeoutSeconds: 3600,
      largestBody: 262_144,
      largestMessage: 16_777_216,
      archiveAfter: 604_800_000,
      busDocuments: true,
      snapshots: true,
      organizeFrom: 40,
      clusterSize: 4,
      busDocumentBytes: 921_600,
    })
    const file = 'acmq:\n  root: agents/missions\n  timeoutSeconds: 60\n  archiveAfter: 1d\n'
    const environment = { SIGNALBOX_ACMQ_ROOT: 'elsewhere', SIGNALBOX_ACMQ_ARCHIVE_AFTER: '12h' }
    const { section, origins } = await configure({ file, environment })
    expect(await section('acmq')).toMatchObject({ root: 'elsewhere', timeoutSeconds: 60, archiveAfter: 43_200_000 })
    expect(origins).toMatchObject({
      'acmq.root': 'environment',
      'acmq.timeoutSeconds': 'file',
      'acmq.largestBody': 'default',
    })
  })

  it.each([
    ['root: ../elsewhere', /acmq\.root must be a folder below the root/],
    ['root: /srv/missions', /acmq\.root must be a folder below the root/],
    ['root: a/../b', /acmq\.root must be/],
    ['root: .signalbox/state', /acmq\.root must be/],
    ['timeoutSeconds: 0', /acmq\.timeoutSeconds must be a whole number, 1 or more; found 0/],
    ['largestBody: many', /acmq\.largestBody must be a whole number/],
    ['archiveAfter: soon', /acmq\.archiveAfter must be a duration/],
    ['timeoutSecond: 5', /unknown key "timeoutSecond" in `acmq`/],
  ])('refuses acmq: %s with its line', async (line, message) => {
    const error = await refusal(configure({ file: `agent: ada\nacmq:\n  ${line}\n` }))
    expect(error).toMatchObject({ code: 'BAD_CONFIGURATION', details: { line: 3 } })
    expect(error.message).toMatch(message)
  })

  it('Message Routing has a section of its own', async () => {
    expect(await (await configure({})).section('mr')).toEqual({
      root: 'state/agents',
      inboxLimit: 100,
      keepFor: 604_800_000,
      keepBytes: 4_194_304,
      signing: 'off',
      encryption: false,
      messagesPerMinute: 0,
      replayWindow: 604_800_000,
      alertWriteMs: 100,
      alertReadMs: 200,
      alertDepth: 80,
    })
    const file = 'mr:\n  root: ./agents/\n  keepFor: 1d\n  signing: require\n  encryption: true\n'
    const environment = { SIGNALBOX_MR_MESSAGES_PER_MINUTE: '60', SIGNALBOX_MR_ALERT_DEPTH: '5' }
    expect(await (await configure({ file, environment })).section('mr')).toMatchObject({
      root: './agents/',
      keepFor: 86_400_000,
      signing: 'require',
      encryption: true,
      messagesPerMinute: 60,
      alertDepth: 5,
    })
  })

  it.each([
    ['root: ../elsewhere', /mr\.root must be a folder below the root/],
    ['inboxLimit: 0', /mr\.inboxLimit must be a whole number from 1 to 100000; found 0/],
    ['keepFor: soon', /mr\.keepFor must be a duration/],
    ['signing: always', /mr\.signing must be one of off, sign, require; found "always"/],
    ['encryption: age', /mr\.encryption must be true or false/],
    ['messagesPerMinute: -1', /mr\.messagesPerMinute must be a whole number from 0/],
    ['inboxlimit: 5', /unknown key "inboxlimit" in `mr`/],
  ])('refuses mr: %s with its line', async (line, message) => {
    const error = await refusal(configure({ file: `agent: ada\nmr:\n  ${line}\n` }))
    expect(error).toMatchObject({ code: 'BAD_CONFIGURATION', details: { line: 3 } })
    expect(error.message).toMatch(message)
  })

  it('names the variable of a section when that is wrong', async () => {
    const error = await refusal(configure({ environment: { SIGNALBOX_ACMQ_ROOT: '../x' } }))
    expect(error.message).toMatch(/^In the environment: SIGNALBOX_ACMQ_ROOT must be a folder below the root/)
  })

  it('refuses a file that is too long, not text, or no file', async () => {
    expect(await refusal(configure({ file: `# ${'x'.repeat(70_000)}` }))).toMatchObject({ code: 'TOO_LONG' })
    const root = tempDir()
    mkdirSync(join(root, 'signalbox.yaml'))
    const error = await refusal(readConfiguration({ root, flags: {}, environment: {}, outside }))
    expect(error).toMatchObject({ code: 'BAD_CONFIGURATION' })
  })

  const owners: readonly [string, RegExp][] = [
    ['etcd:\n  passwordFile: /etc/shadow', /SIGNALBOX_ETCD_PASSWORD_FILE/],
    ['etcd:\n  user: ann', /SIGNALBOX_ETCD_USER/],
    ['etcd:\n  ca: /x', /SIGNALBOX_ETCD_CA/],
    ['etcd:\n  certificate: /x', /SIGNALBOX_ETCD_CERTIFICATE/],
    ['etcd:\n  key: /x', /SIGNALBOX_ETCD_KEY/],
    ['etcd:\n  tls: false', /SIGNALBOX_ETCD_TLS/],
    ['models:\n  url: https://x/v1', /SIGNALBOX_MODELS_URL/],
    ['models:\n  keyFile: /x', /SIGNALBOX_MODELS_KEY_FILE/],
    ['etcd:\n  largeBodies: /home', /SIGNALBOX_ETCD_LARGE_BODIES/],
    ['mr:\n  keys: /home/ada/keys', /SIGNALBOX_MR_KEYS/],
  ]
  it.each(owners)('is not asked for what only the user can say: %j', async (file, hint) => {
    const environment = { HOME: '/home/ada' }
    const error = await refusal(configure({ file: `engine: etcd://e1:2379/team\n${file}\n`, environment }))
    expect(error).toMatchObject({ code: 'BAD_CONFIGURATION', exit: 2, details: { line: 3 } })
    expect(error.message).toMatch(/signalbox\.yaml:3: `\w+\.\w+` is not for a workspace to say/)
    expect(error.hint).toMatch(hint)
    if (file.startsWith('etcd'))
      expect(error.hint).toMatch(
        /into \/home\/ada\/\.config\/signalbox\/config\.yaml below a line `etcd:\/\/e1:2379\/team:`/,
      )
  })

  describe('that is not a file of its own', () => {
    const secret = 'hunter2'
    const shown = (error: SignalboxError) =>
      [error.message, error.hint, JSON.stringify(error.details), error.stack, String(error.cause)].join('\n')
    const texts = [
      `${secret}\n`,
      `x: "${secret}`,
      `${secret}: 1\n`,
      `durability: ${secret}\n`,
      `engine: ${secret}\n`,
      `agent: [${secret}, *${secret}]\n`,
    ]

    it.each(texts)('is not read through a link, so that nothing of %j shows', async (text) => {
      const root = tempDir()
      const elsewhere = join(tempDir(), 'secret')
      writeFileSync(elsewhere, text)
      symlinkSync(elsewhere, join(root, 'signalbox.yaml'))
      const error = await refusal(readConfiguration({ root, flags: {}, environment: {}, outside }))
      expect(error).toMatchObject({ code: 'BAD_CONFIGURATION', exit: 2 })
      expect(error.message).toMatch(/signalbox\.yaml:1: this is a symbolic link/)
      expect(shown(error)).not.toContain(secret)
    })

    it('is refused also where the link leads nowhere, or to a valid file', async () => {
      for (const text of [undefined, 'durability: full\n']) {
        const root = tempDir()
        const elsewhere = join(tempDir(), 'other')
        if (text !== undefined) writeFileSync(elsewhere, text)
        symlinkSync(elsewhere, join(root, 'signalbox.yaml'))
        const error = await refusal(readConfiguration({ root, flags: {}, environment: {}, outside }))
        expect(error.message).toMatch(/this is a symbolic link/)
      }
    })

    it.each(texts)('is not quoted when the file has a second name: %j', async (text) => {
      const root = tempDir()
      const elsewhere = join(tempDir(), 'secret')
      writeFileSync(elsewhere, text)
      linkSync(elsewhere, join(root, 'signalbox.yaml'))
      const error = await refusal(readConfiguration({ root, flags: {}, environment: {}, outside }))
      expect(error).toMatchObject({ code: 'BAD_CONFIGURATION', details: { line: 1 } })
      expect(shown(error)).not.toContain(secret)
    })

    it("is not quoted when it is another user's", async () => {
      const stranger = {
        ...outside,
        readSettings: () =>
          ({ kind: 'file', text: `durability: ${secret}\n`, isOwn: false, mayOthersWrite: false, names: 1 }) as const,
      }
      const error = await refusal(readConfiguration({ root: '/r', flags: {}, environment: {}, outside: stranger }))
      expect(error.message).toMatch(/^\/r\/signalbox\.yaml:1: this is not a setting/)
      expect(shown(error)).not.toContain(secret)
    })
  })

  describe('with a section that a protocol added', () => {
    const fields = {
      root: text('Where missions are.', { default: 'llm/missions' }),
      limit: integer('How many.', { least: 1 }),
      timeout: duration('How long.', { default: 3_600_000 }),
      roots: list('More of them.', text('One.')),
    }
    const schema = { settings, sections: { acmq: async () => ({ fields, usersOwn: [] }) } }

    it('reads it and fills in its defaults', async () => {
      const file = 'acmq:\n  limit: 3\n  timeout: 90s\n  roots: [a, b]\n'
      const read = async (file?: string) => (await configure(file ? { file, schema } : { schema })).section('acmq')
      expect(await read(file)).toEqual({ root: 'llm/missions', limit: 3, timeout: 90_000, roots: ['a', 'b'] })
      expect(await read()).toEqual({ root: 'llm/missions', timeout: 3_600_000 })
    })

    it('names line and nearest key inside it', async () => {
      const error = await refusal(configure({ file: 'agent: a\nacmq:\n  roof: x\n', schema }))
      expect(error.message).toMatch(/signalbox\.yaml:3: unknown key "roof" in `acmq`\.$/)
      expect(error.hint).toBe('Did you mean `root`?')
      expect((await refusal(configure({ file: 'acmq: yes please\n', schema }))).message).toMatch(
        /:1: `acmq` is a section/,
      )
      expect((await refusal(configure({ file: 'acmp:\n  root: x\n', schema }))).hint).toBe('Did you mean `acmq`?')
    })
  })
})

describe('finding the root', () => {
  const from = (folder: string) => ({ ...outside, currentFolder: () => folder })

  it.each([
    [['signalbox.yaml']],
    [['.signalbox/']],
    [['llm/missions/']],
    [['state/agents/']],
    [['AI_MANAGER/']],
    [['runtime/', '_agent_coordination/']],
  ])('goes up to the nearest directory with %j', (marks) => {
    const root = tempDir()
    for (const mark of marks) {
      if (mark.endsWith('/')) mkdirSync(join(root, mark), { recursive: true })
      else writeFileSync(join(root, mark), '')
    }
    const deep = join(root, 'a/b')
    mkdirSync(deep, { recursive: true })
    expect(findRoot(undefined, {}, from(deep))).toEqual({ path: root, by: 'found' })
    expect(findRoot(undefined, {}, from(root))).toEqual({ path: root, by: 'found' })
  })

  it('takes the current directory when nothing above is marked', () => {
    const root = tempDir()
    mkdirSync(join(root, 'runtime'))
    expect(findRoot(undefined, {}, from(root))).toEqual({ path: root, by: 'current' })
  })

  it('a flag beats the environment, and both may be relative', () => {
    const root = tempDir()
    expect(findRoot('x', { SIGNALBOX_ROOT: 'y' }, from(root))).toEqual({ path: join(root, 'x'), by: 'flag' })
    expect(findRoot(undefined, { SIGNALBOX_ROOT: '../y' }, from(root))).toEqual({
      path: join(root, '../y'),
      by: 'environment',
    })
    expect(findRoot(undefined, { SIGNALBOX_ROOT: '' }, from(root)).by).toBe('current')
  })
})

interface UserOptions {
  readonly workspace?: string
  readonly engine?: string
  readonly environment?: Environment
}

describe('a workspace', () => {
  function workspaceIn(
    root: string,
    flags: Readonly<Record<string, unknown>> = {},
    environment: Environment = {},
    world: Outside = outside,
  ) {
    const opened: FileEngineOptions[] = []
    const clusters: EtcdEngineOptions[] = []
    const engines = {
      files: async (options: FileEngineOptions) => {
        opened.push(options)
        return openMemoryTree()
      },
      etcd: async (options: EtcdEngineOptions) => {
        clusters.push(options)
        return openMemoryTree()
      },
      etcdHealth: async () => ({ place: '', members: [], sizeBytes: 0, revision: 0 }),
    }
    return {
      opened,
      clusters,
      workspace: lazyWorkspace({
        flags: { root, ...flags },
        environment,
        outside: world,
        engines,
        clock: systemClock,
      }),
    }
  }

  it('opens the tree once, as configured', async () => {
    const root = tempDir()
    writeFileSync(join(root, 'signalbox.yaml'), 'permissions: group\n')
    const { opened, workspace } = workspaceIn(root, { durability: 'full' })
    expect(await workspace.tree()).toBe(await workspace.tree())
    await workspace.close()
    expect(opened).toMatchObject([{ root, mustExist: true, durability: 'full', permissions: 'group' }])
  })

  it('a missing root is an error unless it is to be made', async () => {
    const root = join(tempDir(), 'missing')
    expect(await refusal(workspaceIn(root).workspace.tree())).toMatchObject({ code: 'NO_SUCH_ROOT', exit: 3 })
    expect(await refusal(workspaceIn(root).workspace.configuration())).toMatchObject({ code: 'NO_SUCH_ROOT', exit: 3 })
    const { opened, workspace } = workspaceIn(root)
    await workspace.tree({ makeRoot: true })
    expect(opened).toMatchObject([{ root, mustExist: false }])
  })

  it('a root that is a file is an error', async () => {
    const file = join(tempDir(), 'file')
    writeFileSync(file, '')
    expect(await refusal(workspaceIn(file).workspace.tree())).toMatchObject({
      code: 'ROOT_IS_NOT_A_DIRECTORY',
      exit: 2,
    })
  })

  it('a root that cannot be read is an error', async () => {
    const root = tempDir()
    chmodSync(root, 0)
    const blind = { ...outside, mayRead: () => false }
    const open = async () => openMemoryTree()
    const etcdHealth = async () => ({ place: '', members: [], sizeBytes: 0, revision: 0 })
    const engines = { files: open, etcd: open, etcdHealth }
    const workspace = lazyWorkspace({ flags: { root }, environment: {}, outside: blind, engines, clock: systemClock })
    expect(await refusal(workspace.tree())).toMatchObject({ code: 'ROOT_UNREADABLE', exit: 6 })
  })

  describe('on a cluster', () => {
    const address = 'etcd://localhost:2379/team'

    /** A user with a file of their own, in a workspace that may name a server. */
    function userWith(own: string | undefined, { workspace = '', engine, environment = {} }: UserOptions = {}) {
      const [root, home] = [tempDir(), tempDir()]
      const file = join(home, 'signalbox/config.yaml')
      mkdirSync(join(home, 'signalbox'))
      if (own !== undefined) writeFileSync(file, own, { mode: 0o600 })
      writeFileSync(join(root, 'signalbox.yaml'), workspace)
      const variables = { XDG_CONFIG_HOME: home, ...environment }
      return { root, file, ...workspaceIn(root, engine === undefined ? {} : { engine }, variables) }
    }

    it('opens the one that the user names, with what the user says of it', async () => {
      const own = `etcd://other:2379/team:\n  user: bob\n${address}:\n  user: ann\n  passwordFile: /own/etcd\n`
      const environment = { SIGNALBOX_ETCD_CA: '/etc/ca.pem', SIGNALBOX_ETCD_USER: 'eve' }
      const { clusters, opened, workspace } = userWith(own, { engine: address, environment })
      await workspace.tree()
      expect(opened).toEqual([])
      const said = { user: 'eve', passwordFile: '/own/etcd', ca: '/etc/ca.pem' }
      expect(clusters).toEqual([{ address, ...said, clock: undefined }])
    })

    it('does not speak to one that only the workspace names, until the user has listed it', async () => {
      const names = `# theirs\nengine: ${address}\n`
      for (const own of [undefined, '', 'etcd://localhost:2379/other:\n', 'etcd://localhost:2380/team:\n']) {
        const { clusters, root, file, workspace } = userWith(own, { workspace: names })
        const error = await refusal(workspace.tree())
        expect(error).toMatchObject({ code: 'SERVER_NOT_TRUSTED', exit: 6, details: { address } })
        expect(error.message).toContain(`${root}/signalbox.yaml:2: `)
        expect(error.hint).toContain(`echo '${address}:' >> '${file}'`)
        expect(await refusal(workspace.clusterHealth())).toMatchObject({ code: 'SERVER_NOT_TRUSTED' })
        expect(clusters).toEqual([])
      }
      const { clusters, workspace } = userWith(`${address}:\n`, { workspace: names })
      await workspace.tree()
      expect(clusters).toEqual([{ address, clock: undefined }])
    })

    it('never sends to one that the workspace names what the user meant for another', async () => {
      const own = `etcd://other:2379/team:\n  user: ann\n  passwordFile: /own/etcd\n${address}:\n  tls: true\n`
      const environment = { SIGNALBOX_ETCD_USER: 'ann', SIGNALBOX_ETCD_PASSWORD_FILE: '/own/etcd' }
      const { clusters, workspace } = userWith(own, { workspace: `engine: ${address}\n`, environment })
      await workspace.tree()
      expect(clusters).toEqual([{ address, tls: true, clock: undefined }])
    })

    it.each([
      ['zebra: 1', 1, /"zebra" is not the address of a server/],
      ['# mine\netcd://a:1/t: yes', 2, /an address is a section/],
      ['etcd://a:1/t:\n  passwordfile: /x', 2, /unknown key "passwordfile" in `etcd`/],
      ['etcd://a:1/t:\n  passwordFile: x', 2, /etcd\.passwordFile must be a full path/],
      ['etcd://a@b:1/t:\n', 1, /is not the address/],
    ])("tells what is wrong in the user's file: %j", async (own, line, message) => {
      const error = await refusal(userWith(own, { engine: address }).workspace.tree())
      expect(error).toMatchObject({ code: 'BAD_CONFIGURATION', details: { line } })
      expect(error.message).toMatch(message)
    })

    it("refuses a file as the user's that somebody else may have written", async () => {
      const shared = userWith(`${address}:\n`, { workspace: `engine: ${address}\n` })
      chmodSync(shared.file, 0o620)
      const error = await refusal(shared.workspace.tree())
      expect(error).toMatchObject({ code: 'OWN_FILE_REFUSED', exit: 6, hint: expect.stringContaining('chmod go-w') })
      // In a container the home may well be the checkout, which brings such a file along.
      const inside = userWith(undefined, { workspace: `engine: ${address}\n` })
      for (const home of [inside.root, join(inside.root, '.config')]) {
        mkdirSync(join(home, 'signalbox'), { recursive: true })
        writeFileSync(join(home, 'signalbox/config.yaml'), `${address}:\n`, { mode: 0o600 })
        const { workspace } = workspaceIn(inside.root, {}, { XDG_CONFIG_HOME: home })
        expect(await refusal(workspace.tree())).toMatchObject({ code: 'OWN_FILE_REFUSED' })
      }
      const stranger = {
        ...outside,
        readSettings: (...words: Parameters<typeof outside.readSettings>) => ({
          ...outside.readSettings(...words)!,
          isOwn: false,
        }),
      }
      const theirs = userWith(`${address}:\n`, { engine: address })
      const { workspace } = workspaceIn(theirs.root, { engine: address }, { SIGNALBOX_CONFIG: theirs.file }, stranger)
      expect((await refusal(workspace.tree())).message).toContain('belongs to another user')
    })

    it.each([
      [{ SIGNALBOX_CONFIG: '/own/file', XDG_CONFIG_HOME: '/x', HOME: '/h' }, '/own/file'],
      [{ XDG_CONFIG_HOME: '/x/', HOME: '/h' }, '/x/signalbox/config.yaml'],
      [{ XDG_CONFIG_HOME: 'x', HOME: '/h' }, '/h/.config/signalbox/config.yaml'],
      [{ HOME: '/h' }, '/h/.config/signalbox/config.yaml'],
      [{}, undefined],
    ])('finds it by %j', (environment, path) => expect(ownFilePath({ environment })).toBe(path))

    it('wants a full path where the environment names it', () => {
      expect(() => ownFilePath({ environment: { SIGNALBOX_CONFIG: 'x.yaml' } })).toThrow(/must be a full path/)
    })
  })

  it('does not repeat a secret in an address it does not know', async () => {
    const error = await refusal(workspaceIn(tempDir(), { engine: 'redis://user:secret@host' }).workspace.tree())
    expect(error).toMatchObject({ code: 'UNKNOWN_ENGINE', exit: 2 })
    expect(error.message).not.toContain('secret')
  })
})
