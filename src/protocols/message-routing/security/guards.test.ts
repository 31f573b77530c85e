import { beforeEach, describe, expect, it } from 'vitest'
import { aMessage } from '../../../../test/support/message-routing-messages.ts'
import { age } from '../../../adapters/age.ts'
import { openMemoryTree } from '../../../engines/memory/index.ts'
import { heldClock } from '../../../kernel/clock.ts'
import { treePath } from '../../../kernel/tree-path.ts'
import type { Tree } from '../../../tree/tree.ts'
import type { Rejection, Sealed } from '../hooks.ts'
import type { MrMessage } from '../schema.ts'
import { defaultSettings, type SecuritySettings } from '../settings.ts'
import { Guards } from './guards.ts'
import { KeyRing } from './keys.ts'

const clock = heldClock()
let tree: Tree
let keys: KeyRing
beforeEach(async () => {
  tree = openMemoryTree({ clock })
  keys = new KeyRing({ tree, clock, sealing: age })
  for (const agent of ['coder-1', 'coordinator-main']) await keys.generate(agent)
})

const guardsWith = (settings: Partial<SecuritySettings>) =>
  new Guards({
    tree,
    keys: async () => keys,
    sealing: async () => age,
    settings: { ...defaultSettings.security, ...settings },
  })

const seal = async (guards: Guards, message = aMessage()) => ((await guards.seal(message)) as Sealed).message

const open = (guards: Guards, message: MrMessage, more: { isPeek?: boolean; arrivedAt?: number } = {}) =>
  guards.open({ agent: message.to, message, now: clock.now(), isPeek: false, ...more })

const codeOf = (answer: object) => (answer as Rejection).code

describe('nothing asked for', () => {
  it('changes nothing and looks for no key', async () => {
    const guards = guardsWith({})
    expect(await guards.admit('nobody', 'no-one', 0)).toBeUndefined()
    const message = aMessage()
    expect(await seal(guards, message)).toBe(message)
    expect(await open(guards, message)).toEqual({ outcome: 'opened', message })
    expect(await open(guards, message)).toEqual({ outcome: 'opened', message })
  })
})

describe('signatures required', () => {
  it('let in what is signed, once', async () => {
    const guards = guardsWith({ signing: 'require' })
    const message = await seal(guards)
    expect(message).toMatchObject({ ...aMessage(), signature: { algorithm: 'ed25519' } })
    expect(await open(guards, message, { isPeek: true })).toMatchObject({ outcome: 'opened' })
    expect(await open(guards, message)).toEqual({ outcome: 'opened', message })
    expect(codeOf(await open(guards, message))).toBe('REPLAYED')
    expect(codeOf(await open(guards, message, { isPeek: true }))).toBe('REPLAYED')
    await guards.recover(message.to, message)
    expect(await open(guards, message)).toMatchObject({ outcome: 'opened' })
  })

  it('refuse what is missing, altered or somebody else’s, and forget it', async () => {
    const guards = guardsWith({ signing: 'require' })
    const message = await seal(guards)
    expect(codeOf(await open(guards, aMessage()))).toBe('UNSIGNED')
    expect(codeOf(await open(guards, { ...message, payload: {} }))).toBe('BAD_SIGNATURE')
    const forged = await seal(guards, aMessage({ from: 'coordinator-main' }))
    expect(codeOf(await open(guards, { ...forged, from: 'coder-1' }))).toBe('BAD_SIGNATURE')
    expect(codeOf(await open(guards, { ...message, from: 'stranger' }))).toBe('UNKNOWN_KEY')
    expect(await open(guards, message)).toMatchObject({ outcome: 'opened' })
  })

  it('are not sent without a key', async () => {
    const guards = guardsWith({ signing: 'require' })
    const refusal = {
      outcome: 'refused',
      code: 'NO_KEY',
      hint: 'Make one: `mr keys {"agent":"stranger","generate":true}`',
    }
    expect(await guards.admit('stranger', 'coder-1', 0)).toMatchObject(refusal)
    expect(await guards.seal(aMessage({ from: 'stranger' }))).toMatchObject(refusal)
  })
})

describe('signatures where there are keys', () => {
  it('let strangers in unsigned, but nobody whose key is known', async () => {
    const guards = guardsWith({ signing: 'sign' })
    expect(await open(guards, aMessage({ from: 'stranger' }))).toMatchObject({ outcome: 'opened' })
    expect(codeOf(await open(guards, aMessage()))).toBe('UNSIGNED')
    expect(await open(guards, await seal(guards))).toMatchObject({ outcome: 'opened' })
  })
})

describe('encrypted payloads', () => {
  it('say nothing on disk, and all to their recipient', async () => {
    const guards = guardsWith({ encryption: true, signing: 'require' })
    expect(await guards.admit('coder-1', 'coordinator-main', 0)).toBeUndefined()
    const message = await seal(guards)
    expect(JSON.stringify(message)).not.toContain('Half way')
    expect(message.payload.encrypted).toBe('age')
    const opened = await open(guards, message)
    expect(opened).toMatchObject({ outcome: 'opened', message: { payload: aMessage().payload, sequence: 5 } })
  })

  it('are opened also by those who do not encrypt', async () => {
    const message = await seal(guardsWith({ encryption: true }))
    expect(await open(guardsWith({}), message)).toMatchObject({ message: { payload: aMessage().payload } })
  })

  it('cannot be passed off as one’s own, altered, or read by others', async () => {
    const guards = guardsWith({ encryption: true })
    const message = await seal(guards)
    for (const change of [
      { from: 'coder-2' },
      { msg_id: 'msg_00000000' },
      { payload: { encrypted: 'age', ciphertext: 'x' } },
    ])
      expect(codeOf(await open(guards, { ...message, ...change }))).toBe('NOT_OPENED')
    expect(codeOf(await open(guards, { ...message, to: 'coder-1' }))).toBe('NOT_OPENED')
    expect(codeOf(await open(guards, { ...message, to: 'nobody' }))).toBe('NOT_OPENED')
    const recipient = (await keys.recipientOf('coordinator-main'))!
    for (const text of ['no json', '[]', '{"payload":1}']) {
      const payload = { encrypted: 'age', ciphertext: await age.seal(text, recipient) }
      expect(codeOf(await open(guards, aMessage({ payload })))).toBe('NOT_OPENED')
    }
  })

  it('are not mistaken for refusals, whatever the message says', async () => {
    const guards = guardsWith({ encryption: true })
    const message = await seal(guards, aMessage({ outcome: 'rejected', issues: [] }))
    expect(await open(guards, message)).toMatchObject({ outcome: 'opened' })
  })

  it('need a key of the recipient', async () => {
    const guards = guardsWith({ encryption: true })
    expect(await guards.admit('coder-1', 'stranger', 0)).toMatchObject({ code: 'NO_KEY' })
    expect(await guards.seal(aMessage({ to: 'stranger' }))).toMatchObject({ code: 'NO_KEY' })
  })
})

describe('a sender with a name that is no file name', () => {
  it('stops nobody', async () => {
    const from = 'x'.repeat(300)
    const everything = { signing: 'sign', messagesPerMinute: 2 } as const
    expect(codeOf(await open(guardsWith({ signing: 'require' }), aMessage({ from })))).toBe('UNSIGNED')
    expect(await open(guardsWith(everything), aMessage({ from }))).toMatchObject({ outcome: 'opened' })
    expect(codeOf(await open(guardsWith(everything), aMessage({ from })))).toBe('REPLAYED')
    expect(await open(guardsWith(everything), aMessage({ from: `${from}y` }))).toMatchObject({ outcome: 'opened' })
  })
})

describe('what cannot be judged', () => {
  it('is refused by itself: text that has no bytes, numbers that are none, damaged keys', async () => {
    const guards = guardsWith({ signing: 'sign' })
    for (const text of ['{"message":"\\ud800"}', '{"message":1e999}']) {
      const message = aMessage({ from: 'stranger', payload: JSON.parse(text) })
      expect(codeOf(await open(guards, message))).toBe('UNKNOWN_KEY')
      expect(await guards.seal(aMessage({ payload: message.payload }))).toMatchObject({
        outcome: 'refused',
        code: 'NOT_CANONICAL',
      })
    }
    const message = await seal(guards)
    const path = treePath('keys/public/coder-1.json')
    await tree.remove(path)
    await tree.create(path, Buffer.from('{'))
    const refusal = (await open(guards, message)) as Rejection
    expect([refusal.code, refusal.issues[0]?.slice(0, 42)]).toEqual([
      'UNKNOWN_KEY',
      'It cannot be verified: Not valid JSON, lin',
    ])
  })
})

describe('limited senders', () => {
  it('are refused when sending, and told when to try again', async () => {
    const guards = guardsWith({ messagesPerMinute: 2 })
    const now = clock.now()
    const answers = []
    for (let i = 0; i < 3; i++) answers.push(await guards.admit('coder-1', 'coordinator-main', now))
    expect(answers).toEqual([
      undefined,
      undefined,
      {
        outcome: 'refused',
        code: 'RATE_LIMITED',
        reason: 'coder-1 may send 2 messages a minute and has sent them.',
        hint: 'Try again in 30 s.',
        retryAfterMs: 30_000,
      },
    ])
    expect(await guards.admit('coder-1', 'coordinator-main', now + 30_000)).toBeUndefined()
  })

  it('are refused when receiving, by when their files arrived', async () => {
    const guards = guardsWith({ messagesPerMinute: 2, signing: 'require' })
    const codes = []
    for (const [sequence, arrivedAt] of [
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 60_000],
    ] as const) {
      const message = await seal(guards, aMessage({ sequence }))
      codes.push(codeOf(await open(guards, message, { arrivedAt })))
    }
    expect(codes).toEqual([undefined, undefined, 'RATE_EXCEEDED', undefined])
  })

  it('do not pay for copies and forgeries of their messages', async () => {
    const guards = guardsWith({ messagesPerMinute: 2, signing: 'require' })
    const first = await seal(guards)
    await open(guards, first)
    for (let i = 0; i < 5; i++) await open(guards, first)
    for (let i = 0; i < 5; i++) await open(guards, { ...first, sequence: 100 + i })
    expect(await open(guards, await seal(guards, aMessage({ sequence: 6 })))).toMatchObject({ outcome: 'opened' })
  })

  it('do not pay for a message without a key', async () => {
    const guards = guardsWith({ messagesPerMinute: 1, signing: 'require' })
    await guards.admit('stranger', 'coder-1', 0)
    await keys.generate('stranger')
    expect(await guards.admit('stranger', 'coder-1', 0)).toBeUndefined()
  })
})
