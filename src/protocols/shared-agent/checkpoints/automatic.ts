/** Which work is risky enough to make a checkpoint before it. Pure. Shared Agent Protocol, Checkpoint Types. */

export type Risk = 'delegation' | 'deploy' | 'delete' | 'change'

/** More files than this changed since the last checkpoint are worth another one. */
export const manyFiles = 5

const words: readonly (readonly [Risk, RegExp])[] = [
  ['deploy', /^(deploy(s|ed|ing|ment)?|redeploy|rollout|release)$/],
  ['delete', /^(delet(e|es|ed|ing|ion)|remov(e|es|ed|ing|al)|drop|purge|wipe|erase|rm|truncate)$/],
]

/** What speaks for a checkpoint before a task is handed over; `undefined` for ordinary work. */
export function riskOf({ task, priority }: { readonly task: string; readonly priority?: string }): Risk | undefined {
  if (priority === 'P0') return 'delegation'
  const said = task.toLowerCase().split(/[^a-z0-9]+/)
  return words.find(([, pattern]) => said.some((word) => pattern.test(word)))?.[0]
}

/** What such a checkpoint is called. */
export const automaticName = (risk: Risk): string => (risk === 'change' ? 'many_changes' : `before_${risk}`)
