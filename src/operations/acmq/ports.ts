/** What AC-MQ needs from outside the tree: models that know what texts mean. */
import type { AcmqPorts } from '../../protocols/ac-mq/index.ts'
import { type EndpointPatience, embedderPort, type NeededForModels } from '../meaning.ts'
import { askingModel, modelKey } from '../model-endpoints.ts'

export function acmqPorts(around: NeededForModels, patience: EndpointPatience = {}): AcmqPorts {
  const { models, outside } = around
  const ask = askingModel(around)
  return {
    ...embedderPort(around, patience),
    async writer() {
      const { url, model } = models
      if (url === undefined || model === undefined) return undefined
      const { httpModel } = await import('../../adapters/models/http-model.ts')
      const { id, write } = httpModel({ url, model, ...patience, ...modelKey({ models, outside }) })
      return { id, write: (asked) => ask(() => write(asked)) }
    },
  }
}
