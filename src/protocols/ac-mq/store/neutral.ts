/** AC-MQ in the words of all protocols. */
import type { Neutral } from '../../contract.ts'
import type { MissionParts } from './mission.ts'
import type { Missions } from './missions.ts'

export function neutralOn(_missions: Missions, _parts: MissionParts): Neutral {
  throw new Error('not there yet')
}
