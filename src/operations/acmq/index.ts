/** What can be asked of AC-MQ, in the order in which one meets it. */
import type { Operation } from '../define.ts'
import { archive } from './archive.ts'
import { bus } from './bus.ts'
import { claim } from './claim.ts'
import { hydrate } from './hydrate.ts'
import { findStalled, graph, list, show } from './look.ts'
import { milestone } from './milestone.ts'
import { createMission, missions } from './missions.ts'
import { organize } from './organize.ts'
import { reconcile } from './reconcile.ts'
import { report } from './report.ts'
import { search } from './search.ts'
import { send } from './send.ts'
import { complete, fail, renew, retry } from './settle.ts'
import { snapshot } from './snapshot.ts'
import { status } from './status.ts'
import { supervise } from './supervise.ts'
import { wait } from './wait.ts'

export const operations: readonly Operation[] = [
  createMission,
  missions,
  status,
  send,
  list,
  show,
  claim,
  renew,
  complete,
  fail,
  retry,
  wait,
  milestone,
  findStalled,
  supervise,
  reconcile,
  archive,
  hydrate,
  graph,
  search,
  bus,
  snapshot,
  organize,
  report,
]
