import { type Commands, type CompletionPlace, type FlagDescription, quote } from './describe.ts'

/** For bash 3.2 and later, without the bash-completion package. */
export function bashScript({ program, places, paths, globals, withValue, executables }: Commands): string {
  const functionName = `_${program}`
  return `# ${program} completion for bash. Made by: ${program} completion bash
${functionName}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous='' path='' word i
  # bash takes --flag=value for three words.
  if [[ $current == '=' ]]; then current=''; previous=\${COMP_WORDS[COMP_CWORD-1]}
  elif [[ \${COMP_WORDS[COMP_CWORD-1]} == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD-2]}
  else previous=\${COMP_WORDS[COMP_CWORD-1]}; fi
  ${executables.map((name) => `[[ \${COMP_WORDS[0]##*/} == ${name} ]] && path='${name}'`).join('\n  ') || ':'}
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      ${withValue.join('|')}) ((i++)); [[ \${COMP_WORDS[i]} == '=' ]] && ((i++)) ;;
      -*) ;;
      *) case "\${path:+$path }$word" in
        ${paths.map(quote).join('|')}) path="\${path:+$path }$word" ;;
      esac ;;
    esac
  done
  COMPREPLY=()
  case "$path:$previous" in
${places.flatMap((place) => place.flags.flatMap((flag) => valueCase(`${quote(place.path)}:${flag.word}`, flag))).join('')}${globals.flatMap((flag) => valueCase(`*:${flag.word}`, flag)).join('')}  esac
  case $path in
${places.map((place) => placeCase(place, globals)).join('')}  esac
}
complete -F ${functionName} ${[program, ...executables].join(' ')}
`
}

function valueCase(pattern: string, { value }: FlagDescription): string[] {
  if (value === 'none') return []
  const answer = {
    any: '',
    file: ` COMPREPLY=($(compgen -f -- "$current"));`,
    folder: ` COMPREPLY=($(compgen -d -- "$current"));`,
  }
  const given =
    typeof value === 'string' ? answer[value] : ` COMPREPLY=($(compgen -W ${quote(value.join(' '))} -- "$current"));`
  return [`    ${pattern})${given} return ;;\n`]
}

function placeCase({ path, next, flags, takesFiles }: CompletionPlace, globals: readonly FlagDescription[]): string {
  const words = next.map(({ word }) => word).join(' ')
  const options = [...flags, ...globals].map(({ word }) => word).join(' ')
  const files = takesFiles ? ` COMPREPLY+=($(compgen -f -- "$current"));` : ''
  return `    ${quote(path)})
      if [[ $current == -* ]]; then COMPREPLY=($(compgen -W ${quote(options)} -- "$current"))
      else COMPREPLY=($(compgen -W ${quote(words)} -- "$current"));${files} fi ;;
`
}
