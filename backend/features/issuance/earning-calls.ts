import type { IssuanceBasket } from '../../central/issuance.ts'
import type { Tx } from '../../db/transact.ts'
import { milesOf } from '../../domain/partner-miles.ts'
import { noEarningOf, type SaleParts } from '../sales/view.ts'
import { earnedNow } from './earning.ts'
import type { IssuingOptions } from './options.ts'

/** The call that gives what a sale earns: ISSUE where the program calculates the miles, POST where the store does. */
export function createEarningCalls({
  profile,
  issuances,
  issuance,
  members,
  rules,
}: Pick<IssuingOptions, 'profile' | 'issuances' | 'issuance' | 'members' | 'rules'>) {
  const { mode } = profile.issuance

  return {
    /** Answers whether there was anything to give. */
    enqueue(tx: Tx, now: SaleParts, basket: IssuanceBasket): boolean {
      const collectorNumber = members.collectorOf(now.sale)
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
          // A purchase of $0.00 earns nothing that a receipt could promise before the answer.
          expectedMiles: now.previewMiles ?? (basket.totals.totalCents === 0 ? 0 : null),
          request,
          dateTime: request.checkoutDateTime,
        })
        return true
      }
      const given = earnedNow(profile, now, basket.atMs)
      if (given.length === 0) return false
      rules.keep(tx, now.sale.id, profile.issuance.rules)
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
}
