/** Loads a package from where it was installed, not from where this program lies. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

export async function load<Module>(folder: string, name: string): Promise<Module> {
  const path = createRequire(join(folder, 'package.json')).resolve(name)
  const loaded = await import(pathToFileURL(path).href)
  // A CommonJS module whose names were not recognised has them all in its default.
  return { ...loaded.default, ...loaded }
}
