/** What `npm run bench` measures, in this order. */
import { acmqSections } from './acmq/sections.ts'
import { cluster } from './cluster/section.ts'
import { coldStart } from './cold/section.ts'
import { groupCommit } from './durable/section.ts'
import { headerReading } from './header/section.ts'
import { messageRouting } from './mr/section.ts'
import { neighbours } from './peers/section.ts'
import type { Section } from './section.ts'
import { engineSteps } from './steps/section.ts'

export const sections: readonly Section[] = [
  engineSteps,
  groupCommit,
  coldStart,
  headerReading,
  ...acmqSections,
  messageRouting,
  cluster,
  neighbours,
]
