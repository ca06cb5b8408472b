import { type LineDisplay, devicesOf } from '../../core/devices/hub.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import type { App } from '../../core/http/app.ts'
import { paymentsContract } from '../../../contracts/payments/payments.routes.ts'
import { windowsOf } from '../../core/http/events.ts'
import { serve } from '../../core/http/serve.ts'
import { ProblemError } from '../../core/problem.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { columnsOf, plainText, receiptWords } from '../../core/paper/layout.ts'
import { TENDER_TYPES } from '../tender-types/registry.ts'
import { nameIn } from '../../../contracts/core/names.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { salesOf } from '../../sales/sales.ts'
import { type Ctx, perLane } from '../../core/context.ts'

/**
 * What the cashier's screen shows the customer beside the sale itself. It is told and not kept: nothing of it moves
 * miles.
 */
export function customerDisplayRoutes(ctx: Ctx, app: App): void {
  const { publish } = ctx
  const sales = salesOf(ctx)
  serve(app, paymentsContract['PUT /sales/:id/choice-shown'], async (request) => {
    const { id } = request.params
    const { units } = request.body
    const choice = sales.view(id).redemptionChoice
    // A screen that is out of date must not show a customer more than can be redeemed.
    if (units !== null && (!choice || units > choice.maxUnits)) throw new ProblemError('redemption-units-invalid')
    publish({ type: 'choice-shown', saleId: id, units })
    return { units }
  })
}

/** What the customer's line display shows: two lines of at most twenty characters. */
export type CustomerLinesText = readonly [string, string]
const COLUMNS = 20

/**
 * A sale on two lines: the newest line and the total while it is rung, the newest tender and what is still due while it
 * is paid, then the change and thanks. Never a balance, of whatever kind: bystanders read it (specification 3 §4.5 rule
 * 4).
 */
export function customerLines(sale: Sale, locale: Locale): CustomerLinesText | null {
  const words = receiptWords(locale)
  const { say, money, amount } = words
  const { totals, tenders } = sale
  if (sale.state === 'cancelled' || sale.state === 'held') return null
  if (sale.state === 'completed') {
    const change = tenders.reduce((sum, tender) => sum + tender.changeCents, 0)
    return change > 0
      ? [beside(say('change'), money(change)), centred(say('display-thanks'))]
      : [beside(say('total'), money(totals.totalCents)), centred(say('display-thanks'))]
  }
  const tender = tenders.at(-1)
  if (tender) {
    const name = TENDER_TYPES[tender.kind].displayName(words)
    return [beside(name, money(tender.amountCents)), beside(say('display-amount-due'), money(totals.dueCents))]
  }
  const line = sale.lines.findLast(({ voided }) => !voided)
  if (!line) return null
  const item = nameIn(line.name, locale)
  const name = line.quantity === 1 ? item : `${line.quantity} ${item}`
  return [beside(name, amount(line.amountCents)), beside(say('total'), money(totals.totalCents))]
}

/** While nothing is rung. A name that is too long ends with a whole word. */
export const welcomeLines = (storeName: string, locale: Locale): CustomerLinesText => [
  centred(wholeWords(plainText(storeName))),
  centred(receiptWords(locale).say('display-welcome')),
]

/** The amount stays whole; the words give way. */
function beside(left: string, right: string): string {
  const room = COLUMNS - columnsOf(right) - 1
  const words = [...plainText(left)].slice(0, Math.max(0, room)).join('').trimEnd()
  return words + ' '.repeat(Math.max(1, COLUMNS - columnsOf(words) - columnsOf(right))) + right
}

function wholeWords(text: string): string {
  if (columnsOf(text) <= COLUMNS) return text
  const end = text.lastIndexOf(' ', COLUMNS)
  return end > 0 ? text.slice(0, end) : text
}

function centred(text: string): string {
  const cut = [...text].slice(0, COLUMNS).join('').trimEnd()
  return ' '.repeat(Math.floor((COLUMNS - columnsOf(cut)) / 2)) + cut
}

/** Keeps the customer's line display in step with the sale, by the same events that the screens get. */
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
  /** A sale that was left open, by a restart or by whoever signed out, is in sight again. */
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
          // What an earlier sale still earns is no news while the next one is rung.
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
        // Also said when the language changes, in the middle of a sale too: its last line is told again. The change due
        // of a sale that has ended stays.
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

/** Follows the sale at a lane with a line display. */
export const customerLinesOf = perLane((ctx) => {
  const display = devicesOf(ctx).lineDisplay
  if (display) windowsOf(ctx).published.on('event', createCustomerLines(ctx, display).onEvent)
})
