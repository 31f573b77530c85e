import { printable } from '../../../../kernel/printable.ts'
import { graph } from '../../../../operations/acmq/graph.ts'
import { commandFace } from '../../command.ts'

export const graphFace = commandFace(graph, ({ graph: drawn }) => {
  const text = typeof drawn === 'string' ? drawn : JSON.stringify(drawn, undefined, 2)
  return printable(text).replace(/\n*$/, '\n')
})
