/** Message Routing in the workspace that a command works on. */
import type { Routing } from '../../protocols/message-routing/store/routing.ts'
import { tellClock } from '../clock-agreement.ts'
import type { Context } from '../define.ts'
import { type Assembly, assemble } from './assembly.ts'
import { keysFolderFor } from './keys-folder.ts'
import { isGuarded, securitySettings } from './settings.ts'

/**
 * Does something with it, and writes down what was measured. A process may end right after a command, so nothing is
 * left for later.
 */
export async function withRouting<T>(
  context: Context,
  run: (routing: Routing, assembly: Assembly) => Promise<T>,
): Promise<T> {
  const assembly = await openAssembly(context)
  try {
    return await run(assembly.routing, assembly)
  } finally {
    await assembly.flush()
  }
}

/** The same one for as long as the context lives: what it remembers is worth keeping. */
function openAssembly(context: Context): Promise<Assembly> {
  const known = opened.get(context) ?? openNow(context)
  opened.set(context, known)
  return known
}

const opened = new WeakMap<Context, Promise<Assembly>>()

async function openNow(context: Context): Promise<Assembly> {
  const [tree, configuration] = [await context.tree(), await context.configuration()]
  // Only guards judge by time: what counts as a copy, and who sends too fast.
  if (isGuarded(securitySettings(configuration))) await tellClock(context)
  const { clock, openTree } = context
  const keysFolder = () => keysFolderFor(context)
  return assemble({ tree, clock, configuration, openTree, keysFolder })
}
