/** Finds methods of a class that only forward: `next(a, b) { return this.#mailboxes.next(a, b) }`. */

/** A method whose body is one line, as the formatter writes it: its name, its parameters, the part it calls and with what. */
const oneCall =
  /^ {2}(?:async )?([#\w]+)(?:<[^\n(]*>)?\(((?:(?!\n {2}\})[\s\S])*?)\)(?:: [^\n]*)? \{\n {4}(?:return )?(?:await )?this(?:\.#?\w+){2,}\(([^()]*)\)\n {2}\}/gm

/** Their names. */
export function forwardingMethods(source: string): string[] {
  return [...source.matchAll(oneCall)].flatMap(([, name, parameters, given]) =>
    namesOf(parameters!) === given!.replace(/\s+/g, '') ? [name!] : [],
  )
}

/** The names of parameters, without types and default values. */
function namesOf(parameters: string): string {
  let depth = 0
  let outer = ''
  for (const sign of parameters.replaceAll('=>', '')) {
    if ('([{<'.includes(sign)) depth++
    if (depth === 0) outer += sign
    if (')]}>'.includes(sign)) depth--
  }
  return outer
    .split(',')
    .map((one) => one.replace(/[?:=][\s\S]*$/, '').trim())
    .filter((name) => name !== '')
    .join(',')
}
