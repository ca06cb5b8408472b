import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import type { Tx } from '../../core/db/transact.ts'
import { isGoods } from '../../catalog/charges.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { basketOf, wholeBasketOf } from '../member/balances.ts'
import { type SaleParts, noEarningOf, pricedLines } from '../../sales/sale/sale-parts.ts'
import { partnerMilesOf, earningOf, recordsOf, rulesOf } from './issuing-options.ts'
import { type OfSale, returnedBasket, returnCallsOf, returnEstimatesOf } from './miles-returned.ts'
import { type IssuanceBasket, issuanceClientOf } from '../services/issuance.ts'
import { milesOf } from './partner-miles.ts'
import { salesOf } from '../../sales/sales.ts'
import { collectorOf } from '../../sales/collector.ts'
import { domainEventsOf } from '../../sales/sale/domain-events.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { onStart } from '../../core/lifecycle.ts'
import { issuancesOf } from '../calls/issue.ts'

export type Issuing = ReturnType<typeof issuingOf>

/**
 * Queues the calls for sales and returns (specification 3 §1) in the commits of the sales and returns: ISSUE and RETURN
 * if the program calculates the miles, POST and REVERSE if the store does, and RECORD by the profile's policy.
 */
export const issuingOf = perLane((ctx: Ctx) => {
  const { profile, transact } = ctx
  const journal = ctx.outbox.journal
  const sales = salesOf(ctx)
  const events = domainEventsOf(ctx)
  const locale = receiptLocaleOf(ctx)
  const taxes = storeTaxesOf(ctx)
  const { mode } = profile.issuance
  const records = recordsOf(ctx)
  const earning = earningCallsOf(ctx)
  const returning = returnCallsOf(ctx)
  const estimates = returnEstimatesOf(ctx)

  events.on('sale.completed', (tx, { parts: now, view, at }) => {
    // Gift cards and empty containers earn nothing. A sale of only gift cards is reported with RECORD, if at all; one
    // of only empty containers is not.
    const earns = now.lines.every(isGoods) || earningOf(pricedLines(now), []).lines.length > 0
    const isQueued = earns && earning.enqueue(tx, now, basketOf(now, view, at, locale(), taxes()))
    const whole = wholeBasketOf(now, view, at, locale(), taxes())
    if (records.isDue(isQueued) && whole.lines.some(({ voided }) => !voided))
      records.enqueue(tx, records.ofSale(now), whole, { transactionType: 'PURCHASE' })
  })

  events.on('return.committed', (tx, { sale, ...goods }) => {
    const basket = returnedBasket({ ...goods, sale }, locale(), taxes())
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

  function watch(): void {
    journal.events.on('operation.moved', (_tx, { kind, saleId }) => {
      // A return without a record has no sale whose screen must be updated.
      if (kind === 'issuance' && sales.exists(saleId))
        transact.afterCommit(() => {
          sales.publish(saleId, 'issuance')
        })
    })
  }
  onStart(ctx, watch, 'watch')

  return {
    preview: (now: SaleParts, at: number): GivenIssuance[] | null =>
      mode === 'partner' ? partnerMilesOf(profile, now, at) : null,

    ...estimates,

    /**
     * Takes back miles whose return was deferred because the outcome of their issuance was not final. Returns false
     * while it is not.
     */
    takeBackNow: (tx: Tx, { sale, ...goods }: OfSale): boolean =>
      returning.enqueueElsewhere(tx, { ...goods, sale }, returnedBasket({ ...goods, sale }, locale(), taxes())) !==
      'later',
  }
})

const earningCallsOf = perLane((ctx: Ctx) => {
  const { profile } = ctx
  const issuances = issuancesOf(ctx)
  const issuance = issuanceClientOf(ctx)
  const rules = rulesOf(ctx)
  const { mode } = profile.issuance

  return {
    enqueue(tx: Tx, now: SaleParts, basket: IssuanceBasket): boolean {
      const collectorNumber = collectorOf(ctx, now.sale)
      if (!collectorNumber || !now.sale.memberHash) return false
      const entry = {
        saleId: now.sale.id,
        collectorHash: now.sale.memberHash,
        traceId: now.sale.id,
        noEarning: noEarningOf(now),
      }
      if (mode === 'service') {
        const request = issuance.issueRequest({ ...basket, collectorNumber })
        issuances.enqueue(tx, {
          ...entry,
          type: 'issue',
          // A purchase of $0.00 earns nothing, so the receipt must not promise miles.
          expectedMiles: now.previewMiles ?? (basket.totals.totalCents === 0 ? 0 : null),
          request,
          dateTime: request.checkoutDateTime,
        })
        return true
      }
      const given = partnerMilesOf(profile, now, basket.atMs)
      if (given.length === 0) return false
      rules.store(tx, now.sale.id, profile.issuance.rules)
      const request = issuance.postRequest({ ...basket, collectorNumber }, given)
      issuances.enqueue(tx, {
        ...entry,
        type: 'post',
        expectedMiles: milesOf(given),
        request,
        dateTime: request.checkoutDateTime,
      })
      return true
    },
  }
})
