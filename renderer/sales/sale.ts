import type { CardPayment } from '../../contracts/payments/tenders/card-terminal.ts'
import type { PaymentKind } from '../../contracts/payments/tenders/registry.ts'
import { create } from 'zustand'
import type { Redemption, Sale, SaleLine } from '../../contracts/sales/sales.ts'
import type { Voucher } from '../../contracts/payments/vouchers.ts'
import type { z } from 'zod'

/** The key of each way to pay that a panel of its own takes. */
export const PAYMENT_KEYS = {
  cash: 'F6',
  card: 'F7',
  'card-terminal': 'F7',
  cheque: 'Ctrl+F7',
  voucher: 'Shift+F7',
} as const satisfies Record<PaymentKind, string>

export const PAYMENTS = Object.keys(PAYMENT_KEYS) as readonly PaymentKind[]
export const isPayment = (stage: string): stage is PaymentKind => stage in PAYMENT_KEYS
/** Of a terminal that has not said yet what its store accepts. */
export const NO_PAYMENTS: readonly PaymentKind[] = []

/** Where the cashier is in the payment panel. What the sale itself says (a redemption under way) goes before it. */
export type Stage = 'ring' | 'quick' | 'redeem' | PaymentKind | 'gift-card'
/** What the payment panel shows. */
export type Panel = Stage | 'redemption' | 'after'
export type RedemptionFacts = z.infer<typeof Redemption>

export interface SaleState {
  /** The open sale, null between customers. */
  readonly current: Sale | null
  /** The sale that was closed last on this screen; shown until the next customer. */
  readonly closed: Sale | null
  /** The hand that paid has had time to leave: what is handed over stands there to be seen. */
  readonly closedSeen: boolean
  /** Change of the sale before, in cents, for who counts it out while the next one begins; 0 when there was none. */
  readonly lastChangeCents: number
  /**
   * The sale that was completed last on this lane: its receipt can be printed again after the screen has gone on, and
   * after a restart.
   */
  readonly lastSaleId: string | null
  readonly stage: Stage
  readonly selectedLine: number | null
  /** Units chosen on the redeem panel; null: the default of the choice. */
  readonly units: number | null
  /** The voucher that was shown, to pay with. */
  readonly voucher: Voucher | null
  /** The last four of an unsold gift card that was scanned. */
  readonly blankCard: string | null
  /** The outcome that the cashier has seen and left, as `<redemption id> <state>`. */
  readonly seenOutcome: string | null
  /** What had come of the redemption before the one that was asked for last, likewise; null: none had been. */
  readonly outcomeBefore: string | null
  readonly confirmingCancel: boolean
  /** Number of the payment that is about to be given back; null: none. */
  readonly givingBack: number | null
  /** The line whose quantity is being typed, however the list moves meanwhile. */
  readonly editingQuantity: number | null
}

/**
 * Kinds of command that change what the basket holds or is worth: a payment never overtakes one that is still on its
 * way.
 */
export const INTO_BASKET = ['ring', 'gift-card', 'line', 'change', 'member'] as const
/** A sale that is being put on hold, or cancelled, is not paid before it is known whether it still stands. */
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
  blankCard: null,
  seenOutcome: null,
  outcomeBefore: null,
  confirmingCancel: false,
  givingBack: null,
  editingQuantity: null,
}))

/** The newest revision seen of each sale: an answer that comes late never brings an older sale back. */
const revisions = new Map<string, number>()
const MOST_REMEMBERED = 50

/**
 * Take a sale as the backend tells it, by answer or by event, in whatever order they come. Answers whether it was
 * taken.
 */
export function takeSale(sale: Sale): boolean {
  const seen = revisions.get(sale.id)
  if (seen !== undefined && sale.revision < seen) return false
  revisions.delete(sale.id)
  revisions.set(sale.id, sale.revision)
  for (const oldest of revisions.keys()) {
    if (revisions.size <= MOST_REMEMBERED) break
    revisions.delete(oldest)
  }
  const { current, closed } = useSale.getState()
  if (sale.state === 'open') {
    useSale.setState(current?.id === sale.id ? continued(current, sale) : opened(sale))
    return true
  }
  // Put on hold: this lane is free for the next customer.
  if (sale.state === 'held') {
    if (current?.id === sale.id) nextCustomer()
    return true
  }
  if (current?.id === sale.id) {
    useSale.setState({ ...betweenSales, lastChangeCents: 0, closed: leavesNothing(sale) ? null : sale })
    if (sale.state === 'completed') useSale.setState({ lastSaleId: sale.id })
  } else if (closed?.id === sale.id) useSale.setState({ closed: sale })
  else return false
  return true
}

/**
 * A cancelled sale stays on the screen when money or miles must go back, or when a redemption has left something to
 * say.
 */
const leavesNothing = (sale: Sale): boolean =>
  sale.state === 'cancelled' && sale.tenders.length === 0 && sale.redemption === null

/** The backend has started anew: what it says now is newer than anything before, whatever its clock says. */
export const forgetRevisions = (): void => revisions.clear()

/** No sale is open, as the backend says on a fresh start. */
export function takeNoSale(): void {
  if (useSale.getState().current) useSale.setState({ ...betweenSales, closed: null })
}

/** Leave the closed sale: the screen is ready for the next customer. */
export const nextCustomer = (): void => useSale.setState({ ...betweenSales, ...leftBehind(), closed: null })

/** A completed sale is the business of whoever served it. What a cancelled one gives back is everybody's. */
export function leaveCompleted(): void {
  const { closed } = useSale.getState()
  useSale.setState({ lastChangeCents: 0, ...(closed?.state === 'completed' ? { ...betweenSales, closed: null } : {}) })
}

/** What of the sale before is still good to know. */
function leftBehind(): Partial<SaleState> {
  const { closed } = useSale.getState()
  return closed ? { lastChangeCents: changeOf(closed) } : {}
}

/** Cents of change that a sale gave. */
export const changeOf = ({ tenders }: Pick<Sale, 'tenders'>): number =>
  tenders.reduce((sum, { changeCents }) => sum + changeCents, 0)

/** A closed sale after which something is handed over: change, or what a cancelled sale gives back. */
export const handsOver = (sale: Sale): boolean => sale.state === 'cancelled' || changeOf(sale) > 0

const betweenSales = {
  closedSeen: false,
  current: null,
  stage: 'ring',
  selectedLine: null,
  units: null,
  voucher: null,
  blankCard: null,
  seenOutcome: null,
  outcomeBefore: null,
  confirmingCancel: false,
  givingBack: null,
  editingQuantity: null,
} as const satisfies Partial<SaleState>

/** Who rings by touch goes on ringing by touch when the first item opens the sale. */
const opened = (sale: Sale): Partial<SaleState> => ({
  ...betweenSales,
  ...leftBehind(),
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
  // The payment that was being entered is in the sale: what was typed for it must not pay once more, also when its own
  // answer was lost.
  if (sale.tenders.length > before.tenders.length && isPayment(stage))
    return { ...next, stage: 'ring', units: null, voucher: null }
  const most = sale.redemptionChoice?.maxUnits
  // A choice that is no longer offered, or a smaller one, must not stay on the screen.
  if (stage === 'redeem' && most === undefined) return { ...next, stage: 'ring', units: null }
  if (units !== null && most !== undefined && units > most) return { ...next, units: most }
  return next
}

/** The line that was rung between two states of a sale: new, more of it, or back after its void was undone. */
export function changedLine(before: Sale | null, after: Sale): SaleLine | undefined {
  return after.lines.findLast((line) => {
    if (line.voided) return false
    const was = before?.lines.find((other) => other.number === line.number)
    return was === undefined || was.voided || was.quantity !== line.quantity
  })
}

export const lastLine = (sale: Sale): SaleLine | undefined => sale.lines.findLast((line) => !line.voided)

/**
 * The marked line; after its void the next below it, else the last: the mark never leaps to another end of the basket.
 */
const nearestLine = (sale: Sale, marked: number | null): SaleLine | undefined =>
  (marked === null ? undefined : sale.lines.find((line) => line.number >= marked && !line.voided)) ?? lastLine(sale)

export const itemCount = (sale: Sale): number =>
  sale.lines.reduce((count, line) => (line.voided ? count : count + line.quantity), 0)

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

/** The card terminal is at work, or is asked what became of it: nothing else happens to the sale until it tells. */
export const isCharging = (payment: Pick<CardPayment, 'state'> | null | undefined): boolean =>
  payment?.state === 'asked' || payment?.state === 'unknown'

/** Miles that go back have one outcome to see, however far they have come. */
export const outcomeKey = (redemption: RedemptionFacts): string =>
  `${redemption.id} ${outcomeOf(redemption) === 'reversal' ? 'reversal' : redemption.state}`

/** Of the sale that is open: what has come of its redemption so far. */
export const outcomeNow = ({ current }: Pick<SaleState, 'current'>): string | null =>
  current?.redemption ? outcomeKey(current.redemption) : null

/**
 * What the payment panel shows now. A redemption under way cannot be left; its outcome is seen before anything else.
 */
export function panelOf(state: Pick<SaleState, 'current' | 'closed' | 'stage' | 'seenOutcome'>): Panel {
  const { current, closed, stage, seenOutcome } = state
  // A gift card may be the first thing of a sale.
  if (!current) return closed ? 'after' : stage === 'gift-card' || stage === 'quick' ? stage : 'ring'
  const { redemption } = current
  // The cashier gave its miles back: that they are on their way is no news, in whichever window.
  const asked = redemption?.wasApplied && (redemption?.state === 'reversing' || redemption?.state === 'reversed')
  if (redemption && !asked && (outcomeOf(redemption) === 'progress' || outcomeKey(redemption) !== seenOutcome))
    return 'redemption'
  return isCharging(current.cardPayment) ? 'card-terminal' : stage
}

export const setStage = (stage: Stage): void => useSale.setState({ stage, units: null, voucher: null, blankCard: null })
export const selectLine = (number: number | null): void =>
  useSale.setState({ selectedLine: number, editingQuantity: null })

/** Test seam: forget everything, as a fresh window. */
export function resetSale(): void {
  revisions.clear()
  useSale.setState({ ...betweenSales, closed: null, lastChangeCents: 0, lastSaleId: null })
}

type Discount = Sale['discounts'][number]

/** Discounts of this line alone: they stand on it. */
export const ownDiscounts = (sale: Pick<Sale, 'discounts'>, line: number): Discount[] =>
  sale.discounts.filter(({ reach, applies }) => reach.kind === 'line' && reach.number === line && applies)

/**
 * Discounts that reach more than one line: they stand beside the total, and the lines show what they cost before them.
 */
export const sharedDiscounts = ({ discounts }: Pick<Sale, 'discounts'>): Discount[] =>
  discounts.filter(({ reach, applies }) => reach.kind !== 'line' && applies)

/**
 * What a line costs in cents before what is taken off the sale: such amounts, less the shared discounts, are the
 * subtotal.
 */
export const amountOfLine = (sale: Pick<Sale, 'discounts'>, line: SaleLine): number =>
  line.amountCents +
  line.discountCents -
  ownDiscounts(sale, line.number).reduce((sum, { amountCents }) => sum + amountCents, 0)

/** The age check that the cashier has put off, as for a customer who fetches a card: it stays with the sale. */
export const useAgeCheck = create<{ readonly putOff: string | null }>()(() => ({ putOff: null }))

/** One question: of a sale, of an age, and of so many items. */
export const questionOf = ({ id, ageCheck }: Pick<Sale, 'id' | 'ageCheck'>): string | null =>
  ageCheck ? `${id} ${ageCheck.minimumAge} ${ageCheck.items.length}` : null

export const putOffAgeCheck = (sale: Sale): void => useAgeCheck.setState({ putOff: questionOf(sale) })
export const showAgeCheck = (): void => useAgeCheck.setState({ putOff: null })
