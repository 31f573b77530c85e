/** Commands after which something is not there any more. They run only for somebody who has asked for just that. */
import type { Command } from '../schema.ts'

export const destroys = ({ spec, given }: Pick<Command, 'spec' | 'given'>): boolean =>
  spec.name === 'STATE:clear' || spec.name === 'ROLLBACK' || spec.name === 'CONTEXT:import' || given.force !== undefined
