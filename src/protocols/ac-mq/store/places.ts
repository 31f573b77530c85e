/** Where one mission and its files lie on the tree. */
import type { Clock } from '../../../kernel/clock.ts'
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { stateOf } from '../../../tree/home.ts'
import type { Tree } from '../../../tree/tree.ts'
import { type MissionPlace, missionPath, queuePath } from '../layout.ts'
import { forQueues, type QueueName } from '../schema.ts'
import type { AcmqSettings } from '../settings.ts'

const deliveries = childOf(stateOf('delivery'), 'ac-mq')

export class MissionPlaces {
  readonly tree: Tree
  readonly clock: Clock
  readonly settings: AcmqSettings
  readonly place: MissionPlace
  readonly path: TreePath
  readonly queues: Readonly<Record<QueueName, TreePath>>
  #lastName = ''

  constructor(tree: Tree, clock: Clock, settings: AcmqSettings, place: MissionPlace) {
    this.tree = tree
    this.clock = clock
    this.settings = settings
    this.place = place
    this.path = missionPath(place)
    this.queues = forQueues((queue) => queuePath(place, queue))
  }

  at(queue: QueueName, name: string): TreePath {
    // A message keeps its name in all queues, so the last name is not checked again.
    if (name === this.#lastName) return `${this.queues[queue]}/${name}` as TreePath
    const path = childOf(this.queues[queue], name)
    this.#lastName = name
    return path
  }

  inside(path: string): TreePath {
    return path.split('/').reduce(childOf, this.path)
  }

  /** A folder of notes. Its name ends in `.mission`, so that it is not taken for a note of the mission around this one. */
  notes(kind: 'sent' | 'staged' | 'supervision' | 'stalls' | 'ahead'): TreePath {
    const names = this.place.address.split('/')
    return names.reduce<TreePath>((folder, name) => childOf(folder, `${name}.mission`), childOf(deliveries, kind))
  }
}
