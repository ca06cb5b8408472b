import { navigate } from 'wouter/use-browser-location'
import { create } from 'zustand'
import type { z } from 'zod'
import type { Approval } from '../../../contracts/sales/sale-changes.ts'
import type {
  CommitReturn,
  ReturnableSale,
  ReturnQuote,
  ReturnReason,
  SaleReturn,
} from '../../../contracts/payments/returns.ts'
import type { RecalledGoods } from '../../../contracts/payments/return-rules.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { ApiProblem } from '../../core/api/problem.ts'
import { api } from '../../core/api/terminal-api.ts'
import { askApproval, needsApproval } from '../../sales/approvals.ts'
import { enqueue } from '../../core/state/command-queue.ts'
import { clearProblems, notify, report, clearTopic } from '../../core/state/notices.ts'
import { useSale } from '../../sales/sale.ts'

export const RETURN_PATH = '/return'

export type ScannedItem = Omit<Extract<TerminalEvent, { type: 'item-for-return' }>, 'type'>

type Pieces = Readonly<Record<number, number>>

export interface ReturnState {
  readonly sale: ReturnableSale | null
  /** Quantity to return of each line, by the line's number. */
  readonly pieces: Pieces
  readonly selectedLine: number | null
  /** Codes of scanned pieces that show a lot or a date, by the number of their line. */
  readonly scanned: NonNullable<z.input<typeof CommitReturn>['scanned']>
  /** The refund for these quantities; null while it is requested, or when no quantity is entered. */
  readonly quote: ReturnQuote | null
  /** Whether the refund first pays the open sale (an exchange). */
  readonly exchanging: boolean
  /**
   * The open sale that the completed return has paid, and its remaining amount due, in cents; null without an exchange.
   */
  readonly exchanged: ReturnQuote['exchange']
  readonly reason: ReturnReason | null
  readonly cardReference: string
  readonly unrecorded: boolean
  readonly unrecordedPieces: number
  /** Whether the value of goods returned without a receipt is known, so that the return can be confirmed. */
  readonly unrecordedWorth: boolean
  /** The open question whether to discard the entered goods; `go` runs after a yes. Null: no question. */
  readonly dropping: { readonly go: () => void } | null
  /** The field that was empty at the confirmation. */
  readonly missing: 'reason' | 'card-reference' | null
  /** Number of confirmations with an empty field: each moves the focus to that field. */
  readonly tries: number
  readonly busy: boolean
  /** Identifies the sale that is being loaded; null when none is. */
  readonly opening: symbol | null
  /** Goods of recalled lots that the completed return took back. */
  readonly recalled: readonly RecalledGoods[]
  /** The completed return: shown until the cashier has followed the instructions. */
  readonly done: SaleReturn | null
  /** Whether the instructions have been shown long enough that the second Enter of a double press cannot close them. */
  readonly seen: boolean
}

const NOTHING: ReturnState = {
  sale: null,
  pieces: {},
  selectedLine: null,
  scanned: [],
  recalled: [],
  quote: null,
  exchanging: false,
  exchanged: null,
  reason: null,
  cardReference: '',
  unrecorded: false,
  unrecordedPieces: 0,
  unrecordedWorth: false,
  dropping: null,
  missing: null,
  tries: 0,
  busy: false,
  opening: null,
  done: null,
  seen: false,
}

export const useReturn = create<ReturnState>()(() => NOTHING)

/**
 * The refund that the customer receives, in cents: cash rounded to five cents, less the portion that pays the open
 * sale.
 */
export const goesBackCents = (quote: ReturnQuote | null): number =>
  quote
    ? quote.refunds.reduce((sum, { amountCents, roundingCents }) => sum + amountCents + roundingCents, 0) -
      (quote.exchange?.paysCents ?? 0)
    : 0

/**
 * Entered quantity of a return that is not committed. While it is above zero, the return remains when the cashier
 * leaves the screen.
 */
export const enteredPieces = ({ pieces, unrecordedPieces, done }: ReturnState): number =>
  done ? 0 : Object.values(pieces).reduce((sum, quantity) => sum + quantity, unrecordedPieces)

/** Opens the return screen for this sale, or to look for a sale; a return with entered goods is resumed. */
export async function showReturn(saleId: string | null): Promise<void> {
  const state = useReturn.getState()
  if (enteredPieces(state) === 0) return beginReturn(saleId)
  if (location.pathname !== RETURN_PATH) navigate(RETURN_PATH)
  if (saleId !== null && state.sale?.saleId !== saleId)
    useReturn.setState({ dropping: { go: () => void beginReturn(saleId) } })
}

/** Starts a new return for this sale, or to look for one. Discards an earlier return. */
export async function beginReturn(saleId: string | null): Promise<void> {
  if (location.pathname !== RETURN_PATH) navigate(RETURN_PATH)
  useReturn.setState(NOTHING)
  if (saleId !== null) await openReturn(saleId)
}

/** Starts to look for another sale, after a confirmation if goods were entered. */
export const findAnother = (): void => afterDiscard(() => void beginReturn(null))

/** Cancels the return, after a confirmation if goods were entered. */
export const askToDiscardReturn = (): void => afterDiscard(leaveReturn)

function afterDiscard(go: () => void): void {
  if (enteredPieces(useReturn.getState()) === 0) go()
  else useReturn.setState({ dropping: { go } })
}

export const cancelDiscard = (): void => useReturn.setState({ dropping: null })
export function discardReturn(): void {
  const { dropping } = useReturn.getState()
  useReturn.setState(NOTHING)
  dropping?.go()
}

const SUSPENDED_TOPIC = 'return-suspended'

/** When the cashier leaves the screen, keeps the entered goods with a notice, and resets a return without goods. */
export function suspendReturn(): void {
  const state = useReturn.getState()
  // A return that is being committed is left as it is: its answer opens the screen again.
  if (state.busy) return
  const count = enteredPieces(state)
  if (count === 0) return useReturn.setState(NOTHING)
  cancelDiscard()
  notify('info', ({ t }) => t('returns.stillHere', { count }), {
    topic: SUSPENDED_TOPIC,
    offer: { text: ({ t }) => t('returns.goOn'), perform: () => void showReturn(null) },
  })
}

/**
 * When the cashier comes back to the screen, reloads the return that was left open, because the sale, the deadline and
 * the open sale may have changed.
 */
export function resumeReturn(): void {
  clearTopic(SUSPENDED_TOPIC)
  const state = useReturn.getState()
  if (!state.busy && enteredPieces(state) > 0) void reload()
}

export const leaveReturn = (): void => {
  useReturn.setState(NOTHING)
  navigate('/')
}

/** Shows the instructions of a completed return, even to a cashier who has left the screen since. */
export function showDone(
  done: SaleReturn,
  exchanged: ReturnQuote['exchange'] = null,
  recalled: readonly RecalledGoods[] = [],
): void {
  clearProblems()
  useReturn.setState({ ...NOTHING, done, exchanged, recalled })
  if (location.pathname !== RETURN_PATH) navigate(RETURN_PATH)
}

/** Starts a return of goods from a sale that this lane does not know. */
export const startUnrecorded = (): void => useReturn.setState({ ...NOTHING, unrecorded: true })

/**
 * Loads the returnable goods of a sale. Ignores a late answer after another return was begun, which may have goods
 * already.
 */
async function openReturn(saleId: string): Promise<void> {
  const opening = Symbol(saleId)
  useReturn.setState({ busy: true, opening })
  const wanted = (): boolean => useReturn.getState().opening === opening
  try {
    const sale = await api.returnable(saleId)
    if (!wanted()) return
    useReturn.setState({
      ...NOTHING,
      sale,
      selectedLine: sale.lines.find(({ leftQuantity }) => leftQuantity > 0)?.number ?? null,
    })
  } catch (error) {
    if (!wanted()) return
    useReturn.setState({ busy: false, opening: null })
    report(error)
  }
}

const leftOf = ({ sale }: ReturnState, number: number): number =>
  sale?.lines.find((line) => line.number === number)?.leftQuantity ?? 0

export function setPieces(number: number, quantity: number): void {
  const state = useReturn.getState()
  take({ ...state.pieces, [number]: Math.min(Math.max(quantity, 0), leftOf(state, number)) })
  useReturn.setState({ selectedLine: number })
}

/**
 * Adds a scanned piece to the return of a sale: to the line with the measure or price of its label, else to the first
 * line of the item with a remaining quantity.
 */
export function takeScannedPiece({ item, quantity = 1, priceCents, measured, scanned }: ScannedItem): void {
  const state = useReturn.getState()
  const restOf = (number: number): number => leftOf(state, number) - (state.pieces[number] ?? 0)
  const lines = state.sale?.lines.filter(({ sku, number }) => sku === item.sku && restOf(number) > 0) ?? []
  const line =
    lines.find(({ unitPriceCents, measure }) =>
      measured ? measure?.netThousandths === measured.netThousandths : unitPriceCents === priceCents,
    ) ?? lines[0]
  if (line === undefined)
    return notify('warning', ({ t, format }) => t('returns.notInSale', { name: format.text(item.name) }), {
      topic: `late ${item.sku}`,
    })
  if (scanned) useReturn.setState({ scanned: [...state.scanned, { ...scanned, number: line.number }] })
  setPieces(line.number, (state.pieces[line.number] ?? 0) + Math.min(quantity, restOf(line.number)))
}

/** Scanned codes of lines of which a quantity is returned. */
const scannedOf = ({ scanned, pieces }: ReturnState): Pick<z.input<typeof CommitReturn>, 'scanned'> => {
  const returned = scanned.filter(({ number }) => (pieces[number] ?? 0) > 0)
  return returned.length === 0 ? {} : { scanned: returned }
}

export function changePieces(step: 1 | -1): void {
  const { selectedLine, pieces } = useReturn.getState()
  if (selectedLine !== null) setPieces(selectedLine, (pieces[selectedLine] ?? 0) + step)
}

export function takeEverything(): void {
  const { sale } = useReturn.getState()
  take(Object.fromEntries(sale?.lines.map(({ number, leftQuantity }) => [number, leftQuantity]) ?? []))
}

function take(pieces: Pieces): void {
  useReturn.setState({ pieces, quote: null })
  void requote()
}

const linesOf = (pieces: Pieces): { number: number; quantity: number }[] =>
  Object.entries(pieces)
    .filter(([, quantity]) => quantity > 0)
    .map(([number, quantity]) => ({ number: Number(number), quantity }))

// A changed amount due of the open sale changes the refund of an exchange.
useSale.subscribe(({ current }, before) => {
  const { exchanging, busy } = useReturn.getState()
  // A return that is being committed changes the open sale itself.
  if (exchanging && !busy && (current?.id !== before.current?.id || current?.version !== before.current?.version))
    void requote()
})

export function setExchanging(exchanging: boolean): void {
  useReturn.setState({ exchanging, quote: null })
  void requote()
}

/** Requests the refund for the current quantities; ignores answers to older requests. */
export async function requote(): Promise<void> {
  const { sale, pieces, exchanging } = useReturn.getState()
  const { current } = useSale.getState()
  // An exchange ends when the open sale has nothing left to pay, or no longer exists.
  if (exchanging && (current?.totals.dueCents ?? 0) <= 0) return setExchanging(false)
  const openSale = exchanging ? current : null
  const lines = linesOf(pieces)
  if (!sale || lines.length === 0) return
  try {
    const quote = await api.quoteReturn({
      saleId: sale.saleId,
      lines,
      ...scannedOf(useReturn.getState()),
      ...(openSale ? { exchangeWith: openSale.id } : {}),
    })
    if (useReturn.getState().pieces !== pieces || useReturn.getState().exchanging !== exchanging) return
    useReturn.setState({ quote })
  } catch (error) {
    report(error)
  }
}

export async function confirmReturn(): Promise<void> {
  const { quote, reason, cardReference, tries } = useReturn.getState()
  if (!quote) return
  const missing =
    reason === null
      ? 'reason'
      : cardReference.trim() === '' && quote.refunds.some(({ kind }) => kind === 'card')
        ? 'card-reference'
        : null
  useReturn.setState({ missing, tries: missing ? tries + 1 : tries })
  if (missing) return
  try {
    await commitReturn()
  } catch (error) {
    if (needsApproval(error)) askApproval({ request: error.approval, attempt: commitReturn, refused: explainReturn })
    else await explainReturn(error)
  }
}

/** Commits the return. Throws ApiProblem; the PIN dialog shows PIN errors. */
export async function commitReturn(approval?: z.input<typeof Approval>): Promise<void> {
  const { sale, pieces, quote, reason, cardReference, busy } = useReturn.getState()
  if (!sale || !quote || reason === null || busy) return
  useReturn.setState({ busy: true })
  const command: z.input<typeof CommitReturn> = {
    saleId: sale.saleId,
    version: quote.version,
    lines: linesOf(pieces),
    ...scannedOf(useReturn.getState()),
    reason,
    refunds: quote.refunds.map(({ kind, paidBy, amountCents }) => ({ kind, paidBy, amountCents })),
    ...(quote.exchange ? { exchange: { saleId: quote.exchange.saleId, version: quote.exchange.version } } : {}),
    ...(quote.refunds.some(({ kind }) => kind === 'card') ? { cardReference: cardReference.trim() } : {}),
    ...(approval ? { approval } : {}),
  }
  try {
    const answer = await enqueue('return', () => api.commitReturn(command))
    showDone(answer.return, quote.exchange, quote.recalled)
  } finally {
    useReturn.setState({ busy: false })
  }
}

export async function explainReturn(error: unknown): Promise<void> {
  report(error)
  if (error instanceof ApiProblem && ['sale-stale', 'return-changed', 'return-exceeds-sold'].includes(error.code))
    await reload()
}

/** Reloads the sale, and keeps the entered quantities as far as they can still be returned. */
async function reload(): Promise<void> {
  const { sale } = useReturn.getState()
  if (!sale) return
  try {
    const fresh = await api.returnable(sale.saleId)
    // Read the state after the answer, because quantities may have been entered during the request.
    const { sale: now, pieces } = useReturn.getState()
    if (now?.saleId !== fresh.saleId) return
    useReturn.setState({ sale: fresh })
    take(
      Object.fromEntries(
        fresh.lines.map(({ number, leftQuantity }) => [number, Math.min(pieces[number] ?? 0, leftQuantity)]),
      ),
    )
  } catch (again) {
    report(again)
  }
}
