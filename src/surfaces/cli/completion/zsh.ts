import type { Commands, FlagDescription } from './describe.ts'

export function zshScript({ program, places, globals, withValue, executables }: Commands): string {
  const names = [program, ...executables].join(' ')
  return `#compdef ${names}
# ${program} completion for zsh. Made by: ${program} completion zsh
_${program}() {
  local place='' word i
  local -a commands options
  ${executables.map((name) => `[[ \${words[1]:t} == ${name} ]] && place=${name}`).join('\n  ') || ':'}
  for ((i = 2; i < CURRENT; i++)); do
    word=$words[i]
    case $word in
      ${withValue.map(quote).join('|')}) ((i++)) ;;
      -*) ;;
      *) case "\${place:+$place }$word" in
        ${places
          .filter(({ path }) => path !== '')
          .map(({ path }) => quote(path))
          .join('|')}) place="\${place:+$place }$word" ;;
      esac ;;
    esac
  done
  options=(
${globals.map(optionSpec).join('')}  )
  case $place in
${places
  .map(
    ({ path, next, flags, takesFiles }) => `    ${quote(path)})
      commands=(${next.map(({ word, help }) => quote(`${word.replaceAll(':', '\\:')}:${help}`)).join(' ')})
      options+=(
${flags.map(optionSpec).join('')}      )
${takesFiles ? '      [[ $PREFIX == -* ]] || _files\n' : ''}      ;;
`,
  )
  .join('')}  esac
  case $words[CURRENT-1] in
${[...globals, ...places.flatMap((place) => place.flags)].flatMap(valueCase).join('')}  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options
  elif ((\${#commands})); then _describe command commands
  fi
}
if [[ $funcstack[1] == _${program} ]]; then _${program} "$@"; else compdef _${program} ${names}; fi
`
}

const optionSpec = ({ word, help }: FlagDescription) => `    ${quote(`${word}:${help}`)}\n`

function valueCase({ word, value }: FlagDescription): string[] {
  if (value === 'none') return []
  const known = { any: '_message value', file: '_files', folder: '_files -/' }
  return [
    `    ${word}) ${typeof value === 'string' ? known[value] : `compadd -- ${value.map(quote).join(' ')}`}; return ;;\n`,
  ]
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
