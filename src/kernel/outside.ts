import type { PlainFiles } from './plain-files.ts'

/**
 * What a command may ask of the world outside the tree: where it runs, and files that a person names.
 * `main.ts` fills it in with the file engine's; no other code touches a disk. Paths are those of the system.
 */
export interface Outside {
  /** The directory the command was started in. */
  currentFolder(): string
  /** An absolute, tidy path; a relative one starts at `from`. */
  resolve(from: string, path: string): string
  /** What is there, links followed; `undefined` when nothing is, or when we may not look. */
  kindOf(path: string): 'file' | 'folder' | 'other' | undefined
  /** True when this user may list the folder and reach what is in it. */
  mayRead(folder: string): boolean
  /** False when it belongs to another user, other than root. */
  isTrusted(path: string): boolean
  /** False when users other than its owner may read, write or enter it. What is not there is private. */
  isPrivate(path: string): boolean
  /** Names in a folder, sorted. */
  namesIn(folder: string): string[]
  /** The whole file as UTF-8, or `undefined` when there is none. Throws when it is longer than `atMost` bytes. */
  readText(path: string, atMost: number): string | undefined
  /** The whole file as bytes, or `undefined` when there is none. Throws when it is longer than `atMost` bytes. */
  readBytes(path: string, atMost: number): Uint8Array | undefined
  /**
   * A file of settings, and what tells whether to trust it; `undefined` when there is none. Never waits for the other end of a
   * pipe. Without `links`, a link is reported and not followed. Throws when it is longer than `atMost` bytes.
   */
  readSettings(path: string, options: { readonly atMost: number; readonly links: boolean }): SettingsFound | undefined
  /** Without any links on the way; as it is where nothing is there. */
  realPath(path: string): string
  /** Standard input to its end, as UTF-8. Throws when it is longer than `atMost` bytes. */
  readStandardInput(atMost: number): string
  /** Makes a new empty folder among the temporary files of the system. */
  makeTemporaryFolder(prefix: string): string
  /** Files by their path, for adapters that work on a directory beside the tree. Loaded when it is asked for. */
  plainFiles(): Promise<PlainFiles>
}

export type SettingsFound =
  | {
      readonly kind: 'file'
      readonly text: string
      /** It belongs to this user, or to root. */
      readonly isOwn: boolean
      /** Users other than its owner may write to it. */
      readonly mayOthersWrite: boolean
      /** How many names the file has. With more than one it may also be a file somewhere else. */
      readonly names: number
    }
  | { readonly kind: 'link' | 'other' }

/** Running a program outside: what is asked, and how it ended. An adapter does it. */
export interface ProgramRun {
  /** Its name and its arguments. */
  readonly program: readonly string[]
  /** For its standard input. */
  readonly input: string
  /** The directory it works in. */
  readonly folder: string
  readonly timeMs: number
  /** Of what it prints; the rest is dropped. */
  readonly mostBytes: number
  readonly signal?: AbortSignal
}

interface Printed {
  readonly output: string
  readonly errors: string
  readonly isCut: boolean
}

export type ProgramEnd =
  | ({ readonly outcome: 'ended'; readonly status: number; readonly killedBy?: string } & Printed)
  | ({ readonly outcome: 'timeout' | 'stopped' } & Printed)
  | { readonly outcome: 'not-started'; readonly reason: string }

export type RunProgram = (run: ProgramRun) => Promise<ProgramEnd>
