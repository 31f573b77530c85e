import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { tempDir } from '../../../../test/support/temp.ts'
import { openFileTree } from '../../../engines/file-system/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import type { SignalboxError } from '../../../kernel/errors.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { Sealing } from './encryption.ts'
import { KeyRing } from './keys.ts'

const clock = heldClock()
let count = 0
/** Stands in for age, whose own tests are beside its adapter. */
const sealing = {
  makeKeys: async () => {
    const digits = String(++count).padStart(58, '0')
    return { identity: `AGE-SECRET-KEY-1${digits}`, recipient: `age1${digits}` }
  },
  recipientOf: async (identity: string) => identity.replace('AGE-SECRET-KEY-1', 'age1'),
} as unknown as Sealing

let root: string
let tree: Tree
let ring: KeyRing
beforeEach(async () => {
  root = tempDir()
  tree = await openFileTree({ root })
  ring = new KeyRing({ tree, clock, sealing })
})

const keysFolder = () => join(root, 'keys')
const modeOf = (...parts: string[]) => (statSync(join(keysFolder(), ...parts)).mode & 0o777).toString(8)

describe('the key ring', () => {
  it('makes keys that nobody else can read, once', async () => {
    const first = await ring.generate('coder-1')
    expect(first).toMatchObject({ outcome: 'created', key: { agent: 'coder-1', retired: 0, isOwn: true } })
    expect(await ring.generate('coder-1')).toEqual({ ...first, outcome: 'unchanged' })
    expect(['private', 'public'].map((name) => modeOf(name))).toEqual(['700', '700'])
    expect(modeOf('private', 'coder-1.pem')).toBe('600')
    expect(modeOf('private', 'coder-1.age')).toBe('600')
  })

  it('shows public keys and never a private one', async () => {
    await ring.generate('coder-1')
    await ring.generate('coder-2')
    const shown = JSON.stringify([await ring.list(), await ring.show('coder-1')])
    expect((await ring.list()).map(({ agent }) => agent)).toEqual(['coder-1', 'coder-2'])
    const pem = readFileSync(join(keysFolder(), 'private/coder-1.pem'), 'utf8')
    expect(shown).not.toContain(pem.split('\n')[1])
    expect(shown).not.toMatch(/SECRET|PRIVATE/)
  })

  it('is shared by all who make a key at once', async () => {
    const rings = await Promise.all(
      Array.from({ length: 4 }, async () => {
        return new KeyRing({ tree: await openFileTree({ root }), clock, sealing })
      }),
    )
    const made = await Promise.all(rings.map((one) => one.generate('coder-1')))
    expect(new Set(made.map(({ key }) => key.signing?.id)).size).toBe(1)
    expect(new Set(made.map(({ key }) => key.encryption)).size).toBe(1)
    const signing = await rings[0]!.signingKey('coder-1')
    expect(signing?.id).toBe(made[0]!.key.signing?.id)
  })

  it('goes on where a crash left off, and trusts the key that is in place', async () => {
    await ring.generate('coder-1')
    const { id } = (await ring.signingKey('coder-1'))!
    rmSync(join(keysFolder(), 'public/coder-1.json'))
    expect((await ring.generate('coder-1')).key.signing?.id).toBe(id)
  })

  it('replaces keys on request, and remembers the old one for what it signed', async () => {
    const before = (await ring.generate('coder-1')).key
    clock.advance(1000)
    const after = await ring.generate('coder-1', { replace: true })
    expect(after).toMatchObject({ outcome: 'replaced', key: { retired: 1 } })
    const trusted = await ring.trustedKeys('coder-1')
    expect(trusted.map(({ id, retiredAt }) => [id, retiredAt])).toEqual([
      [after.key.signing?.id, undefined],
      [before.signing?.id, clock.now()],
    ])
    expect((await ring.signingKey('coder-1'))?.id).toBe(after.key.signing?.id)
    expect(readdirSync(join(keysFolder(), 'private')).filter((name) => name.endsWith('.age'))).toHaveLength(2)
  })

  it('trusts what its owner enters, and nothing in its place unless told to', async () => {
    const other = new KeyRing({ tree: await openFileTree({ root: tempDir() }), clock })
    const [one, two] = [(await other.generate('far-1')).key, (await other.generate('far-2')).key]
    const publicKey = one.signing!.publicKey
    expect(await ring.trustedKeys('far-1')).toEqual([])
    expect(await ring.trust('far-1', { publicKey })).toEqual({ outcome: 'trusted' })
    expect(await ring.trust('far-1', { publicKey })).toEqual({ outcome: 'unchanged' })
    expect((await ring.trustedKeys('far-1')).map(({ id }) => id)).toEqual([one.signing!.id])
    expect(await ring.show('far-1')).toMatchObject({ isOwn: false })
    await expect(ring.trust('far-1', two.signing!)).rejects.toMatchObject({ code: 'OTHER_KEY' })
    await expect(ring.generate('far-1')).rejects.toMatchObject({ code: 'OTHER_KEY' })
    expect(existsSync(join(keysFolder(), 'private/far-1.pem'))).toBe(false)
    await ring.trust('far-1', two.signing!, { replace: true })
    expect((await ring.show('far-1'))?.signing?.id).toBe(two.signing!.id)
  })

  it.each(['../coder', 'Coder', '', 'a b', 'x'.repeat(65)])('makes no key for %j', async (name) => {
    await expect(ring.generate(name)).rejects.toMatchObject({ code: 'INVALID_AGENT_ID' })
  })

  it('sees a key that another process changed', async () => {
    await ring.generate('coder-1')
    const [before] = await ring.trustedKeys('coder-1')
    const other = new KeyRing({ tree: await openFileTree({ root }), clock })
    await other.generate('coder-1', { replace: true })
    expect((await ring.trustedKeys('coder-1'))[0]?.id).not.toBe(before?.id)
  })

  const damages: [what: string, text: string][] = [
    ['cut short', '{"agent":"coder-1","signing":['],
    ['of another agent', '{"agent":"coder-2","signing":[]}'],
    ['given twice', '{"agent":"coder-1","signing":[],"signing":[]}'],
    [
      'under a wrong id',
      `{"agent":"coder-1","signing":[{"id":"x","publicKey":"${'A'.repeat(43)}","createdAt":"2026-01-01T00:00:00Z"}]}`,
    ],
  ]
  for (const [what, text] of damages) {
    it(`trusts nothing in a file that is ${what}`, async () => {
      await ring.generate('coder-1')
      writeFileSync(join(keysFolder(), 'public/coder-1.json'), text)
      await expect(ring.trustedKeys('coder-1')).rejects.toMatchObject({ kind: 'Corrupt' })
    })
  }

  it('tells of a private key that is none, without repeating it', async () => {
    await ring.generate('coder-1')
    writeFileSync(join(keysFolder(), 'private/coder-1.pem'), 'not a key')
    const failure = (await ring.signingKey('coder-1').catch((error: unknown) => error)) as SignalboxError
    expect([failure.code, failure.cause]).toEqual(['BAD_KEY_FILE', undefined])
  })
})
