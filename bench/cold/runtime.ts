/** The runtime that is being measured, for programs started afresh. */

export const onBun = process.versions.bun !== undefined

/** Does nothing at all: what every command of ours must pay first. */
export const emptyProgram: readonly string[] = [onBun ? process.execPath : 'node', '-e', '0']
export const emptyName = `${onBun ? 'bun' : 'node'} -e 0`

/** Makes our launchers start this runtime, in the workspace that is told and no other. */
export const launcherEnvironment: Readonly<Record<string, string>> = { SIGNALBOX_RUNTIME: onBun ? 'bun' : 'node' }
