import { describeClaims } from './claims.ts'
import { onEveryEngine } from './every-engine.ts'

onEveryEngine('claims', describeClaims)
