import type { QueueSummary } from '../../../../contracts/operations/diagnostics.ts'
import { ReturnableSale, ReturnQuote } from '../../../../contracts/payments/returns.ts'
import type { Sale } from '../../../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../../../contracts/core/events.ts'
import { cancel, currentSale, payCash, perform, redeem, returnGoods, returnPayment, ring } from '../../rig/cashier.ts'
import type { Window } from '../../rig/window.ts'
import { ITEMS, type Collector } from './shop.ts'

/** What one customer came for. */
export interface Customer {
  readonly collector: Collector
  /**
   * Pays a part with miles and the rest in cash, all with miles, only cash; redeems and then changes their mind;
   * redeems, takes those miles back and pays in cash, or redeems another time once they are back; buys and brings it
   * all back; or has no card at all.
   */
  readonly wants: 'part' | 'whole' | 'cash' | 'cancel' | 'miles back' | 'miles again' | 'return' | 'no card'
  /** What the cashier knows of the sale once the terminal has shown it. */
  saleId: string | null
  /** The redemption that goes back to them while the sale stays open. */
  givenBack: string | null
}

export const customer = (collector: Collector, wants: Customer['wants']): Customer => ({
  collector,
  wants,
  saleId: null,
  givenBack: null,
})

/** A sale is closed in far fewer actions; a cashier who needs more turns in a circle. */
const MOST_ACTIONS = 60

/**
 * Serves one customer to the end, always by what the terminal shows: called again after a crash it goes on where the
 * sale stands. Answers the closed sale. Throws TerminalGoneError when the terminal ends meanwhile. `patient` cashiers
 * wait for the preview of the miles.
 */
export async function serve(
  window: Window,
  customer: Customer,
  { patient = false }: { patient?: boolean } = {},
): Promise<Sale> {
  for (let actions = 0; actions < MOST_ACTIONS; actions += 1) {
    const sale = await shown(window, customer)
    if (sale) customer.saleId = sale.id
    if (sale && sale.state !== 'open' && !(customer.wants === 'return' && (await takesBack(window, sale.id))))
      return sale
    if (sale && sale.state !== 'open') continue
    await act(window, customer, sale, patient)
  }
  throw new Error(
    `the cashier cannot close the sale ${customer.saleId}: ${JSON.stringify(await shown(window, customer))}`,
  )
}

async function shown(window: Window, { saleId }: Customer): Promise<Sale | null> {
  return saleId === null ? currentSale(window) : (await window.call('GET', `/api/sales/${saleId}`)).body.sale
}

/** Takes everything back of a sale of which nothing came back yet. False when nothing was left to do. */
async function takesBack(window: Window, saleId: string): Promise<boolean> {
  const returnable = ReturnableSale.parse((await window.call('GET', `/api/sales/${saleId}/returnable`)).body)
  if (returnable.returns.length > 0) return false
  const lines = returnable.lines.map(({ number, leftQuantity }) => ({ number, quantity: leftQuantity }))
  const quote = ReturnQuote.parse((await window.call('POST', '/api/returns/quote', { saleId, lines })).body)
  await perform(window, returnGoods(returnable.saleId, lines, quote))
  return true
}

/** The next thing to do. A refusal is no harm: the next look at the screen says what to do then. */
async function act(window: Window, customer: Customer, sale: Sale | null, patient: boolean): Promise<void> {
  const { collector, wants } = customer
  if (!sale?.member && wants !== 'no card') {
    await window.swipe(collector.cardId)
    return
  }
  if (!sale || (sale.lines.length === 0 && sale.member?.state !== 'pending')) {
    await perform(window, ring(wants === 'whole' ? ITEMS.whole : ITEMS.part))
    return
  }
  // What was told before this look at the sale is no news: a collector who was known may be asked about anew since.
  const news = (fits: (now: Sale) => boolean): Promise<Sale> =>
    window.until((now) => now.id === sale.id && now.revision > sale.revision && fits(now))
  const back = redeemedToGiveBack(customer, sale)
  if (sale.member?.state === 'pending') await news(({ member }) => member !== null && member.state !== 'pending')
  else if (patient && sale.member && sale.milesPreview === null && !sale.redemption)
    await news(({ milesPreview }) => milesPreview !== null)
  else if (redeemsNow(customer, sale))
    await perform(window, redeem(sale, wants === 'whole' ? (sale.redemptionChoice?.maxUnits ?? 1) : 1))
  else if (inFlight(sale)) await news((now) => now.redemption !== null && !inFlight(now))
  else if (back) {
    customer.givenBack = sale.redemption?.id ?? null
    await perform(window, returnPayment(sale, back.number))
  } else if (patient && goingBack(sale)) await news((now) => !goingBack(now))
  else await perform(window, wants === 'cancel' ? cancel(sale) : payCash(sale))
}

/** The payment in miles that this customer does not want any more: of their first redemption alone. */
const redeemedToGiveBack = (
  { wants, givenBack }: Customer,
  { redemption, tenders }: Sale,
): Sale['tenders'][number] | undefined =>
  (wants === 'miles back' || wants === 'miles again') &&
  redemption?.state === 'approved' &&
  (givenBack ?? redemption.id) === redemption.id
    ? tenders.find(({ kind }) => kind === 'miles')
    : undefined

function redeemsNow({ wants }: Customer, { redemption, redemptionChoice }: Sale): boolean {
  if (!redemptionChoice || wants === 'cash' || wants === 'return' || wants === 'no card') return false
  return redemption === null || (wants === 'miles again' && redemption.state === 'reversed')
}

const goingBack = ({ redemption, state }: Sale): boolean =>
  state === 'open' && redemption?.state === 'reversing' && redemption.outcome === 'reversing'
const inFlight = ({ redemption }: Sale): boolean => redemption?.state === 'intent' || redemption?.state === 'retry'

/** Resolves when nothing waits and nothing is on its way, and the receipt of the sale is out. */
export async function atRest(window: Window, saleId: string | null): Promise<void> {
  const rests = ({ waiting, sending }: QueueSummary): boolean => waiting === 0 && sending === 0
  // Only news from here on counts: there was a rest before this sale too.
  window.forget()
  const summary = await window.get<QueueSummary>('/api/queue/summary')
  if (!rests(summary))
    await window.event(
      (event): event is Extract<TerminalEvent, { type: 'queue-changed' }> =>
        event.type === 'queue-changed' && rests(event.summary),
    )
  if (saleId === null) return
  const { body, status } = await window.call('GET', `/api/sales/${saleId}/receipt`)
  if (status === 200 && body.print === 'queued')
    await window.event(
      (event): event is Extract<TerminalEvent, { type: 'print-job' }> =>
        event.type === 'print-job' && event.saleId === saleId,
    )
}
