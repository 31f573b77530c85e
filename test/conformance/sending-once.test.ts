import { onEveryEngine } from './every-engine.ts'
import { describeSendingOnce } from './sending-once.ts'

onEveryEngine('sending once', describeSendingOnce)
