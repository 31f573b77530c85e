/** Roles and added commands, as `.signalbox/session.yaml` says. */
import type { CommandSpec } from './commands/spec.ts'

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

export interface Roles {
  readonly roles: readonly Role[]
  readonly commands: readonly CommandSpec[]
}

export const noRoles: Roles = { roles: [], commands: [] }
