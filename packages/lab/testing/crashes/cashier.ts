import type { QueueSummary } from '../../../../contracts/operations/diagnostics.ts'
import { ReturnableSale, ReturnQuote } from '../../../../contracts/payments/returns.ts'
import type { Sale } from '../../../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../../../contracts/core/events.ts'
import { cancel, currentSale, payCash, perform, redeem, returnGoods, returnPayment, ring } from '../../rig/cashier.ts'
import type { Window } from '../../rig/window.ts'
import { ITEMS, type Collector } from './crash-store.ts'

export interface Customer {
  readonly collector: Collector
  /**
   * - `partial`, `whole`, `cash`: pays a portion, all or nothing with miles, the rest in cash
   * - `cancel`: redeems, then cancels the sale
   * - `miles back`: redeems, reverses the redemption and pays in cash
   * - `miles again`: the same, then redeems once more
   * - `return`: buys, then returns everything
   * - `no card`: buys without a card
   */
  readonly behavior: 'partial' | 'whole' | 'cash' | 'cancel' | 'miles back' | 'miles again' | 'return' | 'no card'
  saleId: string | null
  reversedId: string | null
}

export const customer = (collector: Collector, behavior: Customer['behavior']): Customer => ({
  collector,
  behavior,
  saleId: null,
  reversedId: null,
})

/** Maximum number of actions for a sale. A sale needs far fewer, so more of them mean an endless loop. */
const MAX_ACTIONS = 60

/**
 * Serves one customer until the sale is closed, and returns the sale. Each action follows from the terminal's screen,
 * so a call after a crash continues the same sale. Throws TerminalGoneError if the terminal ends. A `patient` cashier
 * waits for the preview of the miles.
 */
export async function serve(
  window: Window,
  customer: Customer,
  { patient = false }: { patient?: boolean } = {},
): Promise<Sale> {
  for (let actions = 0; actions < MAX_ACTIONS; actions += 1) {
    const sale = await shown(window, customer)
    if (sale) customer.saleId = sale.id
    if (sale && sale.state !== 'open' && !(customer.behavior === 'return' && (await returnAll(window, sale.id))))
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

/** Returns all goods of a sale without earlier returns. Resolves with false if there was a return already. */
async function returnAll(window: Window, saleId: string): Promise<boolean> {
  const returnable = ReturnableSale.parse((await window.call('GET', `/api/sales/${saleId}/returnable`)).body)
  if (returnable.returns.length > 0) return false
  const lines = returnable.lines.map(({ number, leftQuantity }) => ({ number, quantity: leftQuantity }))
  const quote = ReturnQuote.parse((await window.call('POST', '/api/returns/quote', { saleId, lines })).body)
  await perform(window, returnGoods(returnable.saleId, lines, quote))
  return true
}

/** Performs the cashier’s next action. A refusal is harmless: the next action follows from the new screen. */
async function act(window: Window, customer: Customer, sale: Sale | null, patient: boolean): Promise<void> {
  const { collector, behavior } = customer
  if (!sale?.member && behavior !== 'no card') {
    await window.swipe(collector.cardId)
    return
  }
  if (!sale || (sale.lines.length === 0 && sale.member?.state !== 'pending')) {
    await perform(window, ring(behavior === 'whole' ? ITEMS.whole : ITEMS.partial))
    return
  }
  // Wait for a newer state than the shown one: an older event may have the result of an earlier INQUIRE for the same
  // collector.
  const news = (fits: (now: Sale) => boolean): Promise<Sale> =>
    window.until((now) => now.id === sale.id && now.revision > sale.revision && fits(now))
  const back = tenderToReverse(customer, sale)
  if (sale.member?.state === 'pending') await news(({ member }) => member !== null && member.state !== 'pending')
  else if (patient && sale.member && sale.milesPreview === null && !sale.redemption)
    await news(({ milesPreview }) => milesPreview !== null)
  else if (redeemsNow(customer, sale))
    await perform(window, redeem(sale, behavior === 'whole' ? (sale.redemptionChoice?.maxUnits ?? 1) : 1))
  else if (inFlight(sale)) await news((now) => now.redemption !== null && !inFlight(now))
  else if (back) {
    customer.reversedId = sale.redemption?.id ?? null
    await perform(window, returnPayment(sale, back.number))
  } else if (patient && isReversing(sale)) await news((now) => !isReversing(now))
  else await perform(window, behavior === 'cancel' ? cancel(sale) : payCash(sale))
}

/** Returns the miles payment that this customer reverses, which is only that of their first redemption. */
const tenderToReverse = (
  { behavior, reversedId }: Customer,
  { redemption, tenders }: Sale,
): Sale['tenders'][number] | undefined =>
  (behavior === 'miles back' || behavior === 'miles again') &&
  redemption?.state === 'approved' &&
  (reversedId ?? redemption.id) === redemption.id
    ? tenders.find(({ kind }) => kind === 'miles')
    : undefined

function redeemsNow({ behavior }: Customer, { redemption, redemptionChoice }: Sale): boolean {
  if (!redemptionChoice || behavior === 'cash' || behavior === 'return' || behavior === 'no card') return false
  return redemption === null || (behavior === 'miles again' && redemption.state === 'reversed')
}

const isReversing = ({ redemption, state }: Sale): boolean =>
  state === 'open' && redemption?.state === 'reversing' && redemption.outcome === 'reversing'
const inFlight = ({ redemption }: Sale): boolean => redemption?.state === 'intent' || redemption?.state === 'retry'

export async function whenIdle(window: Window, saleId: string | null): Promise<void> {
  const isIdle = ({ waiting, sending }: QueueSummary): boolean => waiting === 0 && sending === 0
  // Ignore earlier events: they may report the empty queue from before this sale.
  window.forget()
  const summary = await window.get<QueueSummary>('/api/queue/summary')
  if (!isIdle(summary))
    await window.event(
      (event): event is Extract<TerminalEvent, { type: 'queue-changed' }> =>
        event.type === 'queue-changed' && isIdle(event.summary),
    )
  if (saleId === null) return
  const { body, status } = await window.call('GET', `/api/sales/${saleId}/receipt`)
  if (status === 200 && body.print === 'queued')
    await window.event(
      (event): event is Extract<TerminalEvent, { type: 'print-job' }> =>
        event.type === 'print-job' && event.saleId === saleId,
    )
}
