import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDir } from '../../test/support/temp.ts'
import { printIdentity } from '../protocols/message-routing/security/key-file.ts'
import { age } from './age.ts'

const program = (args: readonly string[], input: string) => spawnSync('age', args, { input, encoding: 'utf8' })
const missing = program(['--version'], '').error
  ? (process.env.SIGNALBOX_WITHOUT_AGE ?? 'the age program is not installed')
  : undefined
const withProgram = (title: string, body: () => Promise<void>) =>
  missing === undefined ? it(title, body) : it.skip(`${title} (skipped: ${missing})`, () => {})

describe('age', () => {
  it('opens what it sealed, and nothing else', async () => {
    const [own, other] = [await age.makeKeys(), await age.makeKeys()]
    const sealed = await age.seal('{"grüße":"日本"}', own.recipient)
    expect(sealed).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----\n[\s\S]+\n-----END AGE ENCRYPTED FILE-----\n$/)
    expect(await age.open(sealed, own.identity)).toEqual({ outcome: 'opened', text: '{"grüße":"日本"}' })
    expect(await age.open(sealed, other.identity)).toMatchObject({ outcome: 'refused' })
    expect(await age.open('nonsense', own.identity)).toMatchObject({ outcome: 'refused' })
    const lines = sealed.split('\n')
    lines[lines.length - 3] = lines[lines.length - 3]!.replace(/^./, (sign) => (sign === 'A' ? 'B' : 'A'))
    expect(await age.open(lines.join('\n'), own.identity)).toMatchObject({ outcome: 'refused' })
    expect(await age.recipientOf(own.identity)).toBe(own.recipient)
  })

  it('refuses a key that is none', async () => {
    await expect(age.seal('x', 'age1nonsense')).rejects.toMatchObject({ code: 'BAD_RECIPIENT_KEY' })
  })

  withProgram('seals for the age program and opens what that seals', async () => {
    const { identity, recipient } = await age.makeKeys()
    const file = join(tempDir(), 'identity.txt')
    writeFileSync(file, printIdentity(identity, recipient, '2026-01-01T00:00:00.000Z'), { mode: 0o600 })
    const read = program(['--decrypt', '--identity', file], await age.seal('to the program', recipient))
    expect([read.stderr, read.stdout]).toEqual(['', 'to the program'])
    const written = program(['--encrypt', '--armor', '--recipient', recipient], 'from the program')
    expect(await age.open(written.stdout, identity)).toEqual({ outcome: 'opened', text: 'from the program' })
  })
})
