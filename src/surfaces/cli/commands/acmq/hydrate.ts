import { hydrate } from '../../../../operations/acmq/hydrate.ts'
import { commandFace } from '../../command.ts'
import { hydrationText, leftOutLines } from './hydration-text.ts'

export const hydrateFace = commandFace(hydrate, hydrationText, { aside: leftOutLines })
