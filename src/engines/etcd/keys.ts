/**
 * Where things are in etcd. One folder is one range of keys, so that it can be listed and watched by itself:
 *
 *   sbx/TENANT/FOLDER NUL NAME          a leaf
 *   sbx/TENANT/FOLDER NUL NAME/         a folder in it
 *   sbx/TENANT/FOLDER NUL /             the folder's stamp: when it last changed, and by which operation
 *   sbx/TENANT/PATH NUL log NUL         the bytes of a leaf before the first line was appended to it
 *   sbx/TENANT/PATH NUL log NUL ID      one line, by the id of the operation that appended it, after a growing number
 *   sbx/TENANT/HOME/labels NUL FOLDER NUL LABEL NUL NAME   the label of a leaf in the folder
 *
 * No name contains a slash or a NUL, so no two of these can be the same key. What the engine keeps for itself lies
 * in its own folder of the workspace (HOME), where no caller can write: labels, leases, turns and revoked operations.
 */
import { nameOf, parentOf, type TreePath } from '../../kernel/tree-path.ts'
import { engineHome, isReserved } from '../../tree/home.ts'
import type { Labelled } from '../../tree/tree.ts'

declare const brand: unique symbol
/** A key as text. etcd and its gateway take bytes in base64: see `wire`. */
export type Key = string & { readonly [brand]: 'Key' }

/** From `from` up to but not including `to`. */
export interface KeyRange {
  readonly from: Key
  readonly to: Key
}

/** What one key in the range of a folder stands for. */
type InFolder = { readonly kind: 'leaf' | 'folder'; readonly name: string } | { readonly kind: 'stamp' }

export class Keys {
  /** All keys of the tenant begin with this; roles in etcd are given for it. */
  readonly prefix: string

  constructor(tenant: string) {
    this.prefix = `sbx/${tenant}/`
  }

  leaf(path: TreePath): Key {
    return this.#key(`${parentOf(path)}\0${nameOf(path)}`)
  }

  folder(path: TreePath): Key {
    return this.#key(`${parentOf(path)}\0${nameOf(path)}/`)
  }

  stamp(folder: TreePath): Key {
    return this.#key(`${folder}\0/`)
  }

  /** Everything directly in a folder. */
  inFolder(folder: TreePath): KeyRange {
    return this.#range(folder)
  }

  /** The bytes of a leaf before its first line. Exists exactly as long as the leaf is a log. */
  logStart(path: TreePath): Key {
    return this.#key(`${path}\0log\0`)
  }

  /** `revision`: grows with every line of one transaction, which all get the same revision from etcd. */
  line(path: TreePath, revision: number, operation: string): Key {
    return this.#key(`${path}\0log\0${revision}-${operation}`)
  }

  /** The start of a log and all its lines. */
  log(path: TreePath): KeyRange {
    return this.#range(`${path}\0log`)
  }

  /** In JSON, so that texts that are not well-formed Unicode stay different, too. */
  lease(resource: string): Key {
    return this.#key(`${engineHome}/leases\0${JSON.stringify(resource)}`)
  }

  /** Exists as long as the holder with this fence is the newest one. */
  holder(resource: string, fence: number): Key {
    return this.#key(`${engineHome}/holders\0${JSON.stringify(resource)}\0${fence}`)
  }

  leases(): KeyRange {
    return this.#range(`${engineHome}/leases`)
  }

  /** The key of one process that waits for a turn or has it. */
  turn(name: string, operation: string): Key {
    return this.#key(`${engineHome}/turns\0${JSON.stringify(name)}\0${operation}`)
  }

  /** The keys of all processes that wait for a turn or have it. */
  turns(name: string): KeyRange {
    return this.#range(`${engineHome}/turns\0${JSON.stringify(name)}`)
  }

  label(folder: TreePath, label: string, name: string): Key {
    return this.#key(`${engineHome}/labels\0${folder}\0${label}\0${name}`)
  }

  /** The labels of one folder with this beginning. */
  labels(folder: TreePath, beginning = ''): KeyRange {
    const from = `${engineHome}/labels\0${folder}\0${beginning}`
    return { from: this.#key(from), to: this.#key(`${from}\u{10ffff}`) }
  }

  readLabel(folder: TreePath, key: Key): Labelled {
    const start = this.labels(folder).from.length
    const end = key.lastIndexOf('\0')
    return { label: key.slice(start, end), name: key.slice(end + 1) }
  }

  revoked(operation: string): Key {
    return this.#key(`${engineHome}/revoked\0${operation}`)
  }

  isRevocation(key: Key): boolean {
    return key.startsWith(this.revoked(''))
  }

  isStamp(key: Key): boolean {
    return key.endsWith('\0/')
  }

  /** The folder that lists this key, or has it for a stamp; `undefined` for lines of logs and the engine's own keys. */
  folderOf(key: Key): TreePath | undefined {
    const [folder = '', ...names] = key.slice(this.prefix.length).split('\0')
    return names.length === 1 && !isReserved(folder as TreePath) ? (folder as TreePath) : undefined
  }

  everything(): KeyRange {
    return { from: this.prefix as Key, to: `${this.prefix.slice(0, -1)}0` as Key }
  }

  /** The path of the leaf that a key belongs to, be it the leaf's own or one of its log. */
  pathFrom(key: Key): string {
    const [folder = '', name = ''] = key.slice(this.prefix.length).split('\0')
    return key.includes('\0log\0') || folder === '' ? folder || name : `${folder}/${name}`
  }

  readInFolder(folder: TreePath, key: Key): InFolder {
    const name = key.slice(this.prefix.length + folder.length + 1)
    if (name === '/') return { kind: 'stamp' }
    return name.endsWith('/') ? { kind: 'folder', name: name.slice(0, -1) } : { kind: 'leaf', name }
  }

  #key(rest: string): Key {
    return (this.prefix + rest) as Key
  }

  /** All keys that begin with this and a NUL. */
  #range(before: string): KeyRange {
    return { from: this.#key(`${before}\0`), to: this.#key(`${before}\x01`) }
  }
}

/** In base64, as the gateway takes it. */
export const wire = (text: string): string => Buffer.from(text, 'utf8').toString('base64')
export const fromWire = (text: string): Key => Buffer.from(text, 'base64').toString('utf8') as Key
