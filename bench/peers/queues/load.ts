/** Loads a package from where it was installed, not from this package. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export async function load<Module>(folder: string, name: string): Promise<Module> {
  const path = createRequire(join(folder, 'package.json')).resolve(name)
  const loaded = await import(pathToFileURL(path).href)
  // If a CommonJS module's exports were not recognised, they are all in its default export.
  return { ...loaded.default, ...loaded }
}
