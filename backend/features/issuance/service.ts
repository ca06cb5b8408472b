import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import type { Tx } from '../../db/transact.ts'
import { isGiftCard } from '../../domain/gift-card.ts'
import { basketOf, wholeBasketOf } from '../member/basket.ts'
import { pricedLines, type SaleParts } from '../sales/view.ts'
import { createEarningCalls } from './earning-calls.ts'
import { earnedNow, earningOf } from './earning.ts'
import type { IssuingOptions } from './options.ts'
import { createRecords } from './records.ts'
import { createReturnCalls } from './return-calls.ts'
import { createReturnEstimates } from './return-estimates.ts'
import { returnedBasket } from './returned-basket.ts'
import { createTakingBack, type OfSale } from './taking-back.ts'

export type Issuing = ReturnType<typeof createIssuing>

/**
 * What the program is told of sales and returns, and by which call (specification 3 §1): ISSUE and RETURN where it
 * calculates the miles, POST and REVERSE where the store does, RECORD by the profile's policy. Everything is queued in
 * the commit of the sale or the return that it tells of.
 */
export function createIssuing(options: IssuingOptions) {
  const { profile, journal, transact, sales, events, locale } = options
  const { mode } = profile.issuance
  const takingBack = createTakingBack(options)
  const records = createRecords(options)
  const earning = createEarningCalls(options)
  const returning = createReturnCalls({ ...options, takingBack })
  const estimates = createReturnEstimates({ ...options, takingBack })

  events.on('sale.completed', (tx, { parts: now, view, at }) => {
    // Gift cards alone are no purchase that earns: RECORD alone tells of them.
    const earns = !now.lines.some(isGiftCard) || earningOf(pricedLines(now), []).lines.length > 0
    const isQueued = earns && earning.enqueue(tx, now, basketOf(now, view, at, locale()))
    if (records.isDue(isQueued))
      records.enqueue(tx, records.ofSale(now), wholeBasketOf(now, view, at, locale()), { transactionType: 'PURCHASE' })
  })

  events.on('return.committed', (tx, { sale, ...goods }) => {
    const basket = returnedBasket(goods, locale())
    if (sale?.elsewhere) {
      const became = returning.enqueueElsewhere(tx, { ...goods, sale }, basket)
      if (became === 'later') events.emit('return.miles-later', tx, goods.returnId, goods.left)
      if (!records.isDue(became !== 'nothing')) return
      const recorded = records.ofReturn(goods.returnId, sale.elsewhere.secret.collector ?? null)
      records.enqueue(tx, recorded, basket, { transactionType: 'RETURN', originalTransactionId: sale.sale.id })
      return
    }
    const isQueued = sale !== null && returning.enqueue(tx, { ...goods, sale }, basket)
    if (!records.isDue(isQueued)) return
    if (sale !== null) {
      const kind = { transactionType: 'RETURN', originalTransactionId: sale.sale.id } as const
      records.enqueue(tx, records.ofSale(sale), basket, kind)
    } else records.enqueue(tx, records.ofReturn(goods.returnId, null), basket, { transactionType: 'RETURN' })
  })

  return {
    /** From now on the screens see what became of the miles of a sale. */
    watch(): void {
      journal.events.on('operation.moved', (_tx, { kind, saleId }) => {
        // A return without a record belongs to no sale that a screen could show.
        if (kind === 'issuance' && sales.exists(saleId))
          transact.afterCommit(() => {
            sales.publish(saleId, 'issuance')
          })
      })
    },

    /**
     * The miles of an open basket by the store's own rules, offer by offer; null where the program calculates and must
     * be asked.
     */
    preview: (now: SaleParts, at: number): GivenIssuance[] | null =>
      mode === 'partner' ? earnedNow(profile, now, at) : null,

    ...estimates,

    /** Miles that had to wait for how they were given. False: it is still not known. */
    takeBackNow: (tx: Tx, { sale, ...goods }: OfSale): boolean =>
      returning.enqueueElsewhere(tx, { ...goods, sale }, returnedBasket(goods, locale())) !== 'later',
  }
}
