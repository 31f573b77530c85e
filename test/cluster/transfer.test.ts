/** Between files and a cluster, and back: nothing lost, nothing overwritten, and a mirror that follows. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEtcdTree } from '../../src/engines/etcd/index.ts'
import { openWorkspace } from '../../src/index.ts'
import { treePath as at } from '../../src/kernel/tree-path.ts'
import { cliJson, mainProgram, plainEnvironment, quickCli } from '../scenarios/cli-program.ts'
import { spawnProgram } from '../support/child.ts'
import { type EtcdCluster, startEtcd, withoutEtcd } from '../support/etcd.ts'
import { leavesOf, makeFiveProtocols } from '../support/five-protocols.ts'
import { tempDir } from '../support/temp.ts'

const reason = withoutEtcd()

if (reason !== undefined) it.skip(`import, export and mirror (skipped: ${reason})`, () => {})
else
  describe('a workspace that moves', () => {
    let cluster: EtcdCluster
    beforeAll(async () => {
      cluster = await startEtcd(1)
    }, 60_000)
    afterAll(() => cluster.stop())

    it('goes to a cluster and back without loss, and can be repeated', () => {
      const root = tempDir()
      for (const words of [
        ['create-mission', 'alpha'],
        ['send', 'alpha', '--from', 'ann', '--to', 'bob', '--body', 'One'],
        ['send', 'alpha', '--from', 'ann', '--to', 'bob', '--body', 'Two'],
        ['claim', 'alpha', '--as', 'bob'],
      ])
        expect(cliJson(['acmq', ...words], { cwd: root }).exit).toBe(0)
      // Inboxes in a folder of one's own choice belong to it.
      writeFileSync(join(root, 'signalbox.yaml'), 'mr:\n  root: post/inboxes\n')
      const heartbeat = ['--type', 'heartbeat', '--payload', '{"health":"healthy"}']
      const mail = ['mr', 'send', '--from', 'ann', '--to', 'bob', ...heartbeat]
      expect(cliJson(mail, { cwd: root }).exit).toBe(0)
      // A repository around it is none of our business, and stays.
      mkdirSync(join(root, 'src'))
      writeFileSync(join(root, 'src/code.ts'), 'code')
      const pending = join(root, 'llm/missions/alpha/queue/pending')
      const [name = ''] = readdirSync(pending)
      utimesSync(join(pending, name), 1_700_000_000, 1_700_000_000)

      const engine = cluster.address('moved')
      const imported = cliJson(['import', root, '--engine', engine], { cwd: root })
      expect(imported).toMatchObject({ exit: 0, output: { outcome: 'imported', unchanged: 0 } })
      const { copied, hash } = imported.output
      expect(cliJson(['import', root, '--engine', engine], { cwd: root })).toMatchObject({
        exit: 0,
        output: { outcome: 'unchanged', copied: 0, unchanged: copied, hash },
      })
      const listed = cliJson(['acmq', 'list', 'alpha', '--queue', 'pending', '--engine', engine], { cwd: root })
      expect(listed.output.messages.map(({ summary }: { summary: string }) => summary)).toEqual(['Two'])

      const inbox = cliJson(['mr', 'receive', 'bob', '--peek', '--engine', engine], { cwd: root })
      expect(inbox.output.messages).toMatchObject([{ from: 'ann', type: 'heartbeat' }])

      const back = join(tempDir(), 'back')
      expect(cliJson(['export', back, '--engine', engine], { cwd: root })).toMatchObject({
        exit: 0,
        output: { outcome: 'exported', copied, hash },
      })
      const copy = join(back, 'llm/missions/alpha/queue/pending', name)
      expect(readFileSync(copy, 'utf8')).toBe(readFileSync(join(pending, name), 'utf8'))
      expect(statSync(copy).mtimeMs).toBe(1_700_000_000_000)
      expect(existsSync(join(back, 'src'))).toBe(false)
      expect(existsSync(join(back, 'llm/missions/alpha/queue/failed'))).toBe(true)

      writeFileSync(copy, 'edited')
      expect(cliJson(['export', back, '--engine', engine], { cwd: root })).toMatchObject({
        exit: 4,
        output: { error: { code: 'DIFFERENT_THERE' } },
      })
      expect(readFileSync(copy, 'utf8')).toBe('edited')
    })

    it('with all five protocols gives every leaf back: files, cluster, files, files', () => {
      const root = tempDir()
      makeFiveProtocols(root)
      const { 'src/code.ts': _, 'context/notes.txt': __, '.signalbox-note': ___, ...kept } = leavesOf(root)
      const engine = cluster.address('five')
      // Neither the cluster nor the directory that the command is started in has anything of a protocol.
      expect(cliJson(['import', root, '--engine', engine], { cwd: tempDir() }, quickCli).exit).toBe(0)
      const back = join(tempDir(), 'back')
      expect(cliJson(['export', back, '--engine', engine], { cwd: tempDir() }, quickCli)).toMatchObject({
        exit: 0,
        output: { leftBehind: [] },
      })
      expect(leavesOf(back)).toEqual(kept)
      const again = tempDir()
      expect(cliJson(['import', back], { cwd: again }, quickCli).exit).toBe(0)
      expect(leavesOf(again)).toEqual(kept)
    })

    it('takes single files: a template that lies in the local directory', () => {
      const root = tempDir()
      mkdirSync(join(root, 'templates'))
      writeFileSync(join(root, 'templates/review.j2'), 'Review {{ file }}')
      const engine = ['--engine', cluster.address('single'), '--root', root]
      const stage = ['dream', 'prompt', 'stage', 'review.j2', '--vars', '{"file":"core.py"}', ...engine]
      expect(cliJson(stage, {}, quickCli)).toMatchObject({
        exit: 3,
        output: {
          error: {
            hint: `Write it there in your directory, then: signalbox --root ${root} ${engine.slice(0, 2).join(' ')} import templates/review.j2`,
          },
        },
      })
      const put = ['import', 'templates/review.j2', ...engine]
      expect(cliJson(put, {}, quickCli)).toMatchObject({ exit: 0, output: { paths: ['templates/review.j2'] } })
      expect(cliJson(stage, {}, quickCli).exit).toBe(0)
    })

    it('is made together with its directory by the library', async () => {
      const root = join(tempDir(), 'new/team')
      const engine = cluster.address('library')
      const workspace = await openWorkspace({ root, engine, makeRoot: true, environment: {} })
      await workspace.acmq.create('alpha')
      expect((await workspace.human.list()).waiting).toEqual([])
      await workspace.close()
      expect(statSync(root).isDirectory()).toBe(true)
    })

    it('is followed by a mirror', async () => {
      const tree = await openEtcdTree({ address: cluster.address('followed') })
      await tree.create(at('a/one'), Buffer.from('1'))
      await tree.create(at('a/deep/two'), Buffer.from('2'))
      const directory = join(tempDir(), 'mirror')
      const child = spawnProgram([process.execPath, mainProgram, 'mirror', directory, '--engine', tree.place], {
        cwd: tempDir(),
        env: plainEnvironment() as Record<string, string>,
      })
      const holds = async (path: string, text: string | undefined) => {
        const file = join(directory, path)
        const text_ = () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
        while (text_() !== text) await new Promise((resolve) => setTimeout(resolve, 20))
      }
      await holds('a/deep/two', '2')
      await tree.move(at('a/one'), at('b/one'), { change: () => Buffer.from('moved') })
      await holds('b/one', 'moved')
      await holds('a/one', undefined)
      await tree.append(at('log'), 'line')
      await holds('log', 'line\n')
      await tree.append(at('log'), 'more')
      await holds('log', 'line\nmore\n')
      child.kill('SIGTERM')
      expect((await child.exited).code).toBe(0)
      await tree.remove(at('b/one'))
      const once = ['mirror', directory, '--once', '--engine', tree.place]
      expect(cliJson(once, { cwd: '/' })).toMatchObject({ exit: 0, output: { written: 0, removed: 1 } })
      expect(cliJson(once, { cwd: '/' })).toMatchObject({ exit: 0, output: { outcome: 'unchanged' } })
      const mine = tempDir()
      writeFileSync(join(mine, 'precious'), 'mine')
      expect(cliJson(['mirror', mine, '--once', '--engine', tree.place], { cwd: '/' })).toMatchObject({
        exit: 4,
        output: { error: { code: 'NOT_ITS_MIRROR' } },
      })
      mkdirSync(join(mine, '.signalbox'))
      writeFileSync(join(mine, '.signalbox/mirror.json'), 'null')
      expect(cliJson(['mirror', mine, '--once', '--engine', tree.place], { cwd: '/' }).exit).toBe(4)
      expect(readdirSync(mine)).toContain('precious')
      await tree.close()
    })
  })
