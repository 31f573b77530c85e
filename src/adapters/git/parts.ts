/** What the parts of this adapter work with. */
import type { PlainFiles, RawPath } from '../../kernel/plain-files.ts'
import type { RepositoryPlace } from './locate.ts'
import type { Git } from './run.ts'

export interface Parts {
  readonly files: PlainFiles
  readonly place: RepositoryPlace
  /** git with the user's index, configuration and branches. */
  readonly user: Git
  /** git with none of the user's settings, only the files and the objects: see `private-dir.ts`. */
  readonly own: Git
  /** Our own folder. */
  readonly home: RawPath
  /** Names this work tree. */
  readonly id: string
}
