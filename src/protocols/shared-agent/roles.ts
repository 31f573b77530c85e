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

/** A mistake in the file, which disables only the role or command that it is in. */
export interface Mistake {
  /** Without a role and a command, the mistake is in the whole file, which may have had any of them. */
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

/** The role of an agent, if it has one. Throws if the file has a mistake in it. */
export function roleOf({ roles, mistakes }: Roles, agent: string): Role | undefined {
  const found = roles.find(({ name }) => name === agent)
  return found ?? orThrow(mistakes.find(({ role, command }) => (role ?? agent) === agent && command === undefined))
}

/** Throws if the file has a mistake in a command that begins with this word, or may have had such a command. */
export function expectCommand({ commands, mistakes }: Roles, head: string): void {
  const isThere = commands.some((spec) => wordsOf(spec)[0] === head)
  const isMeant = ({ role, command }: Mistake) =>
    command === undefined ? role === undefined && !isThere : wordsOf({ name: command })[0] === head
  orThrow(mistakes.find(isMeant))
}

function orThrow(mistake: Mistake | undefined): undefined {
  if (mistake) throw mistake.error
}
