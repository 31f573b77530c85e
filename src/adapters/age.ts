/**
 * Encryption with age: what is sealed here opens with the `age` program, and the other way round.
 *
 * The package takes longer to load than a whole command does otherwise, so it is loaded when something is sealed,
 * opened or generated, never before. Why age: docs/decisions/0021-encrypted-payloads.md.
 */
import { invalidInput } from '../kernel/errors.ts'

interface AgeKeys {
  /** Secret: `AGE-SECRET-KEY-1…`. */
  readonly identity: string
  /** Public: `age1…`. */
  readonly recipient: string
}

type AgeOpened =
  | { readonly outcome: 'opened'; readonly text: string }
  | { readonly outcome: 'refused'; readonly reason: string }

export const age = {
  async load(): Promise<void> {
    await import('age-encryption')
  },

  async makeKeys(): Promise<AgeKeys> {
    const { generateX25519Identity, identityToRecipient } = await import('age-encryption')
    const identity = await generateX25519Identity()
    return { identity, recipient: await identityToRecipient(identity) }
  },

  async recipientOf(identity: string): Promise<string> {
    const { identityToRecipient } = await import('age-encryption')
    return identityToRecipient(identity)
  },

  /** Armored text, so that it can stand in JSON and be piped into `age --decrypt`. */
  async seal(text: string, recipient: string): Promise<string> {
    const { armor, Encrypter } = await import('age-encryption')
    const encrypter = new Encrypter()
    try {
      encrypter.addRecipient(recipient)
    } catch (cause) {
      throw invalidInput('BAD_RECIPIENT_KEY', `Not a public key of age: ${JSON.stringify(recipient.slice(0, 80))}.`, {
        hint: 'Use the text that begins with age1, as `keys AGENT` shows it.',
        cause,
      })
    }
    return armor.encode(await encrypter.encrypt(text))
  },

  async open(sealed: string, identity: string): Promise<AgeOpened> {
    const { armor, Decrypter } = await import('age-encryption')
    try {
      const decrypter = new Decrypter()
      decrypter.addIdentity(identity)
      return { outcome: 'opened', text: await decrypter.decrypt(armor.decode(sealed), 'text') }
    } catch (error) {
      // Not armored, for another recipient, cut off or changed: in any case it cannot be read.
      return { outcome: 'refused', reason: error instanceof Error ? error.message : String(error) }
    }
  },
}
