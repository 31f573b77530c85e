/** Everything about AC-MQ, most often done first. */
import type { Section } from '../section.ts'
import { acmqAbsent } from './absent.ts'
import { acmqColdClaim } from './cold-claim.ts'
import { acmqColdSend } from './cold-send.ts'
import { acmqDepth } from './depth.ts'
import { acmqPickUp } from './pick-up.ts'
import { acmqProcesses } from './processes.ts'
import { acmqSteps } from './steps.ts'

export const acmqSections: readonly Section[] = [
  acmqSteps,
  acmqDepth,
  acmqAbsent,
  acmqProcesses,
  acmqPickUp,
  acmqColdClaim,
  acmqColdSend,
]
