import { copyFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMap, isSeq, parseDocument } from 'yaml'
import { writeWhole } from '../../delivery/whole-file.ts'

const TRAINING = fileURLToPath(new URL('../../../stores/training.yaml', import.meta.url))
const CATALOG = 'training-catalog.csv'

export const laneIds = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => String(at + 1).padStart(2, '0'))

/**
 * Writes the profile of the training store with these lanes, each a copy of the training store’s only lane, and the
 * catalog file next to it.
 */
export function writeProfile(file: string, lanes: readonly string[]): void {
  const profile = parseDocument(readFileSync(TRAINING, 'utf8'))
  const listed = profile.get('lanes')
  const [first] = isSeq(listed) ? listed.items : []
  if (!isMap(first)) throw new Error(`${TRAINING} has no lane`)
  const deviceId = String(first.get('deviceId')).replace(/-\d+$/, '')
  profile.set(
    'lanes',
    lanes.map((id) => {
      const lane = first.clone()
      if (!isMap(lane)) throw new Error('a lane is a map')
      lane.set('id', id)
      lane.set('deviceId', `${deviceId}-${id}`)
      lane.setIn(['devices', 'cardTerminal', 'terminalId'], `SIMULATED-${id}`)
      return lane
    }),
  )
  copyFileSync(path.join(path.dirname(TRAINING), CATALOG), path.join(path.dirname(file), CATALOG))
  writeWhole(file, profile.toString())
}
