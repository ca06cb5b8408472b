import type { ApprovalRequest } from '../../contracts/sales/approvals.ts'
import type { Item } from '../../contracts/catalog/catalog.ts'
import type { Sale, SaleLine } from '../../contracts/sales/sales.ts'
import { ApiProblem } from '../core/api/problem.ts'
import { api, type TenderRequest } from '../core/api/terminal-api.ts'
import { askApproval, needsApproval, type ApprovalInput } from './approvals.ts'
import { askPrice } from './changes.ts'
import { askQuantity, isSoldByMeasure } from './weighing.ts'
import type { Weighing } from '../../contracts/sales/weighing.ts'
import { enqueue, isInFlight, invalidateQueued } from '../core/state/command-queue.ts'
import { clearProblems, notify, report, clearTopic } from '../core/state/notices.ts'
import { outcomeNow, takeNoSale, takeSale, useSale } from './sale.ts'
import type { GoodsDoubt } from '../../contracts/catalog/measure.ts'

const GOODS_TOPIC = 'goods-asked'

type SaleAnswer = { sale: Sale }

/** A payment without the sale's version, which is added when it is sent. */
type Payment = TenderRequest extends infer Request ? (Request extends object ? Omit<Request, 'version'> : never) : never

/**
 * Kinds of commands of which each one counts, however fast they are repeated. A second command of any other kind is a
 * double tap.
 */
const EACH_COUNTS: ReadonlySet<string> = new Set(['ring', 'line'])

/**
 * Queues a command on the sale. Ignores a second command of a kind in flight, so that a double tap never sells twice.
 * Reloads a sale that has changed. Asks for an approval if needed, and repeats the command with the PIN. Returns
 * whether the command was executed.
 */
export const command = (kind: string, run: (approval?: ApprovalInput) => Promise<SaleAnswer>): Promise<boolean> =>
  !EACH_COUNTS.has(kind) && isInFlight(kind) ? Promise.resolve(false) : enqueue(kind, () => attempt(kind, run))

async function attempt(kind: string, run: (approval?: ApprovalInput) => Promise<SaleAnswer>): Promise<boolean> {
  try {
    taken(await run())
    return true
  } catch (error) {
    invalidateQueued()
    if (needsApproval(error)) {
      askApproval({
        request: error.approval,
        attempt: async (approval) => {
          taken(await enqueue(kind, () => run(approval)))
        },
      })
    } else if (error instanceof ApiProblem && error.code === 'sale-stale') {
      notify('info', ({ t }) => t('sale.refreshed'))
      await refreshSale()
    } else report(error)
    return false
  }
}

function taken({ sale }: SaleAnswer): void {
  clearProblems()
  takeSale(sale)
  offerUndo(sale)
}

/** Loads the open sale: at the start, after a lost connection and after a conflict. */
export async function refreshSale(): Promise<void> {
  try {
    await readSale()
  } catch (error) {
    report(error)
  }
}

/** Loads the open sale. Throws ApiProblem. */
async function readSale(): Promise<void> {
  const { sale, nextQuantity = null } = await api.currentSale()
  if (sale) takeSale(sale)
  else await loadFinalState()
  useSale.setState({ nextQuantity })
}

/**
 * Loads the final state of the sale on the screen when the backend reports no open sale, so that change due is never
 * skipped.
 */
async function loadFinalState(): Promise<void> {
  const { current } = useSale.getState()
  if (!current) return
  try {
    // This answer may contain an open sale: one whose first item was rung after the answer “no open sale”, and whose
    // event arrived before that answer.
    takeSale((await api.sale(current.id)).sale)
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'not-found') throw error
    takeNoSale()
  }
}

/**
 * Reloads the closed sale on the screen, which may have changed during a disconnect, e.g. by miles that were returned.
 */
export async function refreshClosed(): Promise<void> {
  const { closed } = useSale.getState()
  if (!closed) return
  try {
    takeSale((await api.sale(closed.id)).sale)
  } catch (error) {
    // If the reload fails, the displayed state is still correct, if old.
    if (!(error instanceof ApiProblem) || error.code !== 'not-found') report(error)
  }
}

/**
 * Queues a command on a line. Each one uses the version that the previous one left: three quick taps count as three.
 */
const onLine = (run: (sale: Sale, approval?: ApprovalInput) => Promise<SaleAnswer> | undefined): Promise<unknown> =>
  enqueue('line', async () => {
    const { current } = useSale.getState()
    const started = current && run(current)
    // With an approval, repeat the command on the version that was shown: if the sale has changed, the backend asks
    // again.
    if (current && started) await attempt('line', (approval) => (approval && run(current, approval)) ?? started)
  })

const lineOf = (sale: Sale, number: number): SaleLine | undefined =>
  sale.lines.find((line) => line.number === number && !line.voided)

/** Queues a command that rings an item. If it rings none, keys queued behind it are invalidated. */
export const ringing = (run: () => Promise<unknown>): Promise<void> =>
  enqueue('ring', async () => {
    try {
      await run()
    } catch (error) {
      invalidateQueued()
      report(error)
    }
  })

/**
 * Rings an item. The call sends no version, because it adds to the current open sale. An open-price item first asks for
 * its price.
 */
export const ring = (item: Item, unit: RungUnit = {}): Promise<void> => ringing(() => ringNow(item, unit))

/**
 * How an item is rung: its entered price, the barcode of its pack, and a quantity typed with it. Without a quantity,
 * the one entered for the next item applies.
 */
export interface RungUnit {
  readonly priceCents?: number
  readonly pack?: string
  readonly quantity?: number
  readonly weighing?: Weighing
}

/** Rings an item like `ring`, inside a queue entry. Throws ApiProblem. */
export async function ringNow({ sku, openPrice, ...item }: Item, unit: RungUnit = {}): Promise<void> {
  if (openPrice && unit.priceCents === undefined) {
    if (unit.quantity !== undefined) await setNextQuantity(unit.quantity)
    invalidateQueued()
    return askPrice({ sku, openPrice, ...item })
  }
  if (isSoldByMeasure(item) && unit.weighing === undefined) return askWeight({ sku, openPrice, ...item })
  const quantity = unit.weighing ? 1 : (unit.quantity ?? useSale.getState().nextQuantity ?? 1)
  const rung = async (approval?: ApprovalInput): Promise<void> => {
    const { sale } = await api.ring({ sku, ...unit, quantity, approval })
    useSale.setState({ nextQuantity: null })
    clearProblems()
    takeSale(sale)
  }
  try {
    await rung()
  } catch (error) {
    // An item without a unit may be sold by weight because of its barcode, which only the backend knows.
    if (error instanceof ApiProblem && error.code === 'weight-required') return askWeight({ sku, openPrice, ...item })
    if (!needsApproval(error)) throw error
    invalidateQueued()
    askApproval({ request: error.approval, attempt: (approval) => enqueue('ring', () => rung(approval)) })
  }
}

/** Asks for the weight of an item, or its quantity in another unit, and rings it. */
export function askWeight(item: Item): void {
  invalidateQueued()
  askQuantity(item, (weighing) => enqueue('ring', () => ringNow(item, { weighing })))
}

/** Sets the quantity of the next item, or removes it with null. The terminal applies it to a scan. */
export async function setNextQuantity(quantity: number | null): Promise<void> {
  useSale.setState({ enteringQuantity: false })
  try {
    await api.setNextQuantity(quantity)
    useSale.setState({ nextQuantity: quantity })
  } catch (error) {
    report(error)
  }
}

/** Asks for the approval that a scanned item requires, and rings the item once it is approved. */
export function requestApprovalForScan(request: ApprovalRequest): void {
  invalidateQueued()
  askApproval({
    request,
    attempt: async (approval) => {
      taken(await enqueue('ring', () => api.ringScanned(approval)))
    },
  })
}

/** Warns that the scanned item is expired or recalled, and rings it only after the cashier confirms. */
export function confirmGoods(item: Item, problem: GoodsDoubt): void {
  notify(
    'warning',
    ({ t, format }) =>
      problem.kind === 'expired'
        ? t('sale.goodsExpired', { item: format.text(item.name), date: format.date(problem.date) })
        : t('sale.goodsRecalled', { item: format.text(item.name), lot: problem.lot }),
    {
      topic: GOODS_TOPIC,
      offer: {
        text: ({ t }) => t('sale.goodsSell'),
        perform: () => {
          clearTopic(GOODS_TOPIC)
          if (item.openPrice) askPrice(item)
          else if (isSoldByMeasure(item)) askWeight(item)
          else void command('ring', (approval) => api.ringScanned(approval))
        },
      },
    },
  )
}

export const setQuantity = (number: number, quantity: number): Promise<unknown> =>
  onLine((sale, approval) =>
    lineOf(sale, number) ? api.changeLine(sale.id, number, { version: sale.version, quantity, approval }) : undefined,
  )

/**
 * Adds a piece to a line or removes one, but never the last: one press too many would void the line, and the next press
 * would change another line.
 */
export const addQuantity = (number: number, difference: 1 | -1): Promise<unknown> =>
  onLine((sale, approval) => {
    const line = lineOf(sale, number)
    const quantity = (line?.quantity ?? 0) + difference
    return !line || quantity < 1
      ? undefined
      : api.changeLine(sale.id, number, { version: sale.version, quantity, approval })
  })

export const voidLine = (number: number): Promise<unknown> =>
  onLine((sale, approval) =>
    lineOf(sale, number) ? api.voidLine(sale.id, number, { version: sale.version, approval }) : undefined,
  )

/**
 * Undoes the last change of the sale. The command is queued with the line commands, so that it undoes the newest one.
 * `version`: undo only if the sale has this version.
 */
export const undo = (version?: number): Promise<unknown> =>
  onLine((sale, approval) =>
    sale.undo === null ? undefined : api.undo(sale.id, { version: version ?? sale.version, approval }),
  )

const UNDO_TOPIC = 'undo'
/**
 * Changes that have a notice with an undo button. A scan or a tap on + needs none, because its result is visible;
 * Ctrl+Z undoes it too.
 */
const KINDS_WITH_NOTICE = [
  'void',
  'price',
  'discount',
  'discount-removed',
  'member-removed',
  'note',
  'exemption',
  'buyers',
] as const

function offerUndo({ undo: kind, version, discounts }: Sale): void {
  const given = discounts.findLast(({ promotion }) => promotion === null)
  const isCoupon = kind === 'discount' && given?.coupon != null
  const noticeKind = isCoupon ? 'coupon' : KINDS_WITH_NOTICE.find((one) => one === kind)
  if (noticeKind)
    notify('info', ({ t }) => t(`undo.said.${noticeKind}`), {
      topic: UNDO_TOPIC,
      offer: {
        text: ({ t }) => t('actions.undo'),
        perform: () => {
          clearTopic(UNDO_TOPIC)
          void undo(version)
        },
      },
    })
}

// Notices about problems are cleared with their customer's sale: a card or code that could not be read does not concern
// the next customer.
useSale.subscribe(({ current }, before) => {
  if (current?.id === before.current?.id || !before.current) return
  clearProblems()
  clearTopic('voucher')
})

const CANCELLED_TOPIC = 'cancelled'
// The notice of a cancelled sale disappears when the next sale begins.
useSale.subscribe(({ current }, before) => {
  if (current && !before.current) clearTopic(CANCELLED_TOPIC)
})

// When the sale changes again, the undo notice is outdated: its button would undo another change.
useSale.subscribe(({ current }, before) => {
  if (current?.id !== before.current?.id || current?.version !== before.current?.version) clearTopic(UNDO_TOPIC)
})

/** Runs a command on the open sale; without an open sale does nothing. */
export const onCurrent = (
  kind: string,
  run: (sale: Sale, approval?: ApprovalInput) => Promise<SaleAnswer>,
): Promise<boolean> => {
  const { current } = useSale.getState()
  if (!current) return Promise.resolve(false)
  // A scan may change the sale during the approval, so the approved change applies to the current sale.
  const newest = (): Sale => {
    const now = useSale.getState().current
    return now?.id === current.id ? now : current
  }
  return command(kind, (approval) => run(approval ? newest() : current, approval))
}

export const removeMember = (): Promise<boolean> =>
  onCurrent('member', (sale) => api.removeMember(sale.id, sale.version))

export const redeem = (units: number): Promise<boolean> => {
  useSale.setState((now) => ({ stage: 'ring', units: null, outcomeBefore: outcomeNow(now) }))
  return onCurrent('redemption', (sale) => api.redeem(sale.id, sale.version, units))
}

export function dismissOutcome(): void {
  const seenOutcome = outcomeNow(useSale.getState())
  if (seenOutcome !== null) useSale.setState({ seenOutcome })
}

/** Sends an amount to the card terminal; events report the outcome. */
export function charge(amountCents: number): Promise<boolean> {
  useSale.setState({ stage: 'card-terminal' })
  return onCurrent('tender', (sale) => api.chargeCard(sale.id, sale.version, amountCents))
}

export const stopCharge = (): Promise<boolean> => onCurrent('tender', (sale) => api.stopCharge(sale.id))

/** Pays the open sale. The payment that covers the amount due completes it. */
export function pay(payment: Payment): Promise<boolean> {
  dismissOutcome()
  // Sends the version that the cashier saw: the backend rejects the payment if an item was added since.
  return onCurrent('tender', (sale, approval) =>
    api.tender(sale.id, {
      ...payment,
      version: sale.version,
      ...(payment.kind === 'manufacturer-coupon' && approval ? { approval } : {}),
    }),
  )
}

/**
 * Loads a voucher by its code, with type and balance, and shows it. Throws ApiProblem, which the panel shows next to
 * the code.
 */
export async function presentVoucher(code: string): Promise<void> {
  const { voucher } = await api.presentVoucher(code)
  useSale.setState({ voucher })
}

/** Loads a manufacturer's coupon by its code and shows it. Throws ApiProblem, which the panel shows. */
export async function presentCoupon(code: string): Promise<void> {
  const { coupon } = await api.presentCoupon(code)
  useSale.setState({ manufacturerCoupon: coupon })
}

export async function sellGiftCard(amountCents: number): Promise<boolean> {
  const { blankCard } = useSale.getState()
  const sold = await command('gift-card', (approval) =>
    api.sellGiftCard({
      amountCents,
      ...(blankCard === null ? {} : { scanned: true }),
      ...(approval ? { approval } : {}),
    }),
  )
  if (sold && useSale.getState().stage === 'gift-card') useSale.setState({ stage: 'ring', blankCard: null })
  return sold
}

/** Completes a sale without an amount due, and without a tender. */
export const completeFree = (): Promise<boolean> =>
  onCurrent('tender', (sale) => api.completeSale(sale.id, sale.version))

export const payOut = (): Promise<boolean> => onCurrent('tender', (sale) => api.payOut(sale.id, sale.version))

export async function cancelSale(): Promise<void> {
  useSale.setState({ confirmingCancel: false })
  const cancelled = await onCurrent('cancel', (sale, approval) => api.cancelSale(sale.id, sale.version, approval))
  if (!cancelled) return
  // If there is a refund, the whole screen shows the cancellation until the cashier has paid it out, so no notice is
  // needed.
  if (!useSale.getState().closed) notify('info', ({ t }) => t('sale.cancelled'), { topic: CANCELLED_TOPIC })
}
