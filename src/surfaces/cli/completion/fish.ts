import type { Commands, FlagDescription } from './describe.ts'

export function fishScript({ program, places, globals, withValue, executables }: Commands): string {
  const at = `__${program}_at`
  const lines = [
    `# ${program} completion for fish. Made by: ${program} completion fish`,
    `function ${at} --description 'True when the words so far name this command'`,
    '  set -l words (commandline -opc)',
    '  set -l path',
    "  set -l called (string replace -r '.*/' '' -- $words[1])",
    `  contains -- $called ${executables.join(' ') || "''"}; and set path $called`,
    '  set -l skip 0',
    '  for word in $words[2..-1]',
    '    if test $skip = 1',
    '      set skip 0',
    '      continue',
    '    end',
    '    switch $word',
    `      case ${withValue.join(' ')}`,
    '        set skip 1',
    "      case '-*'",
    "      case '*'",
    '        set -l longer (string join " " $path $word)',
    `        contains -- $longer ${places
      .filter(({ path }) => path !== '')
      .map(({ path }) => quote(path))
      .join(' ')}; and set path $path $word`,
    '    end',
    '  end',
    '  test "$path" = "$argv[1]"',
    'end',
  ]
  for (const name of [program, ...executables]) {
    lines.push(`complete -c ${name} -f`)
    for (const { path, next, flags, takesFiles } of places) {
      const here = `complete -c ${name} -n ${quote(`${at} ${quote(path)}`)}`
      for (const { word, help } of next) lines.push(`${here} -a ${quote(word)} -d ${quote(help)}`)
      for (const flag of flags) lines.push(`${here} ${flagPart(flag)}`)
      if (takesFiles) lines.push(`${here} -F`)
    }
    for (const flag of globals) lines.push(`complete -c ${name} ${flagPart(flag)}`)
  }
  return `${lines.join('\n')}\n`
}

function flagPart({ word, help, value }: FlagDescription): string {
  const long = `-l ${word.slice(2)} -d ${quote(help)}`
  if (value === 'none') return long
  if (value === 'any') return `${long} -x`
  if (value === 'file') return `${long} -r -F`
  if (value === 'folder') return `${long} -x -a '(__fish_complete_directories)'`
  return `${long} -x -a ${quote(value.join(' '))}`
}

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
