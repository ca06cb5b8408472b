import { randomUUID } from 'node:crypto'
import { expect, onTestFinished } from 'vitest'
import { HeldContent, type OfferHold, type HoldDecision } from '../../../contracts/store/holds.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { ENROLMENT_TABLES } from '../enrolment/enrolment.sql.ts'
import { LANES_TABLES } from '../lanes/lanes.ts'
import { createLog } from '../log.ts'
import { HOLDS_PROJECTION, HOLDS_TABLES } from './holds.ts'
import { reserveHold, offerHold, recordHoldDecision } from './holds.sql.ts'

export const of = (lane: string) => ({ store: 'STORE', lane })
export const saleOf = (number: number): SaleId => SaleId.parse(`N10101${String(number).padStart(8, '0')}K7QZ`)
export const CONTENT = HeldContent.parse({
  lines: [
    {
      sku: '1001',
      name: { 'en-CA': 'Apples' },
      quantity: 2,
      unitPriceCents: 349,
      regularPriceCents: null,
      taxCategory: 'zero-rated',
      departmentId: 'produce',
      categoryId: null,
      note: null,
      minimumAge: null,
      voided: 0,
    },
  ],
  discounts: [],
  note: null,
  exemption: null,
  buyers: null,
  ageChecked: null,
  member: null,
})

export async function openHolds(url: string) {
  const databases = [1, 2].map(() => openPostgres({ url, log: createLog('silent') }))
  onTestFinished(async () => {
    for (const database of databases) await database.close()
  })
  const [database = openPostgres({ url, log: createLog('silent') })] = databases
  await migrate(database, [ENROLMENT_TABLES, LANES_TABLES, HOLDS_TABLES])
  const [one, other] = [database, databases[1] ?? database]
  const offered = (sale: SaleId, hold: string = randomUUID()): OfferHold => ({
    protocol: STORE_PROTOCOL,
    hold,
    sale,
    heldAt: 1_790_000_000_000,
    name: 'Blue coat',
    cashier: 'Alex',
    itemCount: 2,
    totalCents: 698,
    memberLast4: null,
    content: CONTENT,
    sealed: null,
  })
  const decide = (lane: string, what: HoldDecision['what']) =>
    recordHoldDecision(one, of(lane), { protocol: STORE_PROTOCOL, what })
  const reserve = (lane: string, sale: SaleId, id: string = randomUUID(), on = one) =>
    reserveHold(on, of(lane), { protocol: STORE_PROTOCOL, claim: id, sale })
  const hold = async (sale: SaleId) => {
    const body = offered(sale)
    expect(await offerHold(one, of('01'), body)).toBe(true)
    await decide('01', { kind: 'given', hold: body.hold })
    return body.hold
  }
  const resumed = (lane: string, id: string, as: string, sale: string, at = 1) =>
    database.transaction((tx) =>
      HOLDS_PROJECTION.apply(
        tx,
        [
          {
            seq: 1,
            kind: 'held-sale',
            subject: id,
            at,
            body: { sale, resumedAs: as, by: { id: 'alex', name: 'Alex' } },
            sealed: null,
          },
        ],
        { ...of(lane), stream: 'a'.repeat(32) },
      ),
    )
  return { database, one, other, offered, decide, reserve, hold, resumed }
}

export type OpenHolds = Awaited<ReturnType<typeof openHolds>>

/**
 * Lets thirty lanes reserve one held sale at once, at two servers, with a new sale in each round. Returns the number of
 * granted reservations.
 */
export async function contend({ one, other, reserve, hold }: OpenHolds, rounds: number): Promise<number> {
  let resumed = 0
  for (let round = 1; round <= rounds; round += 1) {
    const sale = saleOf(round)
    await hold(sale)
    const lanes = Array.from({ length: 30 }, (_, at) => String(at + 1).padStart(2, '0'))
    const answers = await Promise.all(
      lanes.map((lane, at) => reserve(lane, sale, randomUUID(), at % 2 === 0 ? one : other)),
    )
    const winners = lanes.filter((_, at) => answers[at]?.kind === 'yours')
    expect(winners).toHaveLength(1)
    const holders = answers.flatMap((answer) => (answer?.kind === 'taken' ? [answer.lane] : []))
    expect(holders).toEqual(Array.from({ length: 29 }, () => winners[0]))
    resumed += winners.length
  }
  return resumed
}
