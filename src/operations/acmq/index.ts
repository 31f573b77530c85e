/** What can be asked of AC-MQ, in the order in which one meets it. */
import type { Operation } from '../define.ts'
import { archive } from './archive.ts'
import { bus } from './bus.ts'
import { claim } from './claim.ts'
import { complete } from './complete.ts'
import { createMission } from './create-mission.ts'
import { fail } from './fail.ts'
import { findStalled } from './find-stalled.ts'
import { graph } from './graph.ts'
import { hydrate } from './hydrate.ts'
import { list } from './list.ts'
import { milestone } from './milestone.ts'
import { missions } from './missions.ts'
import { organize } from './organize.ts'
import { reconcile } from './reconcile.ts'
import { renew } from './renew.ts'
import { report } from './report.ts'
import { retry } from './retry.ts'
import { search } from './search.ts'
import { send } from './send.ts'
import { show } from './show.ts'
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
