/** Where a mission keeps what it must remember of its deliveries: `.signalbox/state/delivery/ac-mq/`. */
import { childOf, type TreePath } from '../../../kernel/tree-path.ts'
import { stateOf } from '../../../tree/home.ts'
import type { MissionAddress } from '../names.ts'

const deliveryHome = childOf(stateOf('delivery'), 'ac-mq')

/** Missions end in `.mission` here, so that one inside another is never taken for a note. */
export const deliveryNotes = (address: MissionAddress, kind: 'sent' | 'staged' | 'stalls' | 'ahead'): TreePath =>
  address.split('/').reduce<TreePath>((folder, name) => childOf(folder, `${name}.mission`), childOf(deliveryHome, kind))
