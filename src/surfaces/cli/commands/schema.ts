import { schema } from '../../../operations/schema.ts'
import { commandFace } from '../command.ts'

/** JSON Schema is for programs, so text is the same, made readable. */
export const schemaFace = commandFace(schema, ({ operations }) => `${JSON.stringify(operations, undefined, 2)}\n`)
