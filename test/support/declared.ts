/** Holds an answer to what its operation says that it answers: outcome by outcome, field by field, and no other field. */
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { allOperations } from '../../src/operations/index.ts'
import { outputSchema } from '../../src/operations/json-schema.ts'
import { isGroup } from '../../src/surfaces/cli/command.ts'
import { commandTable } from '../../src/surfaces/cli/command-table.generated.ts'
import { findCommand } from '../../src/surfaces/cli/find-command.ts'

const operations = await allOperations()
const ajv = new Ajv({ strict: false, allErrors: true })
addFormats.default(ajv)
const validators = new Map<string, ValidateFunction>()

/** Throws where a command has answered with an outcome or a field that is not declared, or without one that is. */
export function expectDeclared(words: readonly string[], output: Readonly<Record<string, unknown>>): void {
  if (typeof output?.outcome !== 'string' || words.includes('--help')) return
  const name = nameOf(words)
  const operation = name === undefined ? undefined : operations.get(name)
  if (name === undefined || !operation?.output) return
  const fields = operation.output[output.outcome]
  if (!fields) throw new Error(`${name} answers ${output.outcome}, which it does not declare.`)
  const key = `${name} ${output.outcome}`
  const validate = validators.get(key) ?? ajv.compile(schemaFor(operation, output.outcome))
  validators.set(key, validate)
  if (validate(output)) return
  const wrong = (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  )
  throw new Error(
    `${key} answers what it does not declare:\n${wrong.slice(0, 8).join('\n')}\n${JSON.stringify(output).slice(0, 600)}`,
  )
}

type Declared = Parameters<typeof outputSchema>[0]

/** Of this outcome alone: the errors of all alternatives together tell nothing. */
const schemaFor = (operation: Declared, outcome: string): AnySchema =>
  outputSchema({ ...operation, output: { [outcome]: operation.output![outcome]! } })

function nameOf(words: readonly string[]): string | undefined {
  try {
    const { path, member } = findCommand(words, commandTable, {})
    const alone = isGroup(member) ? member.alone : undefined
    return [...path.slice(1), ...(alone === undefined ? [] : [alone])].join(' ')
  } catch {
    // Words that name no command, as tests of bad input give them.
    return undefined
  }
}
