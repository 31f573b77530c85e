/** Other queues on the same work as ours, on Node, since they run there. Only with `--peers`. */
import { compare, median } from '../measure.ts'
import type { Place } from '../places.ts'
import type { Figure, Section } from '../section.ts'
import { cacheFolder } from './cache.ts'
import { Contest, type PeerSamples, type Step, stepNames } from './contest.ts'
import { peerGoals } from './goals.ts'
import { installPackages, pinnedVersion } from './install.ts'
import { ours, type Peer, peers, serverStarts } from './peers.ts'
import { getReady, noteOf } from './ready.ts'

export const neighbours: Section = {
  title: 'Neighbours: other queues on the same work, with messages of 1 KB',

  async run(places, { isQuick, withPeers }) {
    if (!withPeers) return { figures: [], notes: ['Left out: npm run bench -- --peers installs and measures them.'] }
    if (process.versions.bun !== undefined)
      return { figures: [], notes: ['Left out on Bun: neighbours run on Node, and ours beside them.'] }
    const place = places.disk
    if (!place) return { figures: [], notes: ['Left out: there is no disk to write to, only memory.'] }
    return measure(place, isQuick)
  },
}

async function measure(place: Place, isQuick: boolean) {
  const { ready, missing, servers } = await getReady([ours.process, ours.batch, ...peers], {
    install: installPackages,
    serve: (server) => serverStarts[server](place),
    folder: (name) => place.folder(name),
  })
  const notes = [...missing.map(noteOf), `Installed in ${cacheFolder()}.`]
  if (ready.every(({ peer }) => peer.packages === undefined)) return { figures: [], notes }
  const contest = new Contest(ready)
  try {
    await contest.run(isQuick ? 3 : 5, ({ isDurable }) => (isDurable ? 256 : 512))
    await contest.pickUp(isQuick ? 20 : 60)
  } finally {
    contest.end()
    await Promise.all(servers.map((server) => server.stop()))
  }
  const { samples, failed } = contest
  const packages = [...new Set(ready.flatMap(({ peer }) => peer.packages ?? []))].map(pinnedVersion)
  const polling = peers.filter((peer) => peer.polls && samples.has(peer)).map(({ name }) => name)
  return {
    figures: peers.flatMap((peer) => figuresOf(peer, samples)),
    notes: [
      `On ${place.fileSystem}, in Node; ratios of speed, for a pick-up of time. Versions: ${[...packages, ...servers.map(({ name }) => name)].join(', ')}.`,
      ...pickUpNotes(samples),
      ...(polling.length > 0 ? [`No pick-up: ${polling.join(', ')} look for work only now and then.`] : []),
      ...failed.map(noteOf),
      ...notes,
    ],
  }
}

function figuresOf(peer: Peer, samples: ReadonlyMap<Peer, PeerSamples>): Figure[] {
  const theirs = samples.get(peer)
  const our = samples.get(peer.isDurable ? ours.batch : ours.process)
  if (!theirs || !our) return []
  const name = (step: string) => (peer.isDurable ? `${step}, batch` : step)
  const steps = (Object.keys(stepNames) as Step[]).map((step) => {
    const goal = peerGoals[peer.name]?.[step]
    return compare({
      name: name(stepNames[step]),
      against: peer.name,
      ours: our[step],
      theirs: theirs[step],
      unit: 'µs a message',
      ratio: 'speed',
      ...(goal ? { goal } : {}),
    })
  })
  if (peer.polls) return steps
  const pickUps = { ours: our.pickUp, theirs: theirs.pickUp, unit: 'ms', ratio: 'cost' } as const
  return [...steps, compare({ name: name('idle pick-up'), against: peer.name, ...pickUps })]
}

const pickUpNotes = (samples: ReadonlyMap<Peer, PeerSamples>): string[] => {
  const known = [...samples].filter(([, { pickUp }]) => pickUp.length > 0)
  const texts = known.map(([{ name }, { pickUp }]) => `${name} ${median(pickUp).toFixed(2)}`)
  return texts.length > 0 ? [`Idle pick-up p50, ms: ${texts.join('; ')}.`] : []
}
