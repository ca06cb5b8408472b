import type { StoreDayReport, StoreLanes } from '../../../contracts/day/store-overview.ts'
import type { StoreQueue } from '../../../contracts/store/overview.ts'
import { STORE_DAY, STORE_LANES, STORE_QUEUE } from './store-overview.fixture.ts'

/** A store of thirty lanes with the longest names, as a manager meets it at the end of a day. */
const IDS = Array.from({ length: 30 }, (_, at) => String(at + 1).padStart(2, '0'))
const NAME = 'Marie-Ève Desrochers-Lavallée de la Durantaye'
/** The first, second, third, … of these, over and over. */
const nth = <One>(of: readonly One[], at: number): One[] => of.slice(at % of.length, (at % of.length) + 1)

export const MANY_LANES: StoreLanes = {
  ...STORE_LANES,
  thisLane: '17',
  lanes: IDS.flatMap((lane, at) => nth(STORE_LANES.lanes, at).map((one) => ({ ...one, lane }))),
}
export const MANY_DAY: StoreDayReport = {
  ...STORE_DAY,
  lanes: IDS.flatMap((lane, at) => nth(STORE_DAY.lanes, at).map((one) => ({ ...one, lane }))),
  zs: IDS.flatMap((lane, at) => nth(STORE_DAY.zs, at).map((z) => ({ ...z, lane, closedBy: NAME }))),
  shifts: IDS.flatMap((lane, at) =>
    nth(STORE_DAY.shifts, at).map((shift) => ({ ...shift, lane, id: at, closedBy: NAME, drawerOf: NAME })),
  ),
  withoutZ: IDS,
  incomplete: IDS,
}
export const MANY_QUEUE: StoreQueue = {
  lanes: IDS.map((lane) => ({ lane, attention: 7 })),
  calls: IDS.flatMap((lane, at) => nth(STORE_QUEUE.calls, at).map((call) => ({ ...call, lane, id: `op-${lane}` }))),
}
