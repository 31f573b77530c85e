/** What Dream.OS needs from outside the tree: what renders templates. */
import type { DreamPorts } from '../../protocols/dream-os/index.ts'

export const dreamPorts: DreamPorts = {
  renderer: async () => (await import('../../adapters/templates.ts')).renderTemplate,
}
