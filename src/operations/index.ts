/** What a user can ask for: the list. Surfaces that load everything at once read it from here. */
import { bench } from './bench.ts'
import type { Operation } from './define.ts'
import { demo } from './demo/demo.ts'
import { doctor } from './doctor.ts'
import { init } from './init.ts'
import { version } from './version.ts'

export const operations: readonly Operation[] = [init, doctor, demo, bench, version]
