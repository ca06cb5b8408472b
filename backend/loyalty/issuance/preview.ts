import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import type { Locale, Names } from '../../../contracts/core/locales.ts'
import { jsonOf } from '../../core/central/wire.ts'
import type { Answer } from '../../core/central/transport.ts'
import { earningRefusedByIssuance } from '../../core/central/response-codes.ts'
import { milesOf } from './partner-miles.ts'
import { calculatedEntries, reasonOfRefusal } from '../services/issue-answer.ts'
import { isGoods } from '../../catalog/charges.ts'
import { type Preview, salesOf } from '../../sales/sales.ts'
import { collectorOf } from '../../sales/collector.ts'
import { basketSignature } from '../../sales/sale/sale-parts.ts'
import { viewOf } from '../../sales/sale/sale-view.ts'
import { basketOf } from '../member/balances.ts'
import { offerStatesOf } from '../member/offer-states.ts'
import { issuanceClientOf } from '../services/issuance.ts'
import { issuingOf } from './issuance.ts'
import { collectorMutexOf } from '../../store/collector-lock.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { onStart, runLater } from '../../core/lifecycle.ts'

/** Time in ms without a change of the basket, after which CALCULATE is sent. */
const REST_MS = 200

const UNKNOWN: Preview = { miles: null, refusal: null, offers: [] }
const NO_MILES: Preview = { miles: 0, refusal: null, offers: [] }

type EarningEntry = Pick<
  GivenIssuance,
  'issuanceOfferCode' | 'milesAmount' | 'contributingItemIds' | 'offerDescription'
>

function answeredPreview(answer: Answer, earns: (offers: readonly EarningEntry[]) => Preview): Preview {
  if (answer.kind !== 'answer') return UNKNOWN
  const body = jsonOf(answer.bytes)
  if (answer.status === 400) return { ...UNKNOWN, refusal: earningRefusedByIssuance(reasonOfRefusal(body).code) }
  const entries = answer.status === 200 ? calculatedEntries(body) : null
  return entries ? earns(entries) : UNKNOWN
}

/**
 * Previews the miles of an open basket by the store's own rules, or else with the optional call CALCULATE, which issues
 * nothing (specification 3 §4.2). The sale never waits for the preview, which is unknown after a failure unless the
 * same basket already had one.
 */
export const previewOf = perLane((ctx: Ctx): { languageChanged(): void } => {
  const { clock, log } = ctx
  const sales = salesOf(ctx)
  const issuance = issuanceClientOf(ctx)
  const issuing = issuingOf(ctx)
  const collectorMutex = collectorMutexOf(ctx)
  const taxes = storeTaxesOf(ctx)
  const locale = receiptLocaleOf(ctx)
  let cancelPending: (() => void) | null = null
  let asked = ''
  const descriptions = new Map<string, Names>()
  const currentLanguage = (): Locale => ctx.signedIn()?.locale ?? ctx.profile.locales.default

  function earnsIn(language: Locale) {
    return (offers: readonly EarningEntry[]): Preview => {
      for (const { issuanceOfferCode, offerDescription } of offers) {
        const words = offerDescription?.trim()
        if (words) descriptions.set(issuanceOfferCode, { ...descriptions.get(issuanceOfferCode), [language]: words })
      }
      return {
        miles: milesOf(offers),
        refusal: null,
        offers: offers.map(({ issuanceOfferCode, milesAmount, contributingItemIds }) => ({
          issuanceOfferCode,
          milesAmount,
          contributingItemIds,
          description: descriptions.get(issuanceOfferCode) ?? {},
        })),
      }
    }
  }

  async function calculate(saleId: string): Promise<void> {
    const now = sales.parts(saleId)
    const collectorNumber = collectorOf(ctx, now.sale)
    const goods = now.lines.filter((line) => line.voided === 0)
    if (now.sale.state !== 'open' || !now.sale.memberHash || !collectorNumber || goods.length === 0)
      return sales.setPreview(saleId, UNKNOWN)
    if (!goods.some(isGoods)) return sales.setPreview(saleId, NO_MILES)
    const calculated = issuing.preview(now, clock.now())
    const language = currentLanguage()
    const earns = earnsIn(language)
    if (calculated !== null) return sales.setPreview(saleId, earns(calculated))
    const signature = basketSignature(now)
    const answer = await collectorMutex.run(now.sale.memberHash.toString('hex'), 'queued', () =>
      issuance.calculate(
        { ...basketOf(now, viewOf(now, taxes()), clock.now(), locale(), taxes()), collectorNumber },
        language,
      ),
    )
    const then = sales.parts(saleId)
    if (basketSignature(then) !== signature || then.sale.state !== 'open') return
    const preview = answeredPreview(answer, earns)
    if (preview !== UNKNOWN || then.previewMiles === null) sales.setPreview(saleId, preview)
    if (currentLanguage() !== language) languageChanged()
  }

  function begin(saleId: string): void {
    calculate(saleId).catch((error: unknown) => {
      log.warn({ err: error }, 'no preview of the miles')
    })
  }

  function languageChanged(): void {
    const saleId = sales.currentId()
    if (saleId === null) return
    const language = currentLanguage()
    if (sales.parts(saleId).previewOffers.some(({ description }) => description[language] === undefined)) begin(saleId)
  }

  function watch(): void {
    sales.onChange((now, cause) => {
      if (cause === 'preview' || cause === 'issuance') return
      const signature = basketSignature(now)
      if (now.sale.state !== 'open' || signature === asked) return
      asked = signature
      cancelPending?.()
      cancelPending = runLater(ctx, REST_MS, () => {
        begin(now.sale.id)
      })
    })
  }
  onStart(ctx, watch, 'watch')
  // An opt-in may change the miles of an unchanged basket.
  offerStatesOf(ctx).events.on('settled', ({ saleId }) => {
    begin(saleId)
  })

  return { languageChanged }
})
