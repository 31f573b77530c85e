/** The bridge, as far as it concerns one session: what was delegated there, and what was told. */
import { type Bus, findAll } from '../../bridge/bus.ts'
import { CarryNotes } from '../../bridge/carry-notes.ts'
import { Carrier } from '../../bridge/carrying.ts'
import { SignalboxError } from '../../kernel/errors.ts'
import type { SessionPorts } from '../../protocols/shared-agent/index.ts'

type Carry = NonNullable<SessionPorts['carry']>

export async function carryIn(
  bus: Bus,
  session: Parameters<Carry>[0],
  { earlier = [], letGo, ...carrying }: Parameters<Carry>[1],
): Promise<readonly string[]> {
  const handleOf = (id: string) => `session:${session}:${id}`
  for (const { id, agent, via, message, attempts } of earlier) {
    const original = handleOf(id)
    const notes = new CarryNotes(bus.tree)
    if (await notes.of(original)) continue
    // An earlier version has sent it: the bridge has the answer to come back.
    const copy = await handleFound(bus, `${via}:${message}`)
    const receipt = { id: original.slice('session:'.length), agent, place: session, attempt: attempts }
    await notes.begin({ original, digest: original, to: agent, hops: 1, copy, receipt })
  }
  const only = { protocol: 'session', place: session, ...carrying }
  const { settled } = await Carrier.pass(bus, { ...only, ...(letGo === undefined ? {} : { letGo: handleOf(letGo) }) })
  return settled.map(({ from }) => from.slice('session:'.length))
}

/** What is not there any more is told by the bridge. */
async function handleFound(bus: Bus, named: string): Promise<string> {
  try {
    return (await findAll(bus, named))[0].envelope.handle
  } catch (error) {
    if (error instanceof SignalboxError && error.kind === 'NotFound') return named
    throw error
  }
}
