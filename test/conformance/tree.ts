/**
 * What every engine must do, sentence by sentence of `src/tree/tree.ts`. A new engine is one call of
 * `describeTree`; there is nothing in here that an engine may skip.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Clock, heldClock } from '../../src/kernel/clock.ts'
import { childOf, type TreePath, treePath } from '../../src/kernel/tree-path.ts'
import type { Leaf, Tree } from '../../src/tree/tree.ts'

export interface OpenedTree {
  /** Opens the tree, and the same tree once more: two agents on one place. */
  open(options?: { clock?: Clock }): Promise<Tree>
  dispose(): Promise<void>
}

const bytes = (text: string) => Buffer.from(text)
const textOf = (leaf: Leaf | undefined) => (leaf ? Buffer.from(leaf.bytes).toString() : undefined)
const at = treePath

export function describeTree(name: string, prepare: () => Promise<OpenedTree>): void {
  const runtime = process.versions.bun ? `Bun ${process.versions.bun}` : `Node ${process.versions.node}`

  describe(`${name} on ${runtime}`, () => {
    let place: OpenedTree
    let tree: Tree
    let other: Tree

    beforeEach(async () => {
      place = await prepare()
      tree = await place.open()
      other = await place.open()
    })
    afterEach(async () => {
      await tree.close()
      await other.close()
      await place.dispose()
    })

    const reading = async (path: string, from = tree) => textOf(await from.read(at(path)))
    const names = async (folder: string, from = tree) => (await from.list(at(folder))).map((entry) => entry.name)

    describe('now', () => {
      /** Times of files go forward in steps; of a clock only whole milliseconds are told. */
      const granularity = 50

      it('[X-clock] is what a leaf written this instant says', async () => {
        const before = await tree.now()
        await other.create(at('n/made'), bytes('x'))
        const made = (await tree.look(at('n/made')))!.modifiedAt
        await tree.touch(at('n/made'))
        const touched = (await other.look(at('n/made')))!.modifiedAt
        const after = await other.now()
        for (const time of [made, touched]) {
          expect(time).toBeGreaterThanOrEqual(before - granularity)
          expect(time).toBeLessThanOrEqual(after + granularity)
        }
      })
      it('[X-clock] is what ends of leases are measured by', async () => {
        const before = await tree.now()
        const { lease } = await tree.lease('timed', 'a', 10_000)
        expect(lease.until).toBeGreaterThanOrEqual(before + 10_000 - granularity)
        expect(lease.until).toBeLessThanOrEqual((await tree.now()) + 10_000 + granularity)
      })
      it('is a clock that is given for it', async () => {
        const clock = heldClock(Date.UTC(2030, 0, 1))
        const timed = await place.open({ clock })
        expect(await timed.now()).toBe(Date.UTC(2030, 0, 1))
        clock.advance(5000)
        expect(await timed.now()).toBe(Date.UTC(2030, 0, 1) + 5000)
        await timed.close()
      })
    })

    describe('processes', () => {
      it('[X-presence] tells the living, the stopped and the dead of this machine apart, and knows no others', async () => {
        const { processes } = tree
        const child = spawn('sleep', ['600'])
        const name = (await processes.nameOf(child.pid!))!
        expect(name).not.toBe(await processes.nameOf(process.pid))
        expect(await other.processes.lifeOf(name)).toBe('alive')
        child.kill('SIGSTOP')
        expect(await other.processes.lifeOf(name)).toBe('alive')
        child.kill('SIGKILL')
        await once(child, 'exit')
        expect(await other.processes.lifeOf(name)).toBe('dead')
        for (const pid of [child.pid!, 0, -1, 1.5, 2 ** 40]) expect(await processes.nameOf(pid)).toBeUndefined()
        for (const text of ['', 'coder', '1', name.slice(0, -4)]) expect(await processes.lifeOf(text)).toBe('unknown')
      })
    })

    describe('read', () => {
      it('gives the bytes exactly, whatever they are', async () => {
        const every = Uint8Array.from({ length: 256 }, (_, i) => i)
        await tree.create(at('a/every'), every)
        await tree.create(at('a/empty'), new Uint8Array())
        expect([...(await other.read(at('a/every')))!.bytes]).toEqual([...every])
        expect((await other.read(at('a/empty')))!.bytes.length).toBe(0)
      })
      it('gives large leaves whole', async () => {
        const large = Buffer.alloc(300_001, 'abcdefg')
        await tree.create(at('large'), large)
        expect(Buffer.compare((await other.read(at('large')))!.bytes, large)).toBe(0)
      })
      it('gives undefined for what is missing, in a missing folder too', async () => {
        expect(await tree.read(at('nothing'))).toBeUndefined()
        expect(await tree.read(at('no/such/folder/nothing'))).toBeUndefined()
      })
      it('refuses a folder with NOT_A_LEAF', async () => {
        await tree.makeFolder(at('folder'))
        await expect(tree.read(at('folder'))).rejects.toMatchObject({ code: 'NOT_A_LEAF', kind: 'Corrupt' })
      })
      it('reads the first bytes only, and then has no revision', async () => {
        await tree.create(at('long'), bytes('0123456789'))
        const head = (await tree.read(at('long'), { atMost: 4 }))!
        expect(textOf(head)).toBe('0123')
        expect(head.size).toBe(10)
        expect(() => head.revision).toThrow()
        expect((await tree.read(at('long'), { atMost: 10 }))!.revision).toBeTypeOf('string')
      })
      it('gives equal revisions to equal bytes at one place, others to others', async () => {
        await tree.create(at('x'), bytes('one'))
        const first = (await tree.read(at('x')))!.revision
        expect((await other.read(at('x')))!.revision).toBe(first)
        await tree.replace(at('x'), bytes('two'), first)
        expect((await other.read(at('x')))!.revision).not.toBe(first)
      })
    })

    describe('list', () => {
      it('is sorted by name, with kinds, and empty for a missing folder', async () => {
        for (const leaf of ['b', 'a', 'ä', 'Z', '10', '9', '.hidden'])
          await tree.create(childOf(at('f'), leaf), bytes(leaf))
        await tree.makeFolder(at('f/sub'))
        expect(await other.list(at('f'))).toEqual([
          { name: '.hidden', kind: 'leaf' },
          { name: '10', kind: 'leaf' },
          { name: '9', kind: 'leaf' },
          { name: 'Z', kind: 'leaf' },
          { name: 'a', kind: 'leaf' },
          { name: 'b', kind: 'leaf' },
          { name: 'sub', kind: 'folder' },
          { name: 'ä', kind: 'leaf' },
        ])
        expect(await tree.list(at('missing/folder'))).toEqual([])
      })
      it('lists the root', async () => {
        await tree.create(at('top'), bytes(''))
        expect(await names('')).toContain('top')
      })
      it('gives sizes and times on request without reading bodies', async () => {
        await tree.create(at('t/leaf'), bytes('12345'))
        const [entry] = await other.list(at('t'), { times: true })
        const leaf = (await tree.read(at('t/leaf')))!
        expect(entry).toEqual({
          name: 'leaf',
          kind: 'leaf',
          size: 5,
          modifiedAt: leaf.modifiedAt,
          changedAt: leaf.changedAt,
        })
      })
      it('shows nothing of the engine', async () => {
        await tree.lease('any', 'a', 1000)
        await tree.create(at('.signalbox/state/x'), bytes('x'))
        // On plain files the folder comes with a `.gitignore`, which is a file like any other.
        expect((await names('.signalbox')).filter((name) => name !== '.gitignore')).toEqual(['state'])
      })
    })

    describe('look', () => {
      it('tells what stands there without reading it', async () => {
        await tree.create(at('l/leaf'), bytes('12345'))
        const leaf = (await tree.read(at('l/leaf')))!
        const { modifiedAt, changedAt } = leaf
        expect(await other.look(at('l/leaf'))).toEqual({ name: 'leaf', kind: 'leaf', size: 5, modifiedAt, changedAt })
        expect(await other.look(at('l'))).toMatchObject({ name: 'l', kind: 'folder' })
        expect([await other.look(at('l/none')), await other.look(at('none/none'))]).toEqual([undefined, undefined])
      })
      it('shows at a folder that names came or went', async () => {
        await tree.create(at('l/a'), bytes('a'))
        let before = (await other.look(at('l')))!.modifiedAt
        const changes = [
          () => tree.create(at('l/b'), bytes('b')),
          () => tree.move(at('l/b'), at('m/b')),
          () => tree.remove(at('l/a')),
        ]
        for (const change of changes) {
          // Folder times tick every few milliseconds: wait for the next tick, as callers who compare them must.
          while (Date.now() - before < 20 && before > Date.now() - 60_000) await new Promise(setImmediate)
          await change()
          const after = (await other.look(at('l')))!.modifiedAt
          expect(after).toBeGreaterThan(before)
          before = after
        }
      })
    })

    describe('create', () => {
      it('makes folders as needed and answers with revision and durability', async () => {
        const created = await tree.create(at('deep/er/leaf'), bytes('hello'))
        expect(created.outcome).toBe('created')
        const leaf = (await other.read(at('deep/er/leaf')))!
        expect(created).toMatchObject({
          durability: expect.stringMatching(/^(process|batch|full)$/),
          revision: leaf.revision,
        })
      })
      it('writes text as UTF-8, whatever its length', async () => {
        for (const text of ['', 'größe ✓ 🚂', 'ü'.repeat(21_845), 'ü'.repeat(21_846), '✓'.repeat(100_000)]) {
          const created = await tree.create(at(`text/${text.length}`), text)
          const leaf = (await other.read(at(`text/${text.length}`)))!
          expect(Buffer.compare(leaf.bytes, bytes(text)), `${text.length} characters`).toBe(0)
          expect(created).toMatchObject({ outcome: 'created', revision: leaf.revision })
        }
      })
      it('never replaces: a repeat is taken, and the first bytes stay', async () => {
        await tree.create(at('one'), bytes('first'))
        expect(await other.create(at('one'), bytes('second'))).toEqual({ outcome: 'taken' })
        expect(await reading('one')).toBe('first')
      })
      it('has one winner among many', async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 40 }, (_, i) => (i % 2 ? tree : other).create(at('race/leaf'), bytes(`${i}`))),
        )
        const winners = outcomes.flatMap(({ outcome }, i) => (outcome === 'created' ? [`${i}`] : []))
        expect(winners.length).toBe(1)
        expect(await reading('race/leaf')).toBe(winners[0])
      })
      it('does not take the place of a folder, nor go through a leaf', async () => {
        await tree.makeFolder(at('folder'))
        expect((await tree.create(at('folder'), bytes('x'))).outcome).toBe('taken')
        await tree.create(at('leaf'), bytes('x'))
        await expect(tree.create(at('leaf/below'), bytes('x'))).rejects.toMatchObject({ code: 'NOT_A_FOLDER' })
      })
    })

    describe('heads', () => {
      it('gives the beginnings of what is there, and leaves out the rest', async () => {
        if (!tree.heads) return
        await tree.create(at('h/short'), 'short')
        await tree.create(at('h/long'), 'long '.repeat(10_000))
        await tree.create(at('h/empty'), '')
        await tree.makeFolder(at('h/folder'))
        const heads: Record<string, string> = {}
        const sizes: Record<string, number> = {}
        await tree.heads(at('h'), ['short', 'missing', 'folder', 'long', 'empty'], 9, (name, head, size) => {
          heads[name] = Buffer.from(head).toString()
          sizes[name] = size
        })
        expect(heads).toEqual({ short: 'short', long: 'long long', empty: '' })
        for (const name of Object.keys(sizes)) expect(sizes[name]).toBe((await tree.look(at(`h/${name}`)))!.size)
        await tree.heads(at('nowhere'), ['short'], 9, () => expect.unreachable())
        for (const name of ['../h/short', 'a/b', '', '.signalbox-tmp']) {
          await expect(
            tree.heads(at('h'), [name], 9, () => expect.unreachable()),
            name,
          ).rejects.toMatchObject({ kind: 'InvalidInput' })
        }
      })
    })

    describe('replace', () => {
      it('replaces exactly the revision it was told', async () => {
        await tree.create(at('r'), bytes('1'))
        const { revision } = (await tree.read(at('r')))!
        const replaced = await tree.replace(at('r'), bytes('2'), revision)
        expect(replaced.outcome).toBe('replaced')
        expect(await reading('r', other)).toBe('2')
        expect(await other.replace(at('r'), bytes('3'), revision)).toEqual({ outcome: 'stale' })
        expect(await reading('r')).toBe('2')
        expect((await tree.read(at('r')))!.revision).toBe((replaced as { revision: string }).revision)
      })
      it('finds nothing to replace where nothing is, and makes nothing', async () => {
        expect(await tree.replace(at('no/thing'), bytes('x'), 'any')).toEqual({ outcome: 'gone' })
        expect(await reading('no/thing')).toBeUndefined()
      })
      it('loses no update among many', async () => {
        await tree.create(at('counter'), bytes('0'))
        const addOne = async (from: Tree): Promise<void> => {
          for (;;) {
            const leaf = (await from.read(at('counter')))!
            const next = bytes(`${Number(textOf(leaf)) + 1}`)
            if ((await from.replace(at('counter'), next, leaf.revision)).outcome === 'replaced') return
          }
        }
        await Promise.all(Array.from({ length: 20 }, (_, i) => addOne(i % 2 ? tree : other)))
        expect(await reading('counter')).toBe('20')
      })
    })

    describe('touch', () => {
      it('restarts the clock and leaves the bytes', async () => {
        const clock = heldClock(Date.UTC(2030, 0, 1))
        const timed = await place.open({ clock })
        await timed.create(at('t'), bytes('x'))
        clock.advance(5000)
        expect((await timed.touch(at('t'))).outcome).toBe('touched')
        const leaf = (await timed.read(at('t')))!
        expect([textOf(leaf), leaf.modifiedAt]).toEqual(['x', Date.UTC(2030, 0, 1) + 5000])
        await timed.close()
      })
      it('makes nothing where nothing is', async () => {
        expect(await tree.touch(at('missing'))).toEqual({ outcome: 'gone' })
        expect(await tree.touch(at('missing/too'))).toEqual({ outcome: 'gone' })
        expect(await reading('missing')).toBeUndefined()
      })
    })

    describe('append', () => {
      it('adds whole lines and makes the leaf', async () => {
        await tree.append(at('log/lines'), 'one')
        expect(await other.append(at('log/lines'), 'two')).toMatchObject({ outcome: 'appended' })
        expect(await reading('log/lines')).toBe('one\ntwo\n')
      })
      it('starts on a new line after a fragment, and keeps the fragment', async () => {
        await tree.create(at('torn'), bytes('whole\nfragm'))
        await tree.append(at('torn'), 'next')
        expect(await reading('torn')).toBe('whole\nfragm\nnext\n')
      })
      it('refuses more than one line', async () => {
        await expect(tree.append(at('x'), 'a\nb')).rejects.toMatchObject({ code: 'NOT_ONE_LINE' })
        await expect(tree.append(at('x'), 'a\rb')).rejects.toMatchObject({ code: 'NOT_ONE_LINE' })
      })
      it('never mixes lines of many appenders', async () => {
        const lines = Array.from({ length: 60 }, (_, i) => `${i}:${'x'.repeat(i * 40)}`)
        await Promise.all(lines.map((line, i) => (i % 2 ? tree : other).append(at('many'), line)))
        expect((await reading('many'))!.split('\n').sort()).toEqual(['', ...lines].sort())
      })
    })

    describe('move', () => {
      it('moves the bytes as they are, and a repeat finds it gone', async () => {
        await tree.create(at('from/m'), bytes('body'))
        expect((await tree.move(at('from/m'), at('to/m'))).outcome).toBe('moved')
        expect([await reading('from/m', other), await reading('to/m', other)]).toEqual([undefined, 'body'])
        expect(await other.move(at('from/m'), at('to/m'))).toEqual({ outcome: 'gone' })
        expect(await tree.move(at('never/was'), at('to/n'))).toEqual({ outcome: 'gone' })
      })
      it('keeps the modification time, and shows the move in the later one', async () => {
        await tree.create(at('a/m'), bytes('body'))
        const before = (await tree.read(at('a/m')))!
        await tree.move(at('a/m'), at('b/m'))
        const after = (await tree.read(at('b/m')))!
        expect(after.modifiedAt).toBe(before.modifiedAt)
        expect(after.changedAt).toBeGreaterThanOrEqual(before.changedAt)
      })
      it('never replaces what is at the target', async () => {
        await tree.create(at('s/m'), bytes('source'))
        await tree.create(at('t/m'), bytes('target'))
        for (const options of [
          {},
          { change: () => bytes('other') },
          { change: (before: Uint8Array) => before, touched: true },
          { change: () => ({ at: 0, bytes: bytes('S'), restates: true as const }) },
        ]) {
          expect(await tree.move(at('s/m'), at('t/m'), options)).toEqual({ outcome: 'taken' })
          expect([await reading('s/m'), await reading('t/m')]).toEqual(['source', 'target'])
        }
        expect([await names('s'), await names('t')]).toEqual([['m'], ['m']])
      })
      it('has one winner among movers to different targets', async () => {
        await tree.create(at('s/m'), bytes('one'))
        const moves = Array.from({ length: 30 }, (_, i) =>
          (i % 2 ? tree : other).move(at('s/m'), at(`t${i}/m`), {
            ...(i % 3 === 0 ? { change: (before) => bytes(`${Buffer.from(before)}+`) } : {}),
          }),
        )
        const outcomes = (await Promise.all(moves)).map(({ outcome }) => outcome)
        expect(outcomes.filter((outcome) => outcome === 'moved').length).toBe(1)
        expect(outcomes.filter((outcome) => outcome === 'gone').length).toBe(29)
        const found = await Promise.all(outcomes.map((_, i) => reading(`t${i}/m`)))
        expect(found.filter((text) => text !== undefined).length).toBe(1)
        expect(found.findIndex((text) => text !== undefined)).toBe(outcomes.indexOf('moved'))
      })
      it('carries changed bytes of the same length', async () => {
        await tree.create(at('p/m'), bytes('---\nstatus: pending   \n---\nbody\n'))
        const seen: string[] = []
        const moved = await tree.move(at('p/m'), at('q/m'), {
          change: (before) => {
            seen.push(Buffer.from(before).toString())
            return bytes(Buffer.from(before).toString().replace('pending   ', 'processing'))
          },
        })
        expect(moved.outcome).toBe('moved')
        expect(seen).toEqual(['---\nstatus: pending   \n---\nbody\n'])
        expect(await reading('q/m', other)).toBe('---\nstatus: processing\n---\nbody\n')
        expect(Buffer.from((moved as { bytes: Uint8Array }).bytes).toString()).toBe(
          '---\nstatus: processing\n---\nbody\n',
        )
      })
      for (const restates of [false, true]) {
        for (const [what, place, size] of [
          ['a few bytes', 4, 40],
          ['a few bytes across the end of a line', 60, 100],
          ['the last bytes', 90, 100],
          ['a few bytes of many', 50_000, 100_000],
        ] as const) {
          it(`overwrites ${what} and leaves the rest (restating the place: ${restates})`, async () => {
            const text = 'abcdefghij'.repeat(size / 10)
            await tree.create(at('p/m'), text)
            const moved = await tree.move(at('p/m'), at('q/m'), {
              change: () => ({ at: place, bytes: bytes('PROCESSING'), ...(restates ? { restates } : {}) }),
            })
            expect(moved).toEqual({ outcome: 'moved', durability: expect.any(String) })
            expect(await reading('q/m', other)).toBe(`${text.slice(0, place)}PROCESSING${text.slice(place + 10)}`)
            expect(await names('p')).toEqual([])
          })
        }
      }
      it('lets a change give back what it was given, or a part of it', async () => {
        const text = 'some bytes that stay as they are'
        for (const [name, change, after] of [
          ['all', (before: Uint8Array) => before, text],
          ['part', (before: Uint8Array) => before.subarray(5, 10), 'bytes'],
        ] as const) {
          await tree.create(at('p/m'), text)
          const moved = await tree.move(at('p/m'), at(`q/${name}`), { change })
          await tree.read(at('p/m'))
          await tree.create(at(`p/other-${name}`), 'X'.repeat(100))
          await tree.move(at(`p/other-${name}`), at(`q/other-${name}`), { change: (before) => before })
          expect(Buffer.from((moved as { bytes: Uint8Array }).bytes).toString()).toBe(after)
          expect(await reading(`q/${name}`, other)).toBe(after)
        }
      })
      it('carries changed bytes of any other length, to another name', async () => {
        for (const after of ['', 'short', 'x'.repeat(100_000)]) {
          await tree.create(at('p/m'), bytes('some bytes in between'))
          expect((await tree.move(at('p/m'), at(`q/n${after.length}`), { change: () => bytes(after) })).outcome).toBe(
            'moved',
          )
          expect(await reading(`q/n${after.length}`, other)).toBe(after)
          expect(await names('p')).toEqual([])
        }
      })
      it('restarts the clock when it changes bytes', async () => {
        await tree.create(at('p/m'), bytes('aaaa'))
        const before = (await tree.read(at('p/m')))!
        await tree.move(at('p/m'), at('q/m'), { change: () => bytes('bbbb') })
        expect((await tree.read(at('q/m')))!.modifiedAt).toBeGreaterThanOrEqual(before.modifiedAt)
      })
      it('takes its time to judge, and nobody else has the leaf meanwhile', async () => {
        await tree.create(at('p/m'), bytes('one'))
        let answer: () => void = () => {}
        let asked: () => void = () => {}
        const wasAsked = new Promise<void>((resolve) => (asked = resolve))
        const first = tree.move(at('p/m'), at('q/m'), {
          change: async (before) => {
            const text = Buffer.from(before).toString()
            asked()
            await new Promise<void>((resolve) => (answer = resolve))
            return bytes(`${text} judged`)
          },
        })
        await wasAsked
        expect(await names('p', other)).toEqual(['m'])
        const second = other.move(at('p/m'), at('r/m'), {
          change: (before) => Buffer.concat([before, bytes(' taken')]),
        })
        const outcomes = [(await second).outcome]
        answer()
        outcomes.push((await first).outcome)
        // Which of the two has it is the engine's choice; never both, and each with the bytes that it judged.
        expect(outcomes.sort()).toEqual(['gone', 'moved'])
        const all = [await reading('p/m'), await reading('q/m'), await reading('r/m')].filter(
          (one) => one !== undefined,
        )
        expect([['one judged'], ['one taken']]).toContainEqual(all)
      })
      it('judges by the times of before the move, and touches on request', async () => {
        const clock = heldClock(Date.now() + 60_000)
        const timed = await place.open({ clock })
        await timed.create(at('p/m'), bytes('body'))
        await timed.touch(at('p/m'))
        const before = (await timed.look(at('p/m')))!
        clock.advance(60_000)
        const seen: number[] = []
        const change = (same: Uint8Array, times: { modifiedAt: number; changedAt: number }) => {
          seen.push(times.modifiedAt, times.changedAt)
          return same
        }
        expect((await timed.move(at('p/m'), at('q/m'), { change, timed: true })).outcome).toBe('moved')
        expect(seen).toEqual([before.modifiedAt, before.changedAt])
        expect((await timed.look(at('q/m')))!.modifiedAt).toBe(before.modifiedAt)
        expect((await timed.move(at('q/m'), at('q/m'), { change, touched: true })).outcome).toBe('moved')
        expect((await timed.look(at('q/m')))!.modifiedAt - before.modifiedAt).toBeCloseTo(60_000, 0)
        expect(await reading('q/m', timed)).toBe('body')
        await timed.close()
      })
      it('judges huge leaves by their beginning, and moves them as they are', async () => {
        const huge = 'begin'.padEnd(100_000, 'x')
        await tree.create(at('p/m'), huge)
        const seen: string[] = []
        const judge = (answer: 'move' | 'keep') => (before: Uint8Array) => {
          seen.push(Buffer.from(before).toString())
          return answer === 'move' ? before : undefined
        }
        expect(await tree.move(at('p/m'), at('q/m'), { change: judge('keep'), atMost: 5 })).toEqual({ outcome: 'kept' })
        expect((await tree.move(at('p/m'), at('q/m'), { change: judge('move'), atMost: 5 })).outcome).toBe('moved')
        // A leaf that was seen whole may change, as without the limit.
        await tree.create(at('p/short'), bytes('abcd'))
        await tree.move(at('p/short'), at('q/short'), { change: () => bytes('changed'), atMost: 5 })
        expect(await reading('q/short')).toBe('changed')
        expect([seen, await reading('q/m', other)]).toEqual([['begin', 'begin'], huge])
      })
      it('stays put when the change is called off', async () => {
        await tree.create(at('p/m'), bytes('stay'))
        expect(await tree.move(at('p/m'), at('q/m'), { change: () => undefined })).toEqual({ outcome: 'kept' })
        expect([await reading('p/m'), await reading('q/m')]).toEqual(['stay', undefined])
      })
      it('leaves everything as it was when the change throws', async () => {
        await tree.create(at('p/m'), bytes('stay'))
        const change = () => {
          throw new Error('no')
        }
        await expect(tree.move(at('p/m'), at('q/m'), { change })).rejects.toThrow('no')
        expect([await reading('p/m'), await names('q')]).toEqual(['stay', []])
      })
      it('edits in place when it moves onto itself, losing no edit among many', async () => {
        await tree.create(at('p/m'), bytes(''))
        const edit = async (from: Tree, mark: string): Promise<void> => {
          for (;;) {
            const change = (before: Uint8Array) => Buffer.concat([before, bytes(mark)])
            if ((await from.move(at('p/m'), at('p/m'), { change })).outcome === 'moved') return
          }
        }
        await Promise.all(Array.from({ length: 20 }, (_, i) => edit(i % 2 ? tree : other, String.fromCharCode(97 + i))))
        expect([...(await reading('p/m'))!].sort().join('')).toBe('abcdefghijklmnopqrst')
        expect(await tree.move(at('p/m'), at('p/m'))).toEqual({ outcome: 'taken' })
      })
      it('makes the target folder', async () => {
        await tree.create(at('m'), bytes('x'))
        await tree.move(at('m'), at('new/folder/m'))
        expect(await reading('new/folder/m')).toBe('x')
      })
    })

    describe('remove', () => {
      it('removes, and twice is fine', async () => {
        await tree.create(at('gone/soon'), bytes('x'))
        expect((await tree.remove(at('gone/soon'))).outcome).toBe('removed')
        expect(await other.remove(at('gone/soon'))).toEqual({ outcome: 'gone' })
        expect(await names('gone')).toEqual([])
      })
      it('removes only what it was told to, judged when nobody else can change it any more', async () => {
        await tree.create(at('a/m'), bytes('keep me'))
        const isOther = (before: Uint8Array) => Buffer.from(before).toString() !== 'keep me'
        expect(await other.remove(at('a/m'), { onlyIf: isOther })).toEqual({ outcome: 'kept' })
        expect(await reading('a/m')).toBe('keep me')
        const isLong = (head: Uint8Array) => Buffer.from(head).toString() !== 'keep'
        expect(await other.remove(at('a/m'), { onlyIf: isLong, atMost: 4 })).toEqual({ outcome: 'kept' })
        expect(await other.remove(at('a/m'), { onlyIf: (head) => head.length > 0, atMost: 0 })).toEqual({
          outcome: 'kept',
        })
        expect((await other.remove(at('a/m'), { onlyIf: (before) => !isOther(before) })).outcome).toBe('removed')
        expect(await names('a')).toEqual([])
        expect(await other.remove(at('a/m'), { onlyIf: () => true })).toEqual({ outcome: 'gone' })
      })
      it('does not remove folders', async () => {
        await tree.makeFolder(at('folder'))
        await expect(tree.remove(at('folder'))).rejects.toMatchObject({ code: 'NOT_A_LEAF' })
      })
    })

    describe('turns', () => {
      it('never overlap under one name', async () => {
        let inside = 0
        let most = 0
        const turn = (i: number) =>
          (i % 2 ? tree : other).exclusively('inbox of coder-1', async () => {
            most = Math.max(most, ++inside)
            const leaf = await tree.read(at('turns/count'))
            const next = bytes(`${Number(Buffer.from(leaf?.bytes ?? bytes('0'))) + 1}`)
            await (leaf ? tree.replace(at('turns/count'), next, leaf.revision) : tree.create(at('turns/count'), next))
            inside--
            return i
          })
        const turns = await Promise.all(Array.from({ length: 20 }, (_, i) => turn(i)))
        expect(turns).toEqual(Array.from({ length: 20 }, (_, i) => i))
        expect([most, Buffer.from((await other.read(at('turns/count')))!.bytes).toString()]).toEqual([1, '20'])
      })
      it('are not waited for by whoever does not want to, and then nothing is run', async () => {
        let [goOn, begin] = [() => {}, () => {}]
        const begun = new Promise<void>((resolve) => {
          begin = resolve
        })
        const first = tree.exclusively('long', () => {
          begin()
          return new Promise<void>((resolve) => {
            goOn = resolve
          })
        })
        await begun
        let hasRun = false
        const work = async () => {
          hasRun = true
        }
        await expect(other.exclusively('long', work, { waitMs: 0 })).rejects.toMatchObject({ code: 'LOCK_BUSY' })
        goOn()
        await first
        expect(hasRun).toBe(false)
        await other.exclusively('long', work, { waitMs: 0 })
        expect(hasRun).toBe(true)
      })
      it('end with a failure too, which goes to the one whose turn it was', async () => {
        const failed = tree.exclusively('one', async () => {
          throw new Error('mine')
        })
        await expect(failed).rejects.toThrow('mine')
        expect(await other.exclusively('one', async () => 'next')).toBe('next')
      })
    })

    describe('leases', () => {
      it('are held by one owner, with an end and a fencing number', async () => {
        const clock = heldClock()
        const [a, b] = [await place.open({ clock }), await place.open({ clock })]
        const first = await a.lease('src/**/*.ts', 'dev-1', 1000)
        expect(first).toEqual({
          outcome: 'held',
          lease: { resource: 'src/**/*.ts', owner: 'dev-1', until: clock.now() + 1000, fence: 1 },
        })
        expect(await b.lease('src/**/*.ts', 'dev-2', 1000)).toEqual({ outcome: 'busy', lease: first.lease })
        clock.advance(500)
        const renewed = await b.lease('src/**/*.ts', 'dev-1', 1000)
        expect(renewed).toMatchObject({ outcome: 'held', lease: { until: clock.now() + 1000, fence: 1 } })
        clock.advance(1000)
        expect(await a.lease('src/**/*.ts', 'dev-2', 1000)).toMatchObject({ outcome: 'held', lease: { fence: 2 } })
        await a.close()
        await b.close()
      })
      it('end by release, once, and only by their owner', async () => {
        await tree.lease('a', 'one', 60_000)
        expect(await other.release('a', 'two')).toEqual({ outcome: 'gone' })
        expect((await tree.leases()).map(({ resource }) => resource)).toEqual(['a'])
        expect(await other.release('a', 'one')).toEqual({ outcome: 'released' })
        expect(await tree.release('a', 'one')).toEqual({ outcome: 'gone' })
        expect(await tree.leases()).toEqual([])
        expect(await tree.lease('a', 'two', 60_000)).toMatchObject({ outcome: 'held', lease: { fence: 2 } })
      })
      it('keep any name apart from any other', async () => {
        const resources = ['a/b', 'a%2Fb', '..', '.', 'x'.repeat(500), `${'x'.repeat(499)}y`, 'ä ö\n', '*', '\ud800']
        for (const resource of resources) {
          expect(await tree.lease(resource, 'me', 60_000)).toMatchObject({ outcome: 'held', lease: { fence: 1 } })
        }
        expect((await tree.leases()).length).toBe(resources.length)
      })
      it('have one winner among many', async () => {
        const asked = Array.from({ length: 20 }, (_, i) => (i % 2 ? tree : other).lease('one', `agent-${i}`, 60_000))
        expect((await Promise.all(asked)).filter(({ outcome }) => outcome === 'held').length).toBe(1)
      })
      it('fence off a late holder in every write', async () => {
        const clock = heldClock()
        const timed = await place.open({ clock })
        const { lease } = await timed.lease('job', 'slow', 1000)
        await timed.create(at('w/a'), bytes('a'), { under: lease })
        const { revision } = (await timed.read(at('w/a')))!
        clock.advance(1000)
        const fenced = { outcome: 'fenced' }
        expect(await timed.create(at('w/b'), bytes('b'), { under: lease })).toEqual(fenced)
        await timed.lease('job', 'quick', 1000)
        expect(await timed.create(at('w/b'), bytes('b'), { under: lease })).toEqual(fenced)
        expect(await timed.replace(at('w/a'), bytes('b'), revision, { under: lease })).toEqual(fenced)
        expect(await timed.append(at('w/a'), 'b', { under: lease })).toEqual(fenced)
        expect(await timed.move(at('w/a'), at('w/c'), { under: lease })).toEqual(fenced)
        expect(await timed.remove(at('w/a'), { under: lease })).toEqual(fenced)
        expect([await names('w', timed), await reading('w/a', timed)]).toEqual([['a'], 'a'])
        await timed.close()
      })
      it('refuse what makes no sense', async () => {
        await expect(tree.lease('', 'a', 1)).rejects.toMatchObject({ code: 'BAD_LEASE' })
        await expect(tree.lease('a', '', 1)).rejects.toMatchObject({ code: 'BAD_LEASE' })
        await expect(tree.lease('a', 'a', 0)).rejects.toMatchObject({ code: 'BAD_LEASE' })
        await expect(tree.lease('a', 'a', Number.NaN)).rejects.toMatchObject({ code: 'BAD_LEASE' })
        await expect(tree.lease('a', 'a', 24 * 60 * 60 * 1000 + 1)).rejects.toMatchObject({ code: 'BAD_LEASE' })
      })
    })

    describe('watch', () => {
      const nextHint = (folder: TreePath, from: Tree) => {
        let arrived: () => void = () => {}
        const hint = () => arrived()
        const watching = from.watch(folder, hint)
        const until = async (isThere: () => Promise<boolean>) => {
          while (!(await isThere())) await new Promise<void>((resolve) => (arrived = resolve))
          watching.close()
        }
        return { until }
      }
      it('hints at what another one made, moved and removed', async () => {
        await tree.makeFolder(at('watched'))
        for (const change of [
          () => other.create(at('watched/a'), bytes('x')),
          () => other.move(at('watched/a'), at('watched/b')),
          () => other.remove(at('watched/b')),
        ]) {
          const before = await names('watched')
          const { until } = nextHint(at('watched'), tree)
          await change()
          await until(async () => (await names('watched')).join() !== before.join())
        }
      })
      it('waits for a folder that is not there yet', async () => {
        const { until } = nextHint(at('not/yet'), tree)
        await other.create(at('not/yet/a'), bytes('x'))
        await until(async () => (await names('not/yet')).includes('a'))
      })
    })

    describe('paths', () => {
      it('refuses what is the engine’s own, in any case', async () => {
        for (const path of ['.signalbox/engine/x', '.SignalBox/Engine/tmp/x', '.signalbox/engine']) {
          await expect(tree.create(at(path), bytes('x'))).rejects.toMatchObject({ code: 'RESERVED_PATH' })
          await expect(tree.read(at(path))).rejects.toMatchObject({ code: 'RESERVED_PATH' })
        }
      })
      it('refuses what leads outside, also from callers that no type checker has seen', async () => {
        for (const path of ['..', '../x', 'a/../../x', '/etc/hostname', 'a//b', './a', 'a/.', 'a\\..\\b', 'a\0b']) {
          const unchecked = path as TreePath
          await expect(tree.read(unchecked)).rejects.toMatchObject({ code: 'PATH_ESCAPES_ROOT' })
          await expect(tree.create(unchecked, bytes('x'))).rejects.toMatchObject({
            code: 'PATH_ESCAPES_ROOT',
          })
          await expect(tree.move(at('a'), unchecked)).rejects.toMatchObject({ code: 'PATH_ESCAPES_ROOT' })
        }
      })
      it('takes names of every script, spaces and quotes', async () => {
        for (const name of [
          'mit leer zeichen',
          'quote"\'`',
          '日本語',
          'emoji 🚦',
          '-dash',
          '$(x)',
          'a;b|c&d',
          '~',
          '#x',
        ]) {
          await tree.create(childOf(at('names'), name), bytes(name))
          expect(await reading(`names/${name}`, other)).toBe(name)
        }
      })
    })

    it('inspects itself and finds nothing wrong', async () => {
      await tree.create(at('a/b'), bytes('x'))
      await tree.move(at('a/b'), at('a/c'), { change: () => bytes('longer') })
      expect(await tree.inspect({ repair: true, within: [at('a')] })).toEqual([])
    })
  })
}
