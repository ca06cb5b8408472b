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
import { ApiProblem } from '../../core/api/problem.ts'
import { api } from '../../core/api/terminal-api.ts'
import { askApproval, wantsApproval } from '../../sales/approvals.ts'
import { inTurn } from '../../core/state/command-queue.ts'
import { clearProblems, notify, report, settleTopic } from '../../core/state/notices.ts'
import { useSale } from '../../sales/sale.ts'

export const RETURN_PATH = '/return'

type Pieces = Readonly<Record<number, number>>

export interface ReturnState {
  /** The sale whose goods come back; null while it is looked for. */
  readonly sale: ReturnableSale | null
  /** How many pieces of each line come back, by the line's number. */
  readonly pieces: Pieces
  readonly selectedLine: number | null
  /** What would go back for these pieces; null while it is asked, and for none. */
  readonly quote: ReturnQuote | null
  /** As much of it as can be pays the open sale at once. */
  readonly exchanging: boolean
  /**
   * The open sale that the return that was just made has paid, and what it left to pay of it, in cents; null without an
   * exchange.
   */
  readonly exchanged: ReturnQuote['exchange']
  readonly reason: ReturnReason | null
  readonly cardReference: string
  /** Goods without a record are taken back. */
  readonly unrecorded: boolean
  /** How many pieces of them were entered. */
  readonly unrecordedPieces: number
  /** What they are worth is known: they can be confirmed. */
  readonly unrecordedWorth: boolean
  /** Whether what was entered is to be thrown away is being asked; `go` is what comes then. */
  readonly dropping: { readonly go: () => void } | null
  /** What was wrong when it was confirmed: shown where it is mended. */
  readonly missing: 'reason' | 'card-reference' | null
  /** How often it was confirmed with something missing: each time the focus goes there. */
  readonly tries: number
  readonly busy: boolean
  /** The question for the sale that is being opened; null when none is. */
  readonly opening: symbol | null
  /** The return that was just made: shown until the cashier has done what it says. */
  readonly done: SaleReturn | null
  /**
   * The screen that says what to do has been there long enough that a second tap of the hand that confirmed cannot send
   * it away.
   */
  readonly seen: boolean
}

const NOTHING: ReturnState = {
  sale: null,
  pieces: {},
  selectedLine: null,
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

/** What the customer is handed or credited, in cents: cash in five cents, and less what pays the open sale. */
export const goesBackCents = (quote: ReturnQuote | null): number =>
  quote
    ? quote.refunds.reduce((sum, { amountCents, roundingCents }) => sum + amountCents + roundingCents, 0) -
      (quote.exchange?.paysCents ?? 0)
    : 0

/**
 * How many pieces the cashier has entered of a return that is not made yet: while there are any, it is kept wherever
 * the screen goes.
 */
export const piecesInHand = ({ pieces, unrecordedPieces, done }: ReturnState): number =>
  done ? 0 : Object.values(pieces).reduce((sum, quantity) => sum + quantity, unrecordedPieces)

/** Open the return screen: for this sale, or to go on with the return that was begun, or to look for a sale. */
export async function showReturn(saleId: string | null): Promise<void> {
  const state = useReturn.getState()
  if (piecesInHand(state) === 0) return beginReturn(saleId)
  if (location.pathname !== RETURN_PATH) navigate(RETURN_PATH)
  if (saleId !== null && state.sale?.saleId !== saleId)
    useReturn.setState({ dropping: { go: () => void beginReturn(saleId) } })
}

/** Anew, whatever was begun: for this sale, or to look for one. */
export async function beginReturn(saleId: string | null): Promise<void> {
  if (location.pathname !== RETURN_PATH) navigate(RETURN_PATH)
  useReturn.setState(NOTHING)
  if (saleId !== null) await openReturn(saleId)
}

/** Another sale is looked for; what was entered is only thrown away when the cashier says so. */
export const findAnother = (): void => onceDropped(() => void beginReturn(null))

/** The return is given up, once the cashier says so. */
export const giveUpReturn = (): void => onceDropped(leaveReturn)

function onceDropped(go: () => void): void {
  if (piecesInHand(useReturn.getState()) === 0) go()
  else useReturn.setState({ dropping: { go } })
}

export const keepReturn = (): void => useReturn.setState({ dropping: null })
export function dropReturn(): void {
  const { dropping } = useReturn.getState()
  useReturn.setState(NOTHING)
  dropping?.go()
}

const KEPT_TOPIC = 'return-kept'

/**
 * The cashier has left the screen: what was entered is kept and said, and nothing of a return without goods is there
 * for the next customer.
 */
export function setReturnAside(): void {
  const state = useReturn.getState()
  // It is being made: nobody knows yet whether money goes back, and its answer brings the screen again.
  if (state.busy) return
  const count = piecesInHand(state)
  if (count === 0) return useReturn.setState(NOTHING)
  keepReturn()
  notify('info', ({ t }) => t('returns.stillHere', { count }), {
    topic: KEPT_TOPIC,
    offer: { say: ({ t }) => t('returns.goOn'), perform: () => void showReturn(null) },
  })
}

/** Back on the screen: what was kept is looked at anew, since the sale, the hour and the open sale may have moved. */
export function takeUpReturn(): void {
  settleTopic(KEPT_TOPIC)
  const state = useReturn.getState()
  if (!state.busy && piecesInHand(state) > 0) void reload()
}

export const leaveReturn = (): void => {
  useReturn.setState(NOTHING)
  navigate('/')
}

/** A return was made: the screen says what to do now, also to a cashier who has left it meanwhile. */
export function showDone(done: SaleReturn, exchanged: ReturnQuote['exchange'] = null): void {
  clearProblems()
  useReturn.setState({ ...NOTHING, done, exchanged })
  if (location.pathname !== RETURN_PATH) navigate(RETURN_PATH)
}

/** Goods of a sale that this lane does not know. */
export const startUnrecorded = (): void => useReturn.setState({ ...NOTHING, unrecorded: true })

/**
 * Load what is left of a sale. An answer that comes after something else was begun is dropped: goods may lie in it
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

// An item that is rung while the return is to pay for it changes what is left to pay.
useSale.subscribe(({ current }, before) => {
  const { exchanging, busy } = useReturn.getState()
  // While the return is made it is the return that changes the sale.
  if (exchanging && !busy && (current?.id !== before.current?.id || current?.version !== before.current?.version))
    void requote()
})

/** The return pays the open sale, or goes back to the customer. */
export function setExchanging(exchanging: boolean): void {
  useReturn.setState({ exchanging, quote: null })
  void requote()
}

/** Ask what goes back for the pieces as they stand now; the answer to an older question is dropped. */
export async function requote(): Promise<void> {
  const { sale, pieces, exchanging } = useReturn.getState()
  const { current } = useSale.getState()
  // The sale that it was to pay is paid, or gone.
  if (exchanging && (current?.totals.dueCents ?? 0) <= 0) return setExchanging(false)
  const openSale = exchanging ? current : null
  const lines = linesOf(pieces)
  if (!sale || lines.length === 0) return
  try {
    const quote = await api.quoteReturn({
      saleId: sale.saleId,
      lines,
      ...(openSale ? { exchangeWith: openSale.id } : {}),
    })
    if (useReturn.getState().pieces !== pieces || useReturn.getState().exchanging !== exchanging) return
    useReturn.setState({ quote })
  } catch (error) {
    report(error)
  }
}

/** Confirm what the screen shows. A cashier is first asked for a supervisor's PIN where the store wants one. */
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
    if (wantsApproval(error)) askApproval({ request: error.approval, attempt: commitReturn, refused: explainReturn })
    else await explainReturn(error)
  }
}

/** Throws ApiProblem: one about the PIN is told where it is typed. */
export async function commitReturn(approval?: z.input<typeof Approval>): Promise<void> {
  const { sale, pieces, quote, reason, cardReference, busy } = useReturn.getState()
  if (!sale || !quote || reason === null || busy) return
  useReturn.setState({ busy: true })
  const command: z.input<typeof CommitReturn> = {
    saleId: sale.saleId,
    version: quote.version,
    lines: linesOf(pieces),
    reason,
    refunds: quote.refunds.map(({ kind, paidBy, amountCents }) => ({ kind, paidBy, amountCents })),
    ...(quote.exchange ? { exchange: { saleId: quote.exchange.saleId, version: quote.exchange.version } } : {}),
    ...(quote.refunds.some(({ kind }) => kind === 'card') ? { cardReference: cardReference.trim() } : {}),
    ...(approval ? { approval } : {}),
  }
  try {
    const answer = await inTurn('return', () => api.commitReturn(command))
    showDone(answer.return, quote.exchange)
  } finally {
    useReturn.setState({ busy: false })
  }
}

/** What has changed meanwhile is shown anew. */
export async function explainReturn(error: unknown): Promise<void> {
  report(error)
  if (error instanceof ApiProblem && ['sale-stale', 'return-changed', 'return-exceeds-sold'].includes(error.code))
    await reload()
}

/** The sale as it stands now, with the pieces kept as far as they are still there. */
async function reload(): Promise<void> {
  const { sale } = useReturn.getState()
  if (!sale) return
  try {
    const fresh = await api.returnable(sale.saleId)
    // With the pieces that were entered while it was on its way.
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
