/** The processes of this machine, for every engine. Loaded when one is asked for, which few commands do. */
import type { Processes } from '../tree/tree.ts'
import type { Holders } from './file-system/holder.ts'

let loading: Promise<Holders> | undefined

const holders = (): Promise<Holders> => (loading ??= load())

async function load(): Promise<Holders> {
  const [{ Holders }, { realDisk }] = await Promise.all([
    import('./file-system/holder.ts'),
    import('./file-system/disk.ts'),
  ])
  return new Holders(realDisk())
}

export const processes: Processes = {
  nameOf: async (pid) => (await holders()).nameOf(pid),
  lifeOf: async (name) => (await holders()).lifeOf(name),
}
