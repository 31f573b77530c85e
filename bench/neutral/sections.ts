/** The verbs for every agent, whatever its protocol. */
import type { Section } from '../section.ts'
import { neutralColdSend } from './cold-send.ts'
import { neutralDepth } from './depth.ts'
import { neutralPickUp } from './pick-up.ts'
import { neutralSteps } from './steps.ts'

export const neutralSections: readonly Section[] = [neutralSteps, neutralColdSend, neutralDepth, neutralPickUp]
