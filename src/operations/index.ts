/** What a user can ask for: the list. Surfaces that load everything at once read it from here. */
import { bench } from './bench.ts'
import type { Operation } from './define.ts'
import { demo } from './demo/demo.ts'
import { doctor } from './doctor.ts'
import { humanAnswer, humanApprove, humanDeny, humanList } from './human.ts'
import { init } from './init.ts'
import { protocols } from './protocols.ts'
import { exportWorkspace, importWorkspace } from './transfer/import.ts'
import { mirror } from './transfer/mirror.ts'
import { version } from './version.ts'

const ofProtocols = await Promise.all(protocols.map(({ operations }) => operations()))

/** What waits for a person, of whatever protocol. */
export const humanOperations: readonly Operation[] = [humanList, humanApprove, humanDeny, humanAnswer]

export const operations: readonly Operation[] = [
  init,
  ...ofProtocols.flat(),
  ...humanOperations,
  doctor,
  mirror,
  importWorkspace,
  exportWorkspace,
  demo,
  bench,
  version,
]
