/**
 * Writes `src/protocols/message-routing/validate.generated.ts`: the schema of Message Routing and its table of payloads
 * as plain code. So no schema is interpreted when a message is read, and no schema library is loaded.
 *
 *   node scripts/validator.mjs           writes the file
 *
 * It knows only the keywords of `Schema` in `schema.ts`, and refuses others. A test compares its output with that of a full
 * validator (ajv), and another fails when the file must be written again.
 */
import { writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { bundlePrograms } from './build.mjs'
import { formatted } from './generated.mjs'
import { inRoot, isMain, run, setup } from './setup.mjs'

const folder = 'src/protocols/message-routing'
export const generatedFile = `${folder}/validate.generated.ts`

const known = new Set('type description required properties items enum pattern format minimum maximum'.split(' '))

/** The source text, not yet formatted. */
export function printValidator(messageSchema, payloadSchemas) {
  const constants = new Constants()
  const message = printFunction('checkMessage', '', messageSchema, constants)
  const payloads = Object.entries(payloadSchemas).map(([type, schema]) => {
    return printFunction(functionOf(type), 'payload', schema, constants)
  })
  const table = Object.keys(payloadSchemas).map((type) => `'${type}': ${functionOf(type)},`)
  return `// Written by scripts/validator.mjs from schema.ts. Do not edit: change schema.ts and run it again.
import { parseDateTime } from '../../formats/date-time.ts'
import { type FieldProblem, missing, wrong } from './problem.ts'
import type { MessageType } from './schema.ts'

type Check = (value: unknown, problems: FieldProblem[]) => void

${constants.print()}

const isObject = (value: unknown): value is { readonly [field: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What the schema of all messages has against a value. */
export ${message}

${payloads.join('\n\n')}

/** What the table of payloads has against one, by the type of its message. */
export const checkPayload: Readonly<Record<MessageType, Check>> = {
${table.join('\n')}
}
`
}

/** Patterns and lists of words, each written once, however often they are used. */
class Constants {
  #names = new Map()

  pattern(source) {
    return this.#name(`/${source}/u`, 'pattern')
  }

  words(text) {
    return this.#name(text.includes("'") ? JSON.stringify(text) : `'${text}'`, 'words')
  }

  print() {
    return [...this.#names].map(([source, name]) => `const ${name} = ${source}`).join('\n')
  }

  #name(source, kind) {
    if (!this.#names.has(source)) this.#names.set(source, `${kind}${this.#names.size + 1}`)
    return this.#names.get(source)
  }
}

function printFunction(name, place, schema, constants) {
  const variables = { count: 0 }
  const body = checkValue({ value: 'value', place: `'${place}'`, schema, constants, variables })
  return `function ${name}(value: unknown, problems: FieldProblem[]): void {\n${body}\n}`
}

/** `value` and `place` are source code: for the value to check, and for the name under which it is reported. */
function checkValue({ value, place, schema, constants, variables }) {
  const strange = Object.keys(schema).filter((keyword) => !known.has(keyword))
  if (strange.length > 0) throw new Error(`The generator does not know ${strange.join(', ')}`)
  const report = `problems.push(wrong(${place}, ${constants.words(schema.description)}, ${value}))`
  const inside = [
    ...(schema.items ? [checkItems({ value, place, schema, constants, variables })] : []),
    ...Object.entries(schema.properties ?? {}).map(([field, property]) => {
      const isRequired = schema.required?.includes(field) === true
      return checkProperty({ value, place, field, property, isRequired, constants, variables })
    }),
  ]
  const check = `if (${failing(value, schema, constants)}) ${report}`
  return inside.length === 0 ? check : `${check}\nelse {\n${inside.join('\n')}\n}`
}

function checkItems({ value, place, schema, constants, variables }) {
  const item = `item${++variables.count}`
  const index = `i${variables.count}`
  const inner = {
    value: item,
    place: `\`${place.slice(1, -1)}[\${${index}}]\``,
    schema: schema.items,
    constants,
    variables,
  }
  return `for (const [${index}, ${item}] of ${value}.entries()) {\n${checkValue(inner)}\n}`
}

function checkProperty({ value, place, field, property, isRequired, constants, variables }) {
  const found = `field${++variables.count}`
  const path = place === "''" ? `'${field}'` : `'${place.slice(1, -1)}.${field}'`
  const check = checkValue({ value: found, place: path, schema: property, constants, variables })
  const start = `const ${found} = ${value}.${field}`
  if (isRequired) {
    const report = `problems.push(missing(${path}, ${constants.words(property.description)}))`
    return `${start}\nif (${found} === undefined) ${report}\nelse ${check}`
  }
  // The specification's table of optional fields gives `null` as the default of this one.
  const isThere = field === 'correlation_id' ? `${found} !== undefined && ${found} !== null` : `${found} !== undefined`
  return `${start}\nif (${isThere}) {\n${check}\n}`
}

/** The source of a condition that is true if the value itself is wrong, without regard to what it contains. */
function failing(value, schema, constants) {
  const { type, pattern, format, minimum, maximum } = schema
  if (type === 'object') return `!isObject(${value})`
  if (type === 'array') return `!Array.isArray(${value})`
  if (schema.enum) return schema.enum.map((word) => `${value} !== '${word}'`).join(' && ')
  return [
    `typeof ${value} !== '${type === 'integer' ? 'number' : type}'`,
    ...(type === 'integer' ? [`!Number.isInteger(${value})`] : []),
    ...(minimum === undefined ? [] : [`${value} < ${minimum}`]),
    ...(maximum === undefined ? [] : [`${value} > ${maximum}`]),
    ...(pattern === undefined ? [] : [`!${constants.pattern(pattern)}.test(${value})`]),
    ...(format === undefined ? [] : [`parseDateTime(${value}) === undefined`]),
  ].join(' || ')
}

const functionOf = (type) => `check${type.replace(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase())}`

/** The file as it should be now. */
export async function currentValidator() {
  await bundlePrograms({ 'mr-schema': inRoot(folder, 'schema.ts') }, inRoot('build/scripts'))
  const { messageSchema, payloadSchemas } = await import(pathToFileURL(inRoot('build/scripts/mr-schema.mjs')).href)
  return formatted(printValidator(messageSchema, payloadSchemas), generatedFile)
}

if (isMain(import.meta.url)) {
  await run(async () => {
    setup()
    writeFileSync(inRoot(generatedFile), await currentValidator())
  })
}
