/** Users, roles, certificates and bodies that are too large: what a cluster in production asks of its clients. */
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { treePath as at } from '../../src/kernel/tree-path.ts'
import { cli, cliJson } from '../scenarios/cli-program.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { tempDir } from '../support/temp.ts'

const reason = withoutEtcd()
const bytes = (text: string) => Buffer.from(text)
const secret = 'correct horse battery'

if (reason !== undefined) it.skip(`a cluster with users, certificates and large bodies (skipped: ${reason})`, () => {})
else {
  describe('a cluster with users', () => {
    let cluster: EtcdCluster
    const passwordFile = join(tempDir(), 'password')
    const wrongFile = join(tempDir(), 'wrong')

    beforeAll(async () => {
      cluster = await startEtcd(1)
      writeFileSync(passwordFile, `${secret}\n`)
      writeFileSync(wrongFile, `${secret} not\n`)
      const ask = async (path: string, body: object) => {
        const reply = await fetch(`${cluster.nodes[0]!.url}/v3/auth/${path}`, {
          method: 'POST',
          body: JSON.stringify(body),
        })
        if (!reply.ok) throw new Error(await reply.text())
      }
      const base64 = (text: string) => Buffer.from(text).toString('base64')
      await ask('user/add', { name: 'root', password: 'for the operator' })
      await ask('user/grant', { user: 'root', role: 'root' }).catch(async () => {
        await ask('role/add', { name: 'root' })
        await ask('user/grant', { user: 'root', role: 'root' })
      })
      await ask('role/add', { name: 'team' })
      const perm = { permType: 'READWRITE', key: base64('sbx/team/'), range_end: base64('sbx/team0') }
      await ask('role/grant', { name: 'team', perm })
      await ask('user/add', { name: 'ann', password: secret })
      await ask('user/grant', { user: 'ann', role: 'team' })
      await ask('enable', {})
    }, 60_000)
    afterAll(() => cluster.stop())

    const creating = async (tenant: string, access: { user?: string; passwordFile?: string }) => {
      const tree = await openEtcdTree({ address: cluster.address(tenant), ...access })
      try {
        return await tree.create(at(`a/${crypto.randomUUID()}`), bytes('x'))
      } finally {
        await tree.close()
      }
    }

    it('lets in whoever knows the password, to its own tenant', async () => {
      expect((await creating('team', { user: 'ann', passwordFile })).outcome).toBe('created')
      await expect(creating('others', { user: 'ann', passwordFile })).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
        exit: 6,
      })
    })
    it('lets it take turns too, and renew the lease that they hang on', async () => {
      const access = { user: 'ann', passwordFile, turnSeconds: 2 }
      const tree = await openEtcdTree({ address: cluster.address('team'), ...access })
      const created = await tree.exclusively('inbox', async () => {
        // Longer than the lease; that is the cluster's time, which no test can hold.
        await new Promise((resolve) => setTimeout(resolve, 2700))
        return tree.create(at(`a/${crypto.randomUUID()}`), bytes('x'))
      })
      expect(created.outcome).toBe('created')
      await tree.close()
    })
    it('says what is missing or wrong, without the secret', async () => {
      await expect(creating('team', {})).rejects.toMatchObject({ code: 'LOGIN_NEEDED', exit: 6 })
      await expect(creating('team', { user: 'ann', passwordFile: '/nowhere/x' })).rejects.toMatchObject({
        code: 'SECRET_UNREADABLE',
      })
      const refused = await creating('team', { user: 'ann', passwordFile: wrongFile }).catch((error: Error) => error)
      expect(refused).toMatchObject({ code: 'LOGIN_FAILED', exit: 6 })
      expect(JSON.stringify([refused, (refused as Error).message, (refused as Error).stack])).not.toContain(secret)
    })
    it('logs in again when the cluster has forgotten, also in the middle of a watch', async () => {
      const tree = await openEtcdTree({ address: cluster.address('team'), user: 'ann', passwordFile })
      for (let i = 0; i < 4; i++) await tree.list(at('a'))
      const [node] = cluster.nodes
      // Tokens live in the memory of the server.
      await node!.kill()
      node!.restart()
      expect((await tree.create(at('a/after'), bytes('x'))).outcome).toBe('created')
      expect((await tree.list(at('a'))).map(({ name }) => name)).toContain('after')
      await tree.close()
    })
    it('is used by the command line, whose words and output show no secret', () => {
      const env = {
        SIGNALBOX_ENGINE: cluster.address('team'),
        SIGNALBOX_ETCD_USER: 'ann',
        SIGNALBOX_ETCD_PASSWORD_FILE: passwordFile,
      }
      const cwd = tempDir()
      expect(cliJson(['acmq', 'create-mission', 'alpha'], { cwd, env })).toMatchObject({ exit: 0 })
      const sent = cliJson(['acmq', 'send', 'alpha', '--from', 'ann', '--to', 'bob', '--body', 'Hi'], { cwd, env })
      expect(sent).toMatchObject({ exit: 0, output: { outcome: 'sent', durability: 'full' } })
      const claimed = cliJson(['acmq', 'claim', 'alpha', '--as', 'bob'], { cwd, env })
      expect(claimed).toMatchObject({ exit: 0, output: { message: { body: 'Hi' } } })
      expect(readdirSync(cwd)).toEqual([])
      const wrong = cli(['acmq', 'missions'], {
        cwd,
        env: { ...env, SIGNALBOX_ETCD_PASSWORD_FILE: wrongFile, SIGNALBOX_DEBUG: '1' },
      })
      expect(wrong).toMatchObject({ exit: 6, out: '' })
      expect(wrong.err).toContain('does not accept this user')
      expect(wrong.err).not.toContain(secret)
    })
    it('lets in who trusts the address that a workspace names, by what stands below it in their own file', () => {
      const [cwd, home] = [tempDir(), tempDir()]
      const own = join(home, 'own.yaml')
      const address = cluster.address('team')
      writeFileSync(join(cwd, 'signalbox.yaml'), `engine: ${address}\n`)
      const missions = () => cliJson(['acmq', 'missions'], { cwd, env: { SIGNALBOX_CONFIG: own } })
      expect(missions()).toMatchObject({ exit: 6, output: { error: { code: 'SERVER_NOT_TRUSTED' } } })
      writeFileSync(own, `${address}:\n`, { mode: 0o600 })
      expect(missions()).toMatchObject({ exit: 6, output: { error: { code: 'LOGIN_NEEDED' } } })
      writeFileSync(own, `${address}:\n  user: ann\n  passwordFile: ${passwordFile}\n`)
      expect(missions()).toMatchObject({ exit: 0 })
    })
  })

  const withoutOpenssl = spawnSync('openssl', ['version']).error ? 'openssl is not installed' : undefined
  if (withoutOpenssl) it.skip(`a cluster with certificates (skipped: ${withoutOpenssl})`, () => {})
  else
    describe('a cluster with certificates', () => {
      let cluster: EtcdCluster
      const folder = tempDir()
      const file = (name: string) => join(folder, name)

      beforeAll(async () => {
        makeCertificates(folder)
        cluster = await startEtcd(1, [
          ...['--cert-file', file('server.pem'), '--key-file', file('server.key')],
          ...['--client-cert-auth', '--trusted-ca-file', file('ca.pem')],
        ])
      }, 60_000)
      afterAll(() => cluster.stop())

      it('speaks TLS both ways, reads and watches', async () => {
        const access = { ca: file('ca.pem'), certificate: file('client.pem'), key: file('client.key') }
        const tree = await openEtcdTree({ address: cluster.address('t'), ...access })
        expect((await tree.create(at('a/b'), bytes('x'))).outcome).toBe('created')
        for (let i = 0; i < 4; i++) expect((await tree.list(at('a'))).length).toBe(1)
        const hinted = new Promise<void>((resolve) => tree.watch(at('a'), () => resolve()))
        await tree.create(at('a/c'), bytes('x'))
        await hinted
        await tree.close()
      })
      it('is not reached without them, and the reason is told', async () => {
        for (const access of [{ tls: true }, { ca: file('ca.pem') }]) {
          const tree = await openEtcdTree({ address: cluster.address('t'), patienceMs: 500, ...access })
          await expect(tree.read(at('a/b'))).rejects.toMatchObject({ code: 'ENGINE_UNREACHABLE', exit: 8 })
          await tree.close()
        }
      })
    })

  describe('bodies that are too large for etcd', () => {
    let cluster: EtcdCluster
    beforeAll(async () => {
      cluster = await startEtcd(1)
    }, 60_000)
    afterAll(() => cluster.stop())
    const large = Buffer.alloc(3_000_000, 'large ')

    it('go by reference to a directory that all share', async () => {
      const largeBodies = tempDir()
      const address = cluster.address('large')
      const tree = await openEtcdTree({ address, largeBodies })
      expect((await tree.create(at('a/large'), large)).outcome).toBe('created')
      expect(readdirSync(join(largeBodies, 'large')).length).toBe(1)
      await tree.move(at('a/large'), at('b/large'))
      const leaf = (await tree.read(at('b/large')))!
      expect([leaf.size, Buffer.compare(leaf.bytes, large)]).toEqual([large.length, 0])
      expect((await tree.read(at('b/large'), { atMost: 5 }))!.bytes.length).toBe(5)
      expect((await tree.look(at('b/large')))!.size).toBe(large.length)
      await tree.move(at('b/large'), at('b/small'), { change: (before) => before.subarray(0, 5) })
      expect(Buffer.from((await tree.read(at('b/small')))!.bytes).toString()).toBe('large')
      await tree.close()
    })
    it('are refused where there is none, with what to set', async () => {
      const tree = await openEtcdTree({ address: cluster.address('none') })
      await expect(tree.create(at('a/large'), large)).rejects.toMatchObject({
        code: 'BODY_TOO_LARGE',
        exit: 2,
        hint: expect.stringContaining('SIGNALBOX_ETCD_LARGE_BODIES'),
      })
      expect(await tree.list(at('a'))).toEqual([])
      await tree.close()
    })
    it('that are missing or damaged are told apart from messages that are', async () => {
      const largeBodies = tempDir()
      const tree = await openEtcdTree({ address: cluster.address('lost'), largeBodies })
      await tree.create(at('a/large'), large)
      const [name = ''] = readdirSync(join(largeBodies, 'lost'))
      writeFileSync(join(largeBodies, 'lost', name), 'something else')
      await expect(tree.read(at('a/large'))).rejects.toMatchObject({ code: 'LARGE_BODY_DAMAGED', exit: 5 })
      rmSync(join(largeBodies, 'lost', name))
      await expect(tree.read(at('a/large'))).rejects.toMatchObject({ code: 'LARGE_BODIES_UNAVAILABLE', exit: 8 })
      await tree.close()
    })
  })
}

/** An authority of our own, a server at 127.0.0.1 and a client. */
function makeCertificates(folder: string): void {
  const openssl = (...words: string[]) => {
    const { status, stderr } = spawnSync('openssl', words, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
  const fresh = ['-newkey', 'rsa:2048', '-nodes']
  openssl('req', '-x509', ...fresh, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=test authority')
  writeFileSync(join(folder, 'names'), 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n')
  for (const name of ['server', 'client']) {
    openssl('req', ...fresh, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
    const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
    openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.pem`, ...signing)
  }
}
