/** The tables of `test/golden/shared-agent/phrasings`, and their slots filled with something else. */
import { readFileSync } from 'node:fs'
import type { TranslatorContext } from '../../src/protocols/shared-agent/language/translation.ts'

export interface Slot {
  readonly name: string
  readonly said: string
  readonly meant: string
}

export interface Phrasing {
  readonly category: string
  /** With `{name}` where a slot is. */
  readonly sentence: string
  readonly slots: readonly Slot[]
  /** The command, or what a `yes` would run; `undefined` when nothing would. */
  readonly command: string | undefined
  /** Why it is asked back; `undefined` when it is not. */
  readonly asked: string | undefined
}

const folder = new URL('../golden/shared-agent/phrasings/', import.meta.url)

export function phrasingsIn(file: 'worked-with' | 'left-alone'): readonly Phrasing[] {
  let category = ''
  return readFileSync(new URL(`${file}.txt`, folder), 'utf8')
    .split('\n')
    .flatMap((line): Phrasing[] => {
      if (line.startsWith('## ')) category = line.slice(3)
      const [said, means] = line.split(' => ')
      if (said === undefined || means === undefined || line.startsWith('#')) return []
      return [phrasingOf(category, said, means)]
    })
}

function phrasingOf(category: string, said: string, means: string): Phrasing {
  const slots: Slot[] = []
  const sentence = said.replace(
    /\{(\w+)=([^{}>]*)(?:>([^{}]*))?\}/g,
    (_, name: string, words: string, meant?: string) => {
      slots.push({ name, said: words, meant: meant ?? words })
      return `{${name}}`
    },
  )
  const [, asked, command] = /^\? (\w+)(?: (.+))?$/.exec(means) ?? [undefined, undefined, means]
  return { category, sentence, slots, command, asked }
}

export const saidIn = ({ sentence, slots }: Phrasing): string =>
  slots.reduce((text, { name, said }) => text.replace(`{${name}}`, () => said), sentence)

export const meantBy = ({ command, slots }: Phrasing): string | undefined =>
  command && slots.reduce((text, { name, meant }) => text.replaceAll(`{${name}}`, () => meant), command)

/** The session in which all of them are said. */
export const around: Partial<TranslatorContext> = {
  agents: ['DevAgent', 'TestAgent', 'DocAgent', 'ReviewAgent', 'OpsAgent', 'gemini', 'coder-1'],
  keys: ['branch'],
  checkpoints: [
    { id: 'cp_001', name: 'before_refactor' },
    { id: 'cp_002', name: 'pre_deploy' },
  ],
  tasks: [
    { id: 'task_id_001', agent: 'DevAgent', task: 'implement_auth' },
    { id: 'task_id_002', agent: 'TestAgent', task: 'test_auth' },
  ],
}

const others: Readonly<Record<string, readonly (readonly [said: string, meant: string])[]>> = {
  agent: [
    ['OpsAgent', 'OpsAgent'],
    ['reviewagent', 'ReviewAgent'],
    ['GEMINI', 'gemini'],
    ['coder-1', 'coder-1'],
    ['doc agent', 'DocAgent'],
  ],
  key: [
    ['nightly_flag', 'nightly_flag'],
    ['zone7', 'zone7'],
    ['X', 'X'],
    ['owner_of_release', 'owner_of_release'],
  ],
  path: [
    ['lib/io/reader.py', 'lib/io/reader.py'],
    ['./out/run-3.ctx', './out/run-3.ctx'],
    ['Makefile.am', 'Makefile.am'],
  ],
  time: [
    ['45 seconds', '45'],
    ['twenty minutes', '1200'],
    ['three hours', '10800'],
    ['2m', '120'],
    ['an hour and a half', '5400'],
  ],
  checkpoint: [
    ['cp_017', 'cp_017'],
    ['cp_002', 'cp_002'],
    ['before_refactor', 'before_refactor'],
  ],
}

/** The same phrasing with every slot filled otherwise, in several ways; those of the next one begin elsewhere. */
export function refilled(phrasing: Phrasing): readonly Phrasing[] {
  const ways = phrasing.slots.length === 0 ? 0 : 3
  const first = phrasing.sentence.length
  return Array.from({ length: ways }, (_, n) => ({
    ...phrasing,
    slots: phrasing.slots.map(({ name }, at) => {
      const some = others[name.replace(/\d+$/, '')]!
      const [said, meant] = some[(first + n + at) % some.length]!
      return { name, said, meant }
    }),
  }))
}
