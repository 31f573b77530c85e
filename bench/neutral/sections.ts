/** The verbs for every agent, whatever its protocol. */
import type { Section } from '../section.ts'
import { neutralSteps } from './steps.ts'

export const neutralSections: readonly Section[] = [neutralSteps]
