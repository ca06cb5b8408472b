import { create } from 'zustand'
import type { z } from 'zod'
import type { Item } from '../../../contracts/catalog/catalog.ts'
import type { MeasureUnit } from '../../../contracts/catalog/measure-units.ts'
import type { MeasuredGoods, UnrecordedQuote } from '../../../contracts/payments/returns.ts'
import { askQuantity, isSoldByMeasure, unitOf } from '../../sales/weighing.ts'
import type { Approval } from '../../../contracts/sales/sale-changes.ts'
import { api } from '../../core/api/terminal-api.ts'
import { askApproval, needsApproval } from '../../sales/approvals.ts'
import { enqueue } from '../../core/state/command-queue.ts'
import { notify, report } from '../../core/state/notices.ts'
import { RETURN_PATH, showDone, useReturn } from './returns.ts'

export interface UnrecordedItem {
  /** Identifies the row: the SKU, or one weighing. */
  readonly key: string
  readonly sku: string
  readonly name: Item['name']
  readonly quantity: number
  readonly unit: MeasureUnit
  readonly measured?: MeasuredGoods
}

interface UnrecordedState {
  readonly items: readonly UnrecordedItem[]
  /** Today's value of the goods; null while it is requested, or without goods. */
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
export function takeItemForReturn(item: Item, pieces = 1, measured?: MeasuredGoods): void {
  if (location.pathname === RETURN_PATH && useReturn.getState().unrecorded) addUnrecorded(item, pieces, measured)
  else
    notify('warning', ({ t, format }) => t('returns.scannedLate', { name: format.text(item.name) }), {
      topic: `late ${item.sku}`,
    })
}

const MAX = 999

/** Adds pieces of a scanned or found item. Goods sold by measure are weighed first, unless a label was scanned. */
export function addUnrecorded(item: Item, pieces = 1, measured?: MeasuredGoods): void {
  const { sku, name } = item
  const { items } = useUnrecorded.getState()
  const unit = unitOf(item)
  if (measured) return change([...items, { key: `${sku} ${items.length}`, sku, name, quantity: 1, unit, measured }])
  if (isSoldByMeasure(item))
    return askQuantity(item, async (_weighing, weighed) => {
      addUnrecorded(item, 1, weighed)
    })
  const known = items.find((item) => item.sku === sku)
  if (known) setUnrecorded(sku, known.quantity + pieces)
  else change([...items, { key: sku, sku, name, quantity: pieces, unit }])
}

/** Sets the quantity of an item; 0 removes it. */
export function setUnrecorded(key: string, quantity: number): void {
  const { items } = useUnrecorded.getState()
  change(
    quantity <= 0
      ? items.filter((item) => item.key !== key)
      : items.map((item) => (item.key === key ? { ...item, quantity: Math.min(quantity, MAX) } : item)),
  )
}

const asked = (items: readonly UnrecordedItem[]) =>
  items.map(({ sku, quantity, measured }) => ({ sku, quantity, ...(measured ? { measured } : {}) }))

function change(items: readonly UnrecordedItem[]): void {
  useUnrecorded.setState({ items, quote: null })
  useReturn.setState({
    unrecordedWorth: false,
    unrecordedPieces: items.reduce((sum, { quantity }) => sum + quantity, 0),
  })
  if (items.length > 0) void requote(items)
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
    report(error)
  }
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
  const { items, reason } = useUnrecorded.getState()
  if (items.length === 0 || useReturn.getState().busy) return
  useReturn.setState({ busy: true })
  try {
    const command = {
      items: asked(items),
      reason: reason.trim(),
      ...(approval ? { approval } : {}),
    }
    const answer = await enqueue('return', () => api.returnUnrecorded(command))
    showDone(answer.return)
  } finally {
    useReturn.setState({ busy: false })
  }
}
