/** Reads answers of the cluster: which count as answers, and errors in words that tell a person what to do. */
import { call } from '../../kernel/call.ts'
import { denied, invalidInput, type SignalboxError, unavailable } from '../../kernel/errors.ts'
import type { Reply } from './transport.ts'

/**
 * - `answer`: as asked.
 * - `unknown`: the request may have had an effect, or may still have one later.
 * - `again`: it had no effect; repeating it in a moment will help.
 * - `login`: it had no effect; the token is missing, old or unknown to this member.
 * - `compacted`: the history that was asked for is not kept any more.
 * - `refused`: it had no effect, and repeating it does not help.
 */
type Judgement =
  | { readonly is: 'answer'; readonly document: unknown }
  | { readonly is: 'unknown' | 'again' | 'login' | 'compacted'; readonly why: string }
  | { readonly is: 'refused'; readonly error: SignalboxError }

/** Codes of gRPC. */
const code = { invalid: 3, denied: 7, exhausted: 8, outOfRange: 11, unauthenticated: 16 }

export function judge({ status, text }: Reply): Judgement {
  const document = parse(text)
  if (document === undefined) return { is: 'unknown', why: `an answer that is no JSON (status ${status})` }
  if (status === 200) return { is: 'answer', document }
  const { error, message, code: number } = document as { error?: unknown; message?: string; code?: number }
  const why = typeof error === 'string' ? error : (message ?? `status ${status}`)
  return judgeRefusal(number, why)
}

export function judgeRefusal(number: number | undefined, why: string): Judgement {
  // Refused before it was proposed to the other members.
  if (/proposal dropped|no leader|too many requests/.test(why)) return { is: 'again', why }
  if (/auth: (invalid auth token|revision)|invalid auth token|user name is empty/.test(why)) return { is: 'login', why }
  if (/compacted/.test(why)) return { is: 'compacted', why }
  if (number === code.unauthenticated) return { is: 'login', why }
  if (/requested lease not found/.test(why)) return refused(leaseNotFound())
  if (number === code.denied) return refused(notPermitted())
  if (/space exceeded/.test(why)) return refused(full())
  if (/too large|larger than max/.test(why)) return refused(tooLarge())
  if (/authentication failed/.test(why)) return refused(wrongPassword())
  if (number === code.invalid || number === code.outOfRange || number === code.exhausted) {
    return refused(unavailable('ENGINE_REFUSED', `The etcd cluster refused a request: ${why}.`, { hint: doctorHint }))
  }
  return { is: 'unknown', why }
}

const refused = (error: SignalboxError): Judgement => ({ is: 'refused', error })
const doctorHint = `Run ${call('doctor')}, and compare the version of etcd with docs/guide/cluster.md.`

/** Never shown to people: the code that uses a lease takes another one. */
export const leaseGone = 'LEASE_GONE'
const leaseNotFound = () =>
  unavailable(leaseGone, 'A lease of the etcd cluster has run out.', { hint: 'Repeat the command.' })

const notPermitted = () =>
  denied('PERMISSION_DENIED', 'The etcd user may not do this.', {
    hint: 'Give its role readwrite on the prefix sbx/TENANT/: see docs/guide/cluster.md.',
  })

const full = () =>
  unavailable('CLUSTER_FULL', 'The etcd cluster has used up its quota and takes no writes.', {
    hint: 'Compact and defragment it, raise --quota-backend-bytes, then disarm the alarm: see docs/guide/cluster.md.',
  })

const tooLarge = () =>
  invalidInput('BODY_TOO_LARGE', 'The etcd cluster does not take so large a request.', {
    hint: 'Set --max-request-bytes of etcd back to at least its default of 1.5 MB.',
  })

const wrongPassword = () =>
  denied('LOGIN_FAILED', 'The etcd cluster does not accept this user and password.', {
    hint: 'Check the user, and the file with its password, in your own settings or in SIGNALBOX_ETCD_….',
  })

export const loginNeeded = () =>
  denied('LOGIN_NEEDED', 'The etcd cluster asks for a user and a password.', {
    hint: 'Write `user` and `passwordFile` below the address in your own settings, or name it by SIGNALBOX_ENGINE and set SIGNALBOX_ETCD_USER and SIGNALBOX_ETCD_PASSWORD_FILE.',
  })

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // A SyntaxError: the answer comes from something between us and the cluster.
    return undefined
  }
}
