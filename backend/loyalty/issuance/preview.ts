import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import type { Locale, Names } from '../../../contracts/core/locales.ts'
import { jsonOf } from '../../core/central/wire.ts'
import type { Answer } from '../../core/central/transport.ts'
import { earningRefusedByIssuance } from '../../core/central/response-codes.ts'
import { milesOf } from './partner-miles.ts'
import { calculatedEntries, reasonOfRefusal } from '../services/issue-answer.ts'
import { isGiftCard } from '../../catalog/gift-card.ts'
import { type Preview, salesOf } from '../../sales/sales.ts'
import { collectorOf } from '../../sales/collector.ts'
import { basketSignature } from '../../sales/sale/sale-parts.ts'
import { viewOf } from '../../sales/sale/sale-view.ts'
import { basketOf } from '../member/balances.ts'
import { issuanceClientOf } from '../services/issuance.ts'
import { issuingOf } from './issuance.ts'
import { collectorMutexOf } from '../../store/collector-turns.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { onStart, runLater } from '../../core/lifecycle.ts'

/** A pause in ringing this long asks CALCULATE; a basket that changes faster is asked about once it rests. */
const REST_MS = 200

const NOTHING_KNOWN: Preview = { miles: null, refusal: null, offers: [] }
/** Known, and none: gift cards alone earn nothing. */
const NO_MILES: Preview = { miles: 0, refusal: null, offers: [] }

/** An entry of a preview; what it is worth is never in doubt. */
type EarningEntry = Pick<
  GivenIssuance,
  'issuanceOfferCode' | 'milesAmount' | 'contributingItemIds' | 'offerDescription'
>

function answeredPreview(answer: Answer, earns: (offers: readonly EarningEntry[]) => Preview): Preview {
  if (answer.kind !== 'answer') return NOTHING_KNOWN
  const body = jsonOf(answer.bytes)
  if (answer.status === 400) return { ...NOTHING_KNOWN, refusal: earningRefusedByIssuance(reasonOfRefusal(body).code) }
  const entries = answer.status === 200 ? calculatedEntries(body) : null
  return entries ? earns(entries) : NOTHING_KNOWN
}

/**
 * Previews the miles of an open basket: by the store's own rules where it has them, else with CALCULATE, which issues
 * nothing and is required by nothing (specification 3 §4.2): a failure leaves the preview empty, and the sale never
 * waits for it.
 */
export const previewOf = perLane(
  (
    ctx: Ctx,
  ): {
    speak(): void
    /** The same basket may earn otherwise by now: it is asked about once more. */
    again(saleId: string): void
  } => {
    const { clock, log } = ctx
    const sales = salesOf(ctx)
    const issuance = issuanceClientOf(ctx)
    const issuing = issuingOf(ctx)
    const collectorMutex = collectorMutexOf(ctx)
    const taxes = storeTaxesOf(ctx)
    const locale = receiptLocaleOf(ctx)
    let callOff: (() => void) | null = null
    let asked = ''
    /**
     * What the program calls its offers, by their codes, as far as it was asked: a name that was heard once is there at
     * once when its language is spoken again.
     */
    const descriptions = new Map<string, Names>()

    /** The entries of an answer with every name that is known of their offers. */
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
        return sales.setPreview(saleId, NOTHING_KNOWN)
      if (goods.every((line) => isGiftCard(line))) return sales.setPreview(saleId, NO_MILES)
      // Where the store calculates, nobody has to be asked.
      const own = issuing.preview(now, clock.now())
      const language = (() => ctx.signedIn()?.locale ?? ctx.profile.locales.default)()
      const earns = earnsIn(language)
      if (own !== null) return sales.setPreview(saleId, earns(own))
      const signature = basketSignature(now)
      const answer = await collectorMutex.run(now.sale.memberHash.toString('hex'), 'queued', () =>
        issuance.calculate(
          { ...basketOf(now, viewOf(now, taxes()), clock.now(), locale()), collectorNumber },
          language,
        ),
      )
      const then = sales.parts(saleId)
      if (basketSignature(then) !== signature || then.sale.state !== 'open') return
      const preview = answeredPreview(answer, earns)
      // Asked for its words alone, an answer that does not come takes nothing away.
      if (preview !== NOTHING_KNOWN || then.previewMiles === null) sales.setPreview(saleId, preview)
      if ((() => ctx.signedIn()?.locale ?? ctx.profile.locales.default)() !== language) speak()
    }

    function begin(saleId: string): void {
      calculate(saleId).catch((error: unknown) => {
        log.warn({ err: error }, 'no preview of the miles')
      })
    }

    /**
     * Another language is spoken: what earns is asked for in it, where it is not known in it yet. The old words stay
     * until then.
     */
    function speak(): void {
      const saleId = sales.currentId()
      if (saleId === null) return
      const language = (() => ctx.signedIn()?.locale ?? ctx.profile.locales.default)()
      if (sales.parts(saleId).previewOffers.some(({ description }) => description[language] === undefined))
        begin(saleId)
    }

    function watch(): void {
      sales.onChange((now, cause) => {
        if (cause === 'preview' || cause === 'issuance') return
        const signature = basketSignature(now)
        if (now.sale.state !== 'open' || signature === asked) return
        // The same basket for the same collector is not asked about twice.
        asked = signature
        callOff?.()
        callOff = runLater(ctx, REST_MS, () => {
          begin(now.sale.id)
        })
      })
    }
    onStart(ctx, watch, 'watch')

    return { speak, again: begin }
  },
)
