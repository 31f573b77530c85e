/** The runtime that is being measured, for programs started afresh. */

export const onBun = process.versions.bun !== undefined

/** Does nothing: what every command costs at least. */
export const emptyProgram: readonly string[] = [onBun ? process.execPath : 'node', '-e', '0']
export const emptyName = `${onBun ? 'bun' : 'node'} -e 0`

/** Makes our launchers start this runtime, and ignore all workspaces but the one that is named. */
export const launcherEnvironment: Readonly<Record<string, string>> = { SIGNALBOX_RUNTIME: onBun ? 'bun' : 'node' }
