import type { CollectorNumber, SaleId } from '../../../contracts/ids.ts'
import type { IssuanceBasket } from '../../central/issuance.ts'
import type { Tx } from '../../db/transact.ts'
import type { SaleParts } from '../sales/view.ts'
import type { IssuingOptions } from './options.ts'

/** What a RECORD belongs to, whose lane it takes, and whose transaction it tells of. */
interface Recorded {
  readonly id: SaleId
  readonly collectorHash: Uint8Array
  readonly collectorNumber: CollectorNumber | null
}

/** RECORD: tells the program of a transaction as it was, by the profile's policy (specification 3 §4.3). */
export function createRecords({
  profile,
  issuances,
  issuance,
  members,
  seal,
}: Pick<IssuingOptions, 'profile' | 'issuances' | 'issuance' | 'members' | 'seal'>) {
  const { record } = profile.issuance

  /**
   * A collector's lane is the keyed hash of eleven digits. That of a sale without one is the hash of a text that is
   * never digits alone, so the two cannot meet; it holds up nobody else.
   */
  const laneOf = (now: SaleParts): Uint8Array => now.sale.memberHash ?? seal.keyedHash(`sale ${now.sale.id}`)

  return {
    /** "Partners also use it for transactions not qualifying for the partner-calculated calls" (§4.3). */
    isDue: (isQueued: boolean): boolean => record === 'all' || (record === 'non-members' && !isQueued),

    ofSale: (now: SaleParts): Recorded => ({
      id: now.sale.id,
      collectorHash: laneOf(now),
      collectorNumber: members.collectorOf(now.sale),
    }),

    /** Goods of a sale that the lane does not know: RECORD alone can tell of them (§4.3). */
    ofReturn: (returnId: SaleId, collectorNumber: CollectorNumber | null): Recorded => ({
      id: returnId,
      collectorHash: seal.keyedHash(`return ${returnId}`),
      collectorNumber,
    }),

    enqueue(
      tx: Tx,
      { id, collectorHash, collectorNumber }: Recorded,
      basket: IssuanceBasket,
      kind: { transactionType: 'PURCHASE' | 'RETURN'; originalTransactionId?: string },
    ): void {
      const request = issuance.recordRequest(basket, { ...kind, collectorNumber })
      issuances.enqueue(tx, {
        type: 'record',
        saleId: id,
        collectorHash,
        expectedMiles: null,
        request,
        traceId: basket.saleId,
        dateTime: request.checkoutDateTime,
      })
    },
  }
}
