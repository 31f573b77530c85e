/** Tasks that go out as messages of another protocol, in neutral words: whichever it is, it is known by its short name. */
import { notFound } from '../../kernel/errors.ts'
import { isSince, type Neutral, verbOf } from '../../protocols/contract.ts'
import type { SessionPorts } from '../../protocols/shared-agent/index.ts'

export function carrying(
  neutralOf: (name: string) => Promise<Neutral | undefined>,
  noticesAbout: (agent: string) => Promise<unknown> = async () => {},
): Pick<SessionPorts, 'carry' | 'carried' | 'putAway'> {
  const carrier = async (via: string): Promise<Neutral> => {
    const neutral = via === 'session' ? undefined : await neutralOf(via)
    if (neutral) return neutral
    throw notFound('NO_SUCH_PROTOCOL', `No protocol is called ${JSON.stringify(via.slice(0, 40))}.`, {
      hint: 'In .signalbox/session.yaml, `via` is the short name of a protocol, such as mr.',
    })
  }
  return {
    async carry(via, draft, { perhapsSince }) {
      const neutral = await carrier(via)
      if (perhapsSince !== undefined) {
        const { from } = draft
        for await (const { envelope } of neutral.messages({ from, archived: true }))
          if (isSince(Date.parse(envelope.createdAt), { sentAt: perhapsSince })) return envelope.id
      }
      await noticesAbout(draft.to)
      return (await verbOf({ title: via }, neutral, 'send')(draft)).message.id
    },
    carried: async (via, message, sent) => verbOf({ title: via }, await carrier(via), 'outcomeOf')(message, sent),
    async putAway(via, answer, reader) {
      const neutral = await carrier(via)
      const taken = await verbOf({ title: via }, neutral, 'take')(reader, { id: answer })
      // Taken before: then it need only be finished.
      const receipt = taken.outcome === 'taken' ? taken.receipt : { id: answer, agent: reader }
      await verbOf({ title: via }, neutral, 'done')(receipt)
    },
  }
}
