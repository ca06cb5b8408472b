import { EMPTIES_SKU } from '../../contracts/catalog/goods.ts'
import type { CardPayment } from '../../contracts/payments/tenders/card-terminal.ts'
import type { PaymentKind } from '../../contracts/payments/tenders/registry.ts'
import { create } from 'zustand'
import type { Redemption, Sale, SaleLine } from '../../contracts/sales/sales.ts'
import type { PresentedCoupon } from '../../contracts/catalog/manufacturer-coupons.ts'
import type { Voucher } from '../../contracts/payments/vouchers.ts'
import type { z } from 'zod'

export const PAYMENT_KEYS = {
  cash: 'F6',
  card: 'F7',
  'card-terminal': 'F7',
  cheque: 'Ctrl+F7',
  'manufacturer-coupon': 'Ctrl+F12',
  voucher: 'Shift+F7',
} as const satisfies Record<PaymentKind, string>

export const PAYMENTS = Object.keys(PAYMENT_KEYS) as readonly PaymentKind[]
export const isPayment = (stage: string): stage is PaymentKind => stage in PAYMENT_KEYS
/** The payment types until the terminal has reported those that its store accepts. */
export const NO_PAYMENTS: readonly PaymentKind[] = []

/** The cashier's step in the payment panel. A redemption in progress takes precedence. */
export type Stage = 'ring' | 'quick' | 'redeem' | PaymentKind | 'gift-card'
export type Panel = Stage | 'redemption' | 'after'
export type RedemptionFacts = z.infer<typeof Redemption>

export interface SaleState {
  readonly current: Sale | null
  readonly closed: Sale | null
  /** Whether the double-tap delay after the payment has passed, so that the change due was visible. */
  readonly closedSeen: boolean
  /**
   * Change of the previous sale in cents, which the cashier counts out while the next sale begins; 0 without change.
   */
  readonly lastChangeCents: number
  /**
   * Id of the last sale completed on this lane: its receipt can be reprinted from later screens, and after a restart.
   */
  readonly lastSaleId: string | null
  readonly stage: Stage
  readonly selectedLine: number | null
  /** Units chosen on the redeem panel; null: the proposed number of units. */
  readonly units: number | null
  /** The presented voucher, which will pay when the amount is confirmed. */
  readonly voucher: Voucher | null
  /** The presented manufacturer's coupon, which pays when it is confirmed. */
  readonly manufacturerCoupon: PresentedCoupon | null
  readonly blankCard: string | null
  /** The redemption outcome that the cashier has seen and closed, in the format of `outcomeKey`. */
  readonly seenOutcome: string | null
  /** The redemption outcome before the last request to redeem, in the same format; null: none. */
  readonly outcomeBefore: string | null
  readonly confirmingCancel: boolean
  readonly givingBack: number | null
  /** Number of the line whose quantity is being typed, even when the list changes. */
  readonly editingQuantity: number | null
  /** Quantity of the next item that is rung; null: one. */
  readonly nextQuantity: number | null
  /** Whether the quantity of the next item is being typed. */
  readonly enteringQuantity: boolean
}

/** Kinds of commands that change the basket or its value: a payment waits for those in flight. */
export const INTO_BASKET = ['ring', 'gift-card', 'line', 'change', 'member'] as const
/**
 * Kinds of commands for which a payment waits: also a hold or cancellation, because it decides whether the sale can be
 * paid.
 */
export const BEFORE_PAYING = [...INTO_BASKET, 'hold', 'cancel'] as const

export const useSale = create<SaleState>()(() => ({
  current: null,
  closed: null,
  closedSeen: false,
  lastChangeCents: 0,
  lastSaleId: null,
  stage: 'ring',
  selectedLine: null,
  units: null,
  voucher: null,
  manufacturerCoupon: null,
  blankCard: null,
  seenOutcome: null,
  outcomeBefore: null,
  confirmingCancel: false,
  givingBack: null,
  editingQuantity: null,
  nextQuantity: null,
  enteringQuantity: false,
}))

/** The newest known revision of each sale, so that late answers are ignored. */
const revisions = new Map<string, number>()
const MAX_REVISIONS = 50

/** Applies a sale from an answer or an event, in any order. Returns whether it was applied. */
export function takeSale(sale: Sale): boolean {
  const seen = revisions.get(sale.id)
  if (seen !== undefined && sale.revision < seen) return false
  revisions.delete(sale.id)
  revisions.set(sale.id, sale.revision)
  for (const oldest of revisions.keys()) {
    if (revisions.size <= MAX_REVISIONS) break
    revisions.delete(oldest)
  }
  const { current, closed } = useSale.getState()
  if (sale.state === 'open') {
    useSale.setState(current?.id === sale.id ? continued(current, sale) : opened(sale))
    return true
  }
  // A sale on hold leaves the lane free for the next customer.
  if (sale.state === 'held') {
    if (current?.id === sale.id) nextCustomer()
    return true
  }
  if (current?.id === sale.id) {
    useSale.setState({ ...betweenSales, lastChangeCents: 0, closed: isFullyUndone(sale) ? null : sale })
    if (sale.state === 'completed') useSale.setState({ lastSaleId: sale.id })
  } else if (closed?.id === sale.id) useSale.setState({ closed: sale })
  else return false
  return true
}

/**
 * Whether a cancelled sale disappears from the screen: not if money or miles must be returned, or a redemption has an
 * outcome to show.
 */
const isFullyUndone = (sale: Sale): boolean =>
  sale.state === 'cancelled' && sale.tenders.length === 0 && sale.redemption === null

/**
 * Forgets the known revisions after a restart of the backend: its next state is newer than all before it, independent
 * of clocks.
 */
export const forgetRevisions = (): void => revisions.clear()

/** Removes the sale from the screen when the backend reports no open sale and does not know this one. */
export function takeNoSale(): void {
  if (useSale.getState().current) useSale.setState({ ...betweenSales, closed: null })
}

export const nextCustomer = (): void => useSale.setState({ ...betweenSales, ...previousSaleState(), closed: null })

/** Leaves a completed sale, which only its own cashier sees; the refund of a cancelled sale stays for all. */
export function leaveCompleted(): void {
  const { closed } = useSale.getState()
  useSale.setState({ lastChangeCents: 0, ...(closed?.state === 'completed' ? { ...betweenSales, closed: null } : {}) })
}

function previousSaleState(): Partial<SaleState> {
  const { closed } = useSale.getState()
  return closed ? { lastChangeCents: changeOf(closed) } : {}
}

/** Cash that the customer of a sale gets: change, or what is paid out for empty containers. */
export const changeOf = ({ state, tenders }: Pick<Sale, 'state' | 'tenders'>): number =>
  tenders.reduce((sum, { changeCents }) => sum + changeCents, 0) + paidOutOf({ state, tenders })

/** Cash paid out for a negative total; 0 without one. */
export const paidOutOf = ({ state, tenders }: Pick<Sale, 'state' | 'tenders'>): number =>
  state === 'completed'
    ? tenders.reduce((sum, { tenderedCents }) => (tenderedCents < 0 ? sum - tenderedCents : sum), 0)
    : 0

/** Whether a closed sale has change to pay out, or was cancelled and so may have a refund to pay out. */
export const hasCashToPayOut = (sale: Sale): boolean => sale.state === 'cancelled' || changeOf(sale) > 0

const betweenSales = {
  closedSeen: false,
  current: null,
  stage: 'ring',
  selectedLine: null,
  units: null,
  voucher: null,
  manufacturerCoupon: null,
  blankCard: null,
  seenOutcome: null,
  outcomeBefore: null,
  confirmingCancel: false,
  givingBack: null,
  editingQuantity: null,
  nextQuantity: null,
  enteringQuantity: false,
} as const satisfies Partial<SaleState>

/** Quick keys stay open when their first item opens the sale. */
const opened = (sale: Sale): Partial<SaleState> => ({
  ...betweenSales,
  ...previousSaleState(),
  stage: useSale.getState().stage === 'quick' ? 'quick' : 'ring',
  current: sale,
  closed: null,
  selectedLine: lastLine(sale)?.number ?? null,
})

function continued(before: Sale, sale: Sale): Partial<SaleState> {
  const { selectedLine, stage, units } = useSale.getState()
  const rung = changedLine(before, sale)
  const next: Partial<SaleState> = {
    current: sale,
    selectedLine: (rung ?? nearestLine(sale, selectedLine))?.number ?? null,
  }
  // When a payment is on the sale, its panel closes, so that the input cannot pay again even if its own answer was
  // lost.
  if (sale.tenders.length > before.tenders.length && isPayment(stage))
    return { ...next, stage: 'ring', units: null, voucher: null, manufacturerCoupon: null }
  const max = sale.redemptionChoice?.maxUnits
  // Close a choice of units that is no longer offered, and reduce units above a smaller maximum.
  if (stage === 'redeem' && max === undefined) return { ...next, stage: 'ring', units: null }
  if (units !== null && max !== undefined && units > max) return { ...next, units: max }
  return next
}

/**
 * The line that was rung or changed between two states of a sale: new, with another quantity, or restored by an undo.
 */
export function changedLine(before: Sale | null, after: Sale): SaleLine | undefined {
  return after.lines.findLast((line) => {
    if (line.voided || line.chargeOf !== undefined) return false
    const was = before?.lines.find((other) => other.number === line.number)
    return was === undefined || was.voided || was.quantity !== line.quantity
  })
}

export const lastLine = (sale: Sale): SaleLine | undefined =>
  sale.lines.findLast((line) => !line.voided && line.chargeOf === undefined)

/** The selected line; after its void the next line below it, else the last one, so that the selection never jumps. */
const nearestLine = (sale: Sale, marked: number | null): SaleLine | undefined =>
  (marked === null
    ? undefined
    : sale.lines.find((line) => line.number >= marked && !line.voided && line.chargeOf === undefined)) ?? lastLine(sale)

export const itemCount = (sale: Sale): number =>
  sale.lines.reduce(
    (count, line) =>
      line.voided || line.chargeOf !== undefined || line.sku === EMPTIES_SKU ? count : count + line.quantity,
    0,
  )

type Outcome = 'progress' | 'approved' | 'failed' | 'reversal'

export function outcomeOf(redemption: Pick<RedemptionFacts, 'state'>): Outcome {
  switch (redemption.state) {
    case 'intent':
    case 'retry':
      return 'progress'
    case 'approved':
      return 'approved'
    case 'declined':
    case 'escalated':
      return 'failed'
    case 'reversing':
    case 'reversed':
    case 'reversal-expired':
    case 'reversal-escalated':
      return 'reversal'
  }
}

/** Whether the card terminal is working or its outcome is unknown: the sale must not change until it answers. */
export const isCharging = (payment: Pick<CardPayment, 'state'> | null | undefined): boolean =>
  payment?.state === 'asked' || payment?.state === 'unknown'

/** Identifies the outcome of a redemption. Miles that are returned have one outcome to show for all their states. */
export const outcomeKey = (redemption: RedemptionFacts): string =>
  `${redemption.id} ${outcomeOf(redemption) === 'reversal' ? 'reversal' : redemption.state}`

export const outcomeNow = ({ current }: Pick<SaleState, 'current'>): string | null =>
  current?.redemption ? outcomeKey(current.redemption) : null

/**
 * Decides the content of the payment panel. A redemption in progress cannot be closed, and its outcome must be seen
 * first.
 */
export function panelOf(state: Pick<SaleState, 'current' | 'closed' | 'stage' | 'seenOutcome'>): Panel {
  const { current, closed, stage, seenOutcome } = state
  // Without an open sale, quick keys and gift cards are possible, because a gift card may be the first item.
  if (!current) return closed ? 'after' : stage === 'gift-card' || stage === 'quick' ? stage : 'ring'
  const { redemption } = current
  // Miles that a cashier returned show no outcome, in any window.
  const asked = redemption?.wasApplied && (redemption?.state === 'reversing' || redemption?.state === 'reversed')
  if (redemption && !asked && (outcomeOf(redemption) === 'progress' || outcomeKey(redemption) !== seenOutcome))
    return 'redemption'
  return isCharging(current.cardPayment) ? 'card-terminal' : stage
}

export const setStage = (stage: Stage): void =>
  useSale.setState({ stage, units: null, voucher: null, manufacturerCoupon: null, blankCard: null })
export const selectLine = (number: number | null): void =>
  useSale.setState({ selectedLine: number, editingQuantity: null })

/** Closes the field of a quantity without a change. */
export const leaveQuantity = (): void => useSale.setState({ enteringQuantity: false, editingQuantity: null })

/** For tests: resets the sale to the state of a new window. */
export function resetSale(): void {
  revisions.clear()
  useSale.setState({ ...betweenSales, closed: null, lastChangeCents: 0, lastSaleId: null })
}

type Discount = Sale['discounts'][number]

export const ownDiscounts = (sale: Pick<Sale, 'discounts'>, line: number): Discount[] =>
  sale.discounts.filter(({ reach, applies }) => reach.kind === 'line' && reach.number === line && applies)

/** Discounts of more than one line, shown next to the total; the lines show their amounts before these discounts. */
export const sharedDiscounts = ({ discounts }: Pick<Sale, 'discounts'>): Discount[] =>
  discounts.filter(({ reach, applies }) => reach.kind !== 'line' && applies)

/** Returns the sum of all promotions, coupons and discounts of the sale, in cents. */
export const savedCents = ({ lines }: Pick<Sale, 'lines'>): number =>
  lines.reduce((sum, { voided, discountCents }) => sum + (voided ? 0 : discountCents), 0)

/** Amount of a line in cents, before sale discounts. The subtotal is the sum of these less the shared discounts. */
export const amountOfLine = (sale: Pick<Sale, 'discounts'>, line: SaleLine): number =>
  line.amountCents +
  line.discountCents -
  ownDiscounts(sale, line.number).reduce((sum, { amountCents }) => sum + amountCents, 0)

/** Id of the age check that the cashier has postponed, e.g. while a customer gets an ID; it stays with the sale. */
export const useAgeCheck = create<{ readonly putOff: string | null }>()(() => ({ putOff: null }))

/** Identifies an age check: the sale, the age, and the number of items. */
export const questionOf = ({ id, ageCheck }: Pick<Sale, 'id' | 'ageCheck'>): string | null =>
  ageCheck ? `${id} ${ageCheck.minimumAge} ${ageCheck.items.length}` : null

export const putOffAgeCheck = (sale: Sale): void => useAgeCheck.setState({ putOff: questionOf(sale) })
export const showAgeCheck = (): void => useAgeCheck.setState({ putOff: null })
