import { IssueRequest, PartnerBasketRequest } from '../../../contracts/central/issuance.ts'
import type { IssuanceBasket } from '../../central/issuance.ts'
import { jsonOf } from '../../central/json.ts'
import type { Tx } from '../../db/transact.ts'
import { milesOf } from '../../domain/partner-miles.ts'
import type { IssuingOptions } from './options.ts'
import { ANSWERED, gaveNothing, type OfSale, type TakingBack } from './taking-back.ts'

export interface ReturnCallsOptions extends Pick<IssuingOptions, 'journal' | 'issuances' | 'issuance' | 'seal'> {
  readonly takingBack: TakingBack
}

/** Takes back what a sale gave, by the call that answers to the one that gave it: RETURN to ISSUE, REVERSE to POST. */
export function createReturnCalls({ journal, issuances, issuance, seal, takingBack }: ReturnCallsOptions) {
  return {
    /** Answers whether there was anything to take back. */
    enqueue(tx: Tx, goods: OfSale, basket: IssuanceBasket): boolean {
      const { sale: now, returnId } = goods
      const original = now.issuance
      if (!original) return false
      const entry = {
        saleId: now.sale.id,
        collectorHash: Buffer.from(original.collector, 'hex'),
        traceId: returnId,
        after: original.id,
      }
      const first = jsonOf(journal.call(original.id, original.type).request)
      // Whoever gets miles taken back is whoever got them: a corrected copy may have gone to another card than the
      // sale's.
      const { collectorNumber, checkoutTransactionId } = IssueRequest.parse(first)
      if (original.type === 'issue') {
        const named = original.transactionId ?? checkoutTransactionId
        const request = issuance.returnRequest({ ...basket, collectorNumber }, named)
        const dateTime = request.checkoutDateTime
        issuances.enqueue(tx, { ...entry, type: 'return', expectedMiles: null, request, dateTime })
        return true
      }
      const taking = takingBack.ofOwnSale(goods, original, PartnerBasketRequest.parse(first))
      if (taking.length === 0) return false
      // Named by the POST's transactionId alone (§4.4): while no answer has said it, the request waits for it.
      const { transactionId } = original
      const request = issuance.postReverseRequest({ ...basket, collectorNumber }, taking, transactionId)
      issuances.enqueue(tx, {
        ...entry,
        type: 'post-reverse',
        draft: transactionId === null,
        expectedMiles: -milesOf(taking),
        request,
        dateTime: request.checkoutDateTime,
      })
      return true
    },

    /**
     * The same for a sale of another lane. What became of the call that gave it is the store's to say: `later` while
     * that is not known.
     */
    enqueueElsewhere(tx: Tx, goods: OfSale, basket: IssuanceBasket): 'queued' | 'nothing' | 'later' {
      const { sale: now, returnId, lines, left } = goods
      const issued = now.elsewhere?.issuance
      const collectorNumber = now.elsewhere?.secret.earner ?? now.elsewhere?.secret.collector
      if (!issued || !collectorNumber || issued.state === 'dead') return 'nothing'
      if (now.issuance && gaveNothing(now.issuance)) return 'nothing'
      if (!ANSWERED.has(issued.state ?? '')) return 'later'
      const entry = { saleId: returnId, collectorHash: seal.keyedHash(collectorNumber), traceId: returnId }
      if (issued.type === 'issue') {
        const named = issued.transactionId ?? now.sale.id
        const request = issuance.returnRequest({ ...basket, collectorNumber }, named)
        const dateTime = request.checkoutDateTime
        issuances.enqueue(tx, { ...entry, type: 'return', expectedMiles: null, request, dateTime })
        return 'queued'
      }
      const taking = takingBack.ofForeignSale(now, lines, left)
      if (taking.length === 0 || issued.transactionId === null) return 'nothing'
      const request = issuance.postReverseRequest({ ...basket, collectorNumber }, taking, issued.transactionId)
      const expectedMiles = -milesOf(taking)
      const dateTime = request.checkoutDateTime
      issuances.enqueue(tx, { ...entry, type: 'post-reverse', expectedMiles, request, dateTime })
      return 'queued'
    },
  }
}
