import { type LineDisplay, devicesOf } from '../../core/devices/hub.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { App } from '../../core/http/app.ts'
import { paymentsContract } from '../../../contracts/payments/payments.routes.ts'
import { windowsOf } from '../../core/http/events.ts'
import { serve } from '../../core/http/serve.ts'
import { ProblemError } from '../../core/problem.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { LineMeasure } from '../../../contracts/catalog/measure.ts'
import { UNIT_RULES, formatThousandths } from '../../../contracts/catalog/measure-units.ts'
import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { columnsOf, plainText, receiptTexts } from '../../core/paper/layout.ts'
import { TENDER_TYPES } from '../tender-types/registry.ts'
import { nameIn } from '../../../contracts/core/names.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { salesOf } from '../../sales/sales.ts'
import { type Ctx, perLane } from '../../core/context.ts'

/**
 * Publishes the cashier's choice of units of miles to the customer display. The choice is not stored and moves no
 * miles.
 */
export function customerDisplayRoutes(ctx: Ctx, app: App): void {
  const { publish } = ctx
  const sales = salesOf(ctx)
  serve(app, paymentsContract['PUT /sales/:id/choice-shown'], async (request) => {
    const { id } = request.params
    const { units } = request.body
    const choice = sales.view(id).redemptionChoice
    // Reject the number from an outdated screen, so that the customer never sees more units than can be redeemed.
    if (units !== null && (!choice || units > choice.maxUnits)) throw new ProblemError('redemption-units-invalid')
    publish({ type: 'choice-shown', saleId: id, units })
    return { units }
  })
}

/** Text of the line display: two lines of at most twenty characters. */
export type CustomerLinesText = readonly [string, string]
const COLUMNS = 20

/**
 * Composes the two lines for a sale: the newest item and the total while ringing, the newest tender and the amount due
 * while paying, then the change or the total, and thanks. Bystanders can read the lines, so they never show a balance
 * (specification 3 §4.5 rule 4).
 */
export function customerLines(sale: Sale, locale: Locale): CustomerLinesText | null {
  const words = receiptTexts(locale)
  const { t, money, amount } = words
  const { totals, tenders } = sale
  if (sale.state === 'cancelled' || sale.state === 'held') return null
  if (sale.state === 'completed') {
    const change = tenders.reduce((sum, tender) => sum + tender.changeCents, 0)
    return change > 0
      ? [alignBoth(t('change'), money(change)), centred(t('display-thanks'))]
      : [alignBoth(t('total'), money(totals.totalCents)), centred(t('display-thanks'))]
  }
  const tender = tenders.at(-1)
  if (tender) {
    const name = TENDER_TYPES[tender.kind].displayName(words)
    return [alignBoth(name, money(tender.amountCents)), alignBoth(t('display-amount-due'), money(totals.dueCents))]
  }
  const line = sale.lines.findLast(({ voided, chargeOf }) => !voided && chargeOf === undefined)
  if (!line) return null
  const item = nameIn(line.name, locale)
  const { measure } = line
  // Every total by weight is shown with its net weight and unit price (SI/98-81, s. 47).
  if (measure && measure.source !== 'price-label')
    return [shortMeasure(measure, locale), alignBoth(item, amount(line.amountCents))]
  const name = line.quantity === 1 ? item : `${line.quantity} ${item}`
  return [alignBoth(name, amount(line.amountCents)), alignBoth(t('total'), money(totals.totalCents))]
}

/** Net quantity and unit price in twenty characters. `N`: net of a tare. */
function shortMeasure(measure: LineMeasure, locale: Locale): string {
  const { symbol } = UNIT_RULES[measure.unit]
  const quantity = formatThousandths(measure.netThousandths, 3, LANGUAGES[locale].paper.decimal)
  const price = receiptTexts(locale).amount(measure.unitPriceCents)
  const net = measure.tareThousandths === undefined ? '' : 'N '
  const per = measure.unit === '100g' ? '100g' : symbol
  return alignBoth(`${net}${quantity} ${symbol}`, `${price}/${per}`)
}

/**
 * Returns the two lines that the customer display shows while no sale is open. A long store name is shortened at a
 * space.
 */
export const welcomeLines = (storeName: string, locale: Locale): CustomerLinesText => [
  centred(truncateAtSpace(plainText(storeName))),
  centred(receiptTexts(locale).t('display-welcome')),
]

function alignBoth(left: string, right: string): string {
  const room = COLUMNS - columnsOf(right) - 1
  const words = [...plainText(left)].slice(0, Math.max(0, room)).join('').trimEnd()
  return words + ' '.repeat(Math.max(1, COLUMNS - columnsOf(words) - columnsOf(right))) + right
}

function truncateAtSpace(text: string): string {
  if (columnsOf(text) <= COLUMNS) return text
  const end = text.lastIndexOf(' ', COLUMNS)
  return end > 0 ? text.slice(0, end) : text
}

function centred(text: string): string {
  const cut = [...text].slice(0, COLUMNS).join('').trimEnd()
  return ' '.repeat(Math.floor((COLUMNS - columnsOf(cut)) / 2)) + cut
}

export interface CustomerLines {
  onEvent(event: TerminalEvent): void
}

export function createCustomerLines(ctx: Ctx, display: LineDisplay): CustomerLines {
  const storeName = ctx.profile.store.name
  const locale = receiptLocaleOf(ctx)
  const openSale = salesOf(ctx).current
  let shownSale: string | null = null
  const welcome = (): void => {
    shownSale = null
    display.show(...welcomeLines(storeName, locale()))
  }
  const resume = (): void => {
    const sale = openSale()
    const lines = sale && customerLines(sale, locale())
    if (!lines) return welcome()
    shownSale = sale.id
    display.show(...lines)
  }
  resume()
  return {
    onEvent(event) {
      switch (event.type) {
        case 'sale-changed': {
          const { sale } = event
          // Ignore a change of an earlier sale that has ended, such as a late confirmation of its miles.
          if (sale.state !== 'open' && sale.id !== shownSale) return
          const lines = customerLines(sale, locale())
          if (lines === null) return welcome()
          shownSale = sale.id
          display.show(...lines)
          return
        }
        case 'sale-closed':
          if (event.state === 'cancelled') welcome()
          return
        // `signed-in` is also sent when the language changes: show an open sale again in the new language. The change
        // due of a finished sale stays on the display.
        case 'signed-in':
          if (event.staff !== null && (shownSale === null || openSale()?.id === shownSale)) resume()
          return
        case 'signed-out':
          return welcome()
        default:
      }
    },
  }
}

export const customerLinesOf = perLane((ctx) => {
  const display = devicesOf(ctx).lineDisplay
  if (display) windowsOf(ctx).published.on('event', createCustomerLines(ctx, display).onEvent)
})
