/** What can be asked of AC-MQ, in the order in which one meets it. */
import type { Operation } from '../define.ts'
import { archive } from './archive.ts'
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
import { reconcile } from './reconcile.ts'
import { renew } from './renew.ts'
import { retry } from './retry.ts'
import { send } from './send.ts'
import { show } from './show.ts'
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
]
