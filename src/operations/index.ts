/** What a user can ask for: the list. Surfaces that load everything at once read it from here. */
import { archive } from './acmq/archive.ts'
import { claim } from './acmq/claim.ts'
import { complete } from './acmq/complete.ts'
import { createMission } from './acmq/create-mission.ts'
import { fail } from './acmq/fail.ts'
import { findStalled } from './acmq/find-stalled.ts'
import { graph } from './acmq/graph.ts'
import { hydrate } from './acmq/hydrate.ts'
import { list } from './acmq/list.ts'
import { milestone } from './acmq/milestone.ts'
import { missions } from './acmq/missions.ts'
import { reconcile } from './acmq/reconcile.ts'
import { renew } from './acmq/renew.ts'
import { retry } from './acmq/retry.ts'
import { send } from './acmq/send.ts'
import { show } from './acmq/show.ts'
import { status } from './acmq/status.ts'
import { supervise } from './acmq/supervise.ts'
import { bench } from './bench.ts'
import type { Operation } from './define.ts'
import { demo } from './demo/demo.ts'
import { doctor } from './doctor.ts'
import { humanAnswer, humanApprove, humanDeny, humanList } from './human.ts'
import { init } from './init.ts'
import { mrAck } from './mr/ack.ts'
import { mrAwait } from './mr/await.ts'
import { mrBroadcast } from './mr/broadcast.ts'
import { mrInit } from './mr/init.ts'
import { mrEvicted, mrRejected, mrTaken } from './mr/kept.ts'
import { mrKeys } from './mr/keys.ts'
import { mrMetrics } from './mr/metrics.ts'
import { mrReceive } from './mr/receive.ts'
import { mrRecover } from './mr/recover.ts'
import { mrSend } from './mr/send.ts'
import { mrStatus } from './mr/status.ts'
import { mrUnacked } from './mr/unacked.ts'
import { mrValidate } from './mr/validate.ts'
import { exportWorkspace, importWorkspace } from './transfer/import.ts'
import { mirror } from './transfer/mirror.ts'
import { version } from './version.ts'

/** Those of AC-MQ, in the order in which one meets them. */
export const acmqOperations: readonly Operation[] = [
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
  milestone,
  findStalled,
  supervise,
  reconcile,
  archive,
  hydrate,
  graph,
]

/** Those of Message Routing. */
export const mrOperations: readonly Operation[] = [
  mrInit,
  mrSend,
  mrReceive,
  mrAck,
  mrUnacked,
  mrBroadcast,
  mrAwait,
  mrValidate,
  mrStatus,
  mrMetrics,
  mrTaken,
  mrEvicted,
  mrRejected,
  mrRecover,
  mrKeys,
]

/** What waits for a person, of whatever protocol. */
export const humanOperations: readonly Operation[] = [humanList, humanApprove, humanDeny, humanAnswer]

export const operations: readonly Operation[] = [
  init,
  ...acmqOperations,
  ...mrOperations,
  ...humanOperations,
  doctor,
  mirror,
  importWorkspace,
  exportWorkspace,
  demo,
  bench,
  version,
]
