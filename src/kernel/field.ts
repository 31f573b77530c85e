/**
 * What one input of an operation is, as plain data. Command-line flags, help, shell completion, tool schemas
 * and the TypeScript type of the input are all made from it, so that they cannot differ.
 */
import { type TreePath, treePath } from './tree-path.ts'

interface Described {
  /** One short sentence for people. */
  readonly help: string
  /** On a command line, a word by its position and not a flag. */
  readonly positional?: boolean
  /** The name of the value in help: `--dir DIRECTORY`. */
  readonly placeholder?: string
  readonly required?: boolean
}

export interface TextField extends Described {
  readonly type: 'text'
  readonly default?: string
  readonly pattern?: RegExp
  /** What `pattern` asks for, in words. */
  readonly expected?: string
  /** In bytes of UTF-8; 1 MiB unless said otherwise. */
  readonly longest?: number
  /** What a shell may offer for it. */
  readonly completes?: 'file' | 'folder'
  /**
   * Where else a long text may come from: standard input (`-`), a file named by another flag (`fileFlag`), with `named` the
   * file whose name the value is, with `at-file` also `@FILE`. The latter only for data, since a text for agents may begin
   * with `@somebody`. Only the command line reads files: a request over a network cannot make us do so.
   */
  readonly longText?: 'standard-input' | 'named' | 'at-file'
  readonly fileFlag?: string
  /** What is read keeps its byte-order mark, since it may be passed on as it is. */
  readonly isExact?: boolean
  /**
   * An older way to name who acts. Without it, the actor of the call is meant; help does not show it, and a name that differs
   * from the one that the call gives is refused.
   */
  readonly isActor?: boolean
  /** With `named`: the input that gets the path of the file, unless that input is given too. */
  readonly pathGoesTo?: string
}

export interface IntegerField extends Described {
  readonly type: 'integer'
  readonly default?: number
  /** The default where the answer is text that a person or an agent reads. A program, which asks for JSON, gets everything. */
  readonly textDefault?: number
  readonly least?: number
  readonly most?: number
}

/** Milliseconds in code; `90`, `90s`, `15m`, `12h`, `7d` in text, where a bare number is seconds unless it `needsUnit`. */
export interface DurationField extends Omit<IntegerField, 'type'> {
  readonly type: 'duration'
  /** For long times, where `7` means days or hours and never seconds: a number alone is refused, but for 0. */
  readonly needsUnit?: boolean
}

export interface FlagField extends Described {
  readonly type: 'flag'
  readonly default?: boolean
}

export interface ChoiceField extends Described {
  readonly type: 'choice'
  readonly choices: readonly string[]
  readonly default?: string
}

/** An object or a list. A text is read as JSON, which is how a command line gives it. */
export interface JsonField extends Described, Pick<TextField, 'longText' | 'fileFlag' | 'longest'> {
  readonly type: 'json'
  readonly default?: never
}

export type JsonInput = string | Readonly<Record<string, unknown>> | readonly unknown[]

export interface ListField extends Described {
  readonly type: 'list'
  readonly of: TextField | IntegerField | ChoiceField
}

export type Field = TextField | IntegerField | DurationField | FlagField | ChoiceField | JsonField | ListField
export type Fields = Readonly<Record<string, Field>>

type ValueOf<F> = F extends { type: 'flag' }
  ? boolean
  : F extends { type: 'integer' | 'duration' }
    ? number
    : F extends { type: 'choice'; choices: readonly (infer Choice)[] }
      ? Choice
      : F extends { type: 'list'; of: infer Item }
        ? readonly ValueOf<Item>[]
        : F extends { type: 'json' }
          ? JsonInput
          : string

/** Fields that always have a value: a flag that is not given is false, a list empty. */
type Present<F> = F extends { required: true } | { default: string | number | boolean } | { type: 'flag' | 'list' }
  ? true
  : false

/** The input that `run` gets, after checking. */
export type InputOf<T extends Fields> = {
  readonly [K in keyof T as Present<T[K]> extends true ? K : never]: ValueOf<T[K]>
} & {
  readonly [K in keyof T as Present<T[K]> extends true ? never : K]?: ValueOf<T[K]>
}

type Options<F extends Field> = Omit<F, 'type' | 'help' | 'choices' | 'of'>

const fieldOf =
  <F extends Field>(type: F['type']) =>
  <const O extends Options<F>>(help: string, options: O = {} as O) =>
    ({ type, help, ...options }) as const

export const text = fieldOf<TextField>('text')
export const integer = fieldOf<IntegerField>('integer')
export const duration = fieldOf<DurationField>('duration')
export const flag = fieldOf<FlagField>('flag')
export const json = fieldOf<JsonField>('json')

export const choice = <const C extends readonly string[], const O extends Options<ChoiceField>>(
  help: string,
  choices: C,
  options: O = {} as O,
) => ({ type: 'choice', help, choices, ...options }) as const

export const list = <const I extends ListField['of'], const O extends Options<ListField>>(
  help: string,
  of: I,
  options: O = {} as O,
) => ({ type: 'list', help, of, ...options }) as const

/** The default of each field. A field without one is left out. */
export const defaultsOf = <const F extends Fields>(fields: F): InputOf<F> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, field]) =>
      'default' in field && field.default !== undefined ? [[key, field.default]] : [],
    ),
  ) as InputOf<F>

/** The keys whose value may be `undefined` become optional ones, which are there or not. */
type WithoutUndefined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K]
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> }

/** A copy without the keys whose value is `undefined`, such as inputs that were not given. */
export function withoutUndefined<T extends object>(values: T): WithoutUndefined<T> {
  const copy = { ...values }
  for (const key in copy) if (copy[key] === undefined) delete copy[key]
  return copy as WithoutUndefined<T>
}

/** Plain names between slashes; none of them leads out of the root, and none is our own folder. */
const inside = /^(?:\.\/)?(?!\.signalbox(?:\/|$))(?!\.\.?(?:\/|$))[\w.+@-]+(?:\/(?!\.\.?(?:\/|$))[\w.+@-]+)*\/?$/

/** A setting that takes a folder inside the root. */
export const rootFolder = <const Default extends string>(help: string, folder: Default) =>
  text(help, { default: folder, longest: 512, pattern: inside, expected: `a folder below the root, such as ${folder}` })

/** Without the `./` before and the `/` behind it. */
export const insideRoot = (written: string): TreePath => treePath(written.replace(/^\.\//, '').replace(/\/$/, ''))

/** A setting that takes a full path: which directory a command is started in must not decide whose file is read. */
export const fullPath = <const C extends 'file' | 'folder'>(help: string, completes: C) =>
  text(help, {
    placeholder: completes === 'file' ? 'FILE' : 'DIR',
    longest: 4096,
    pattern: /^\//,
    expected: 'a full path, such as /home/ada/secret',
    completes,
  })
