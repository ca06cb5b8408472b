import { create } from 'zustand'
import type { z } from 'zod'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import type { MeasuredGoods, UnrecordedQuote } from '../../../contracts/payments/returns.ts'
import { askQuantity, isSoldByMeasure } from '../../sales/weighing.ts'
import type { Approval } from '../../../contracts/sales/sale-changes.ts'
import { api } from '../../core/api/terminal-api.ts'
import { askApproval, needsApproval } from '../../sales/approvals.ts'
import { enqueue } from '../../core/state/command-queue.ts'
import { notify, report } from '../../core/state/notices.ts'
import { ApiProblem } from '../../core/api/problem.ts'
import type { Cents } from '../../../contracts/core/money.ts'
import { centsTyped, typedCents } from '../../catalog/typed-values.ts'
import { RETURN_PATH, type ScannedItem, showDone, takeScannedPiece, useReturn } from './returns.ts'

export interface UnrecordedItem {
  readonly key: number
  readonly item: Item
  readonly quantity: number
  readonly measured?: MeasuredGoods | undefined
  /** Whether the price is that of the label or tag instead of the catalog. The cashier enters the price of a tag. */
  readonly asksPrice: boolean
  /** The price in dollars, as typed or on the label. */
  readonly typed: string
  readonly scanned: ScannedItem['scanned']
}

interface UnrecordedState {
  readonly items: readonly UnrecordedItem[]
  /** Value of the goods; null while it is requested, without goods, or while a price is missing. */
  readonly quote: UnrecordedQuote | null
  readonly reason: string
  readonly reasonMissing: boolean
}

const NOTHING: UnrecordedState = { items: [], quote: null, reason: '', reasonMissing: false }
export const useUnrecorded = create<UnrecordedState>()(() => NOTHING)

// The goods belong to the current return and are discarded together with it.
useReturn.subscribe(({ unrecorded }, before) => {
  if (before.unrecorded && !unrecorded) useUnrecorded.setState(NOTHING)
})

/**
 * Adds a scanned item to the return. A scan that arrives after the cashier left is reported, because its purpose is
 * unknown.
 */
export function takeItemForReturn(scan: ScannedItem): void {
  const { unrecorded, sale, done } = useReturn.getState()
  if (location.pathname === RETURN_PATH && unrecorded) addUnrecorded(scan.item, scan)
  else if (location.pathname === RETURN_PATH && sale && !done) takeScannedPiece(scan)
  else
    notify('warning', ({ t, format }) => t('returns.scannedLate', { name: format.text(scan.item.name) }), {
      topic: `late ${scan.item.sku}`,
    })
}

const MAX = 999

/**
 * Adds pieces of a scanned or found item. Pieces with a price, a measure, a lot or a date of their own form a separate
 * entry. Goods sold by measure are weighed first, unless a label was scanned.
 */
export function addUnrecorded(
  item: Item,
  { quantity = 1, priceCents, measured, scanned }: Omit<ScannedItem, 'item'> = {},
): void {
  const isPlain = priceCents === undefined && measured === undefined
  if (isPlain && isSoldByMeasure(item)) return weigh(item, scanned)
  const { items } = useUnrecorded.getState()
  const known = items.find((one) => one.item.sku === item.sku && isPlainEntry(one))
  if (known && isPlain && scanned === undefined) return setUnrecorded(known.key, known.quantity + quantity)
  const key = Math.max(0, ...items.map((one) => one.key)) + 1
  const asksPrice = priceCents !== undefined
  const typed = asksPrice ? typedCents(priceCents) : ''
  change([...items, { key, item, quantity: Math.min(quantity, MAX), measured, asksPrice, typed, scanned }])
}

const isPlainEntry = ({ measured, asksPrice, scanned }: UnrecordedItem): boolean =>
  measured === undefined && !asksPrice && scanned === undefined

const weigh = (item: Item, scanned: ScannedItem['scanned']): void =>
  askQuantity(item, async (_weighing, measured) => {
    addUnrecorded(item, { measured, scanned })
  })

/** Sets the quantity of an entry; 0 removes it. */
export function setUnrecorded(key: number, quantity: number): void {
  const { items } = useUnrecorded.getState()
  change(
    quantity <= 0
      ? items.filter((item) => item.key !== key)
      : items.map((item) => (item.key === key ? { ...item, quantity: Math.min(quantity, MAX) } : item)),
  )
}

/** Sets the price that was asked for. */
export const setTyped = (key: number, typed: string): void =>
  change(useUnrecorded.getState().items.map((item) => (item.key === key ? { ...item, typed } : item)))

/** Whether the price of an entry is missing. */
export const isMissing = ({ asksPrice, typed }: UnrecordedItem): boolean => asksPrice && centsTyped(typed) === null

const asked = (items: readonly UnrecordedItem[]) =>
  items.map(({ item: { sku }, quantity, measured, asksPrice, typed, scanned }) => ({
    sku,
    quantity,
    ...(measured ? { measured } : {}),
    ...(asksPrice ? { priceCents: (centsTyped(typed) ?? 0) as Cents } : {}),
    ...(scanned ? { scanned } : {}),
  }))

function change(items: readonly UnrecordedItem[]): void {
  useUnrecorded.setState({ items, quote: null })
  useReturn.setState({
    unrecordedWorth: false,
    unrecordedPieces: items.reduce((sum, { quantity }) => sum + quantity, 0),
  })
  if (items.length > 0 && !items.some(isMissing)) void requote(items)
}

/** Requests the current value of the goods when the cashier comes back to the screen. */
export const refreshQuote = (): void => change(useUnrecorded.getState().items)

async function requote(items: readonly UnrecordedItem[]): Promise<void> {
  try {
    const quote = await api.quoteUnrecorded({ items: asked(items) })
    if (useUnrecorded.getState().items !== items) return
    useUnrecorded.setState({ quote })
    useReturn.setState({ unrecordedWorth: true })
  } catch (error) {
    if (!askFor(error)) report(error)
  }
}

/**
 * If the backend cannot value an item without its price or measure, asks the cashier for it. Returns whether `error`
 * was that problem.
 */
function askFor(error: unknown): boolean {
  if (!(error instanceof ApiProblem) || (error.code !== 'price-required' && error.code !== 'weight-required'))
    return false
  const sku = error.details.find(({ path }) => path === 'sku')?.message
  const { items } = useUnrecorded.getState()
  const isAsked = (entry: UnrecordedItem): boolean =>
    entry.item.sku === sku && entry.measured === undefined && !entry.asksPrice
  if (!items.some(isAsked)) return false
  if (error.code === 'price-required') {
    change(items.map((entry) => (isAsked(entry) ? { ...entry, asksPrice: true } : entry)))
    return true
  }
  // Each weighed piece is an entry of its own.
  change(items.filter((entry) => !isAsked(entry)))
  for (const { item, scanned } of items.filter(isAsked)) weigh(item, scanned)
  return true
}

/** Confirms the return. A cashier is first asked for a supervisor's PIN; a supervisor is not. */
export async function confirmUnrecorded(): Promise<void> {
  const { reason } = useUnrecorded.getState()
  const reasonMissing = reason.trim() === ''
  useUnrecorded.setState({ reasonMissing })
  if (reasonMissing) return useReturn.setState(({ tries }) => ({ tries: tries + 1 }))
  try {
    await takeUnrecorded()
  } catch (error) {
    if (needsApproval(error)) askApproval({ request: error.approval, attempt: takeUnrecorded })
    else report(error)
  }
}

/**
 * Commits the return without a receipt. Throws ApiProblem, with `approval-required` where a supervisor must approve.
 */
export async function takeUnrecorded(approval?: z.input<typeof Approval>): Promise<void> {
  const { items, quote, reason } = useUnrecorded.getState()
  if (items.length === 0 || useReturn.getState().busy) return
  useReturn.setState({ busy: true })
  try {
    const command = {
      items: asked(items),
      reason: reason.trim(),
      ...(approval ? { approval } : {}),
    }
    const answer = await enqueue('return', () => api.returnUnrecorded(command))
    showDone(answer.return, null, quote?.recalled)
  } finally {
    useReturn.setState({ busy: false })
  }
}
