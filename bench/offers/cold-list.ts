import Database from 'better-sqlite3'
import { OFFER_PATHS } from '../../contracts/central/offers.ts'
import { OfferList } from '../../contracts/loyalty/offers.ts'
import type { Central } from '../../packages/lab/rig/central.ts'
import { CASHIER } from '../../e2e/lane.ts'
import { openApiClient } from '../checkout/api-client.ts'
import { now } from '../checkout/clock.ts'
import { timedGet } from './board.ts'
import { fetchBarePages } from './central.ts'
import { boardPath, type OfferLane } from './lanes.ts'

export interface ColdList {
  readonly list: number[]
  readonly board: number[]
  readonly bare: number[]
}

/**
 * Number of offer service calls when a lane starts: the list in each language, then the first list by type. After the
 * third call, the requests for the list in each language have ended.
 */
const CALLS_OF_A_START = 3

/**
 * Repeatedly starts the lane without its offer list and then requests the list. The services reject the attempt that
 * the lane makes at its start, so that the measurement begins with the request. The lane is stopped at the end.
 */
export async function measureColdList(
  lane: OfferLane,
  central: Central,
  { saleId, offers, samples }: { saleId: string; offers: number; samples: number },
  signal: AbortSignal,
): Promise<ColdList> {
  const measured: ColdList = { list: [], board: [], bare: [] }
  lane.client.close()
  await lane.lane.running.stop('SIGKILL')
  for (let sample = 0; sample < samples; sample += 1) {
    signal.throwIfAborted()
    forgetLists(lane.file)
    const before = (await central.requests(OFFER_PATHS.list)).length
    await central.faults({ path: OFFER_PATHS.list, action: { kind: 'answer', status: 503, body: {} } })
    const running = await lane.lane.start()
    try {
      const { ready } = running
      const client = await openApiClient(ready, { id: CASHIER.id, pin: CASHIER.pin })
      await central.reached(OFFER_PATHS.list, before + CALLS_OF_A_START)
      await central.clearFaults()
      if (countLists(lane.file) > 0) throw new Error('the lane had a list before the request')
      const from = now()
      const list = OfferList.parse(await client.post('/api/offers/refresh', { locale: 'en-CA' }))
      measured.list.push(now() - from)
      if (list.total !== offers) throw new Error(`the lane has ${list.total} of ${offers} offers`)
      measured.board.push((await timedGet({ client }, boardPath(saleId, 'en-CA'))).ms)
      client.close()
    } finally {
      await running.stop('SIGKILL')
    }
    const from = now()
    await fetchBarePages(central)
    measured.bare.push(now() - from)
  }
  return measured
}

function forgetLists(file: string): void {
  const db = new Database(file)
  try {
    db.exec('DELETE FROM offer_list')
  } finally {
    db.close()
  }
}

function countLists(file: string): number {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare<[], number>('SELECT count(*) FROM offer_list').pluck().get() ?? 0
  } finally {
    db.close()
  }
}
