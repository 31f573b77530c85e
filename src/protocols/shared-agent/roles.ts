/** Roles and added commands, as `.signalbox/session.yaml` says. */
import type { SignalboxError } from '../../kernel/errors.ts'
import { type CommandSpec, wordsOf } from './commands/spec.ts'

export interface Role {
  readonly name: string
  /** The program and its arguments; never a shell. */
  readonly program?: readonly string[]
  /** Or the protocol that carries its tasks, and to whom. */
  readonly via?: string
  readonly to?: string
  readonly place?: string
  readonly seconds?: number
}

/** What cannot be read, and stops only what needs it. */
export interface Mistake {
  /** Absent: it is in the file as a whole, which may have meant any role and any command that was not found. */
  readonly role?: string
  readonly command?: string
  readonly error: SignalboxError
}

export interface Roles {
  readonly roles: readonly Role[]
  readonly commands: readonly CommandSpec[]
  readonly mistakes: readonly Mistake[]
}

export const noRoles: Roles = { roles: [], commands: [], mistakes: [] }

/** The role of an agent, if it has one. Throws what is wrong with it. */
export function roleOf({ roles, mistakes }: Roles, agent: string): Role | undefined {
  const found = roles.find(({ name }) => name === agent)
  return found ?? orThrow(mistakes.find(({ role, command }) => (role ?? agent) === agent && command === undefined))
}

/** Throws what is wrong with the commands that begin with this word, if the file may have added some. */
export function expectCommand({ commands, mistakes }: Roles, head: string): void {
  const isThere = commands.some((spec) => wordsOf(spec)[0] === head)
  const isMeant = ({ role, command }: Mistake) =>
    command === undefined ? role === undefined && !isThere : wordsOf({ name: command })[0] === head
  orThrow(mistakes.find(isMeant))
}

function orThrow(mistake: Mistake | undefined): undefined {
  if (mistake) throw mistake.error
}
