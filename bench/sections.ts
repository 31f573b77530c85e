/** What `npm run bench` measures, in this order. */
import { acmqSections } from './acmq/sections.ts'
import { circeStory } from './circe/section.ts'
import { cluster } from './cluster/section.ts'
import { coldStart } from './cold/section.ts'
import { dreamOs } from './dream/section.ts'
import { groupCommit } from './durable/section.ts'
import { headerReading } from './header/section.ts'
import { memory } from './memory/section.ts'
import { messageRouting } from './mr/section.ts'
import { neutralSections } from './neutral/sections.ts'
import { neighbours } from './peers/section.ts'
import type { Section } from './section.ts'
import { sessions } from './session/section.ts'
import { engineSteps } from './steps/section.ts'
import { templateRendering } from './templates/section.ts'

export const sections: readonly Section[] = [
  engineSteps,
  groupCommit,
  coldStart,
  headerReading,
  ...acmqSections,
  memory,
  messageRouting,
  circeStory,
  dreamOs,
  templateRendering,
  sessions,
  ...neutralSections,
  cluster,
  neighbours,
]
