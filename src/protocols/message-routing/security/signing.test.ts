import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aMessage } from '../../../../test/support/message-routing-messages.ts'
import type { MrMessage } from '../schema.ts'
import { messageDigest, rejectSignature, sign, signatureIn } from './signing.ts'

const made = generateKeyPairSync('ed25519')
const own = { id: 'own', privateKey: made.privateKey }
const trusted = [{ id: 'own', publicKey: made.publicKey }]
const signed = sign(aMessage({ note: 'unknown fields too' }), own)

describe('a signature', () => {
  it('holds for the message as it was signed, however its file is laid out', () => {
    expect(rejectSignature(signed, trusted)).toBeUndefined()
    const { payload, ...rest } = signed
    const reordered = JSON.parse(JSON.stringify({ payload, ...rest }, null, 4)) as MrMessage
    expect(rejectSignature(reordered, trusted)).toBeUndefined()
  })

  const changes: [what: string, change: Record<string, unknown>][] = [
    ['the sender', { from: 'coder-2' }],
    ['the recipient', { to: 'coder-2' }],
    ['the id', { msg_id: 'msg_00000000' }],
    ['the number', { sequence: 6 }],
    ['the time', { timestamp: '2026-01-01T00:00:00.001Z' }],
    ['the type', { type: 'result' }],
    ['the payload', { payload: { status: 'completed' } }],
    ['an unknown field', { note: 'changed' }],
    ['a field that was not there', { priority: 10 }],
    ['the version', { version: '1.1.0' }],
  ]
  for (const [what, change] of changes) {
    it(`breaks when somebody alters ${what}`, () => {
      expect(rejectSignature({ ...signed, ...change }, trusted)).toMatchObject({ code: 'BAD_SIGNATURE' })
    })
  }

  it('of another key is a forgery, also under the name of the right one', () => {
    const other = generateKeyPairSync('ed25519').privateKey
    const named = rejectSignature(sign(aMessage(), { id: 'own', privateKey: other }), trusted)
    expect(named?.issues).toEqual([
      'The signature is not one of coder-1 over this content: it was altered after it was signed',
    ])
    const unnamed = rejectSignature(sign(aMessage(), { id: 'other', privateKey: other }), trusted)
    expect(unnamed?.issues).toEqual([
      "The signature is not one of coder-1 over this content: it names the key other, which is another's",
    ])
  })

  it('says nothing when nobody has entered a key of the sender', () => {
    expect(rejectSignature(signed, [])).toMatchObject({ code: 'UNKNOWN_KEY' })
  })

  it('is missing when it is absent or not one of ours', () => {
    expect(rejectSignature(aMessage(), trusted)?.issues).toEqual([
      'It is not signed, and messages from coder-1 must be',
    ])
    for (const signature of ['a1b2c3', null, [], {}, { algorithm: 'none', key: 'own', value: '' }]) {
      expect(rejectSignature({ ...signed, signature }, trusted)).toMatchObject({ code: 'UNSIGNED' })
    }
    const noise = { algorithm: 'ed25519', key: 'own\u001b[2J', value: 'x' }
    expect(signatureIn({ ...signed, signature: noise })).toBeUndefined()
  })

  it('of a retired key counts for what was written before', () => {
    const at = Date.parse(signed.timestamp)
    const until = (retiredAt: number) => rejectSignature(signed, [{ ...trusted[0]!, retiredAt }])
    expect([until(at + 1), until(at)?.code]).toEqual([undefined, 'UNKNOWN_KEY'])
  })
})

describe('a digest', () => {
  it('is the same with and without the signature, and another for another message', () => {
    const plain = aMessage({ note: 'unknown fields too' })
    expect(messageDigest(signed)).toBe(messageDigest(plain))
    expect(messageDigest(aMessage({ sequence: 6 }))).not.toBe(messageDigest(aMessage()))
    expect(messageDigest(plain)).toMatch(/^[\w-]{22}$/)
  })
})
