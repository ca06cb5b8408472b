import { navigate } from 'wouter/use-browser-location'
import { create } from 'zustand'
import type { ApprovalRequest } from '../../contracts/sales/approvals.ts'
import type { HeldSale, ResumeSale } from '../../contracts/sales/held-sales.ts'
import type { Localized } from '../../contracts/core/locales.ts'
import { ApiProblem } from '../core/api/problem.ts'
import { api } from '../core/api/terminal-api.ts'
import { clearProblems, notify, report } from '../core/state/notices.ts'
import { command, onCurrent } from './sale-commands.ts'

export const HELD_SALES_PATH = '/manager/held'

interface HeldState {
  readonly sales: readonly HeldSale[]
  /**
   * The reason why no held sale of the store can be resumed until other lanes are started; null: held sales can be
   * resumed.
   */
  readonly awaits: Localized | null
  readonly naming: boolean
  /** The question whether another lane's held sale keeps its prices; null: no question. */
  readonly differing: { readonly sale: HeldSale; readonly request: ApprovalRequest } | null
}

export const useHeldSales = create<HeldState>()(() => ({ sales: [], awaits: null, naming: false, differing: null }))

let asked = 0

/** Loads and returns the held sales; shows only the answer to the newest request. Throws ApiProblem. */
export async function loadHeldSales(): Promise<readonly HeldSale[]> {
  asked += 1
  const mine = asked
  const { sales, awaits } = await api.heldSales()
  if (mine === asked) useHeldSales.setState({ sales, awaits })
  return sales
}

export const refreshHeldSales = (): Promise<readonly HeldSale[]> =>
  loadHeldSales().catch((error: unknown) => {
    report(error)
    return []
  })

export async function holdSale(name: string): Promise<void> {
  useHeldSales.setState({ naming: false })
  let held = ''
  const done = await onCurrent('hold', (sale, approval) => {
    held = sale.id
    return api.holdSale(sale.id, sale.version, name.trim(), approval)
  })
  if (!done) return
  // The event of this change reloads the list too; it does not matter which answer is shown.
  const called = (await refreshHeldSales()).find(({ id }) => id === held)?.name
  if (called !== undefined) notify('success', ({ t }) => t('held.held', { name: called }))
}

type Prices = Pick<ResumeSale, 'prices' | 'covers'>

/** Resumes and shows a held sale. If its prices differ from this lane's, the cashier chooses. */
export async function resumeSale(sale: HeldSale, prices: Prices = {}): Promise<void> {
  const { id, version } = sale
  useHeldSales.setState({ differing: null })
  await command('hold', async (approval) => {
    try {
      const resumed = await api.resumeSale(id, { version, ...prices, approval })
      navigate('/')
      return resumed
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'held-sale-differs' && error.approval !== null)
        useHeldSales.setState({ differing: { sale, request: error.approval } })
      throw error
    }
  })
  // The dialog about different prices replaces the notice of the rejection.
  if (useHeldSales.getState().differing !== null) clearProblems()
  await refreshHeldSales()
}

/** Rings the goods of a sale that cannot be resumed now, and shows the copy; the held sale stays. */
export async function copyHeldSale({ id }: Pick<HeldSale, 'id'>): Promise<void> {
  let missing = 0
  const done = await command('hold', async () => {
    const copied = await api.copyHeldSale(id)
    ;({ missing } = copied)
    return copied
  })
  await refreshHeldSales()
  if (!done) return
  navigate('/')
  if (missing === 0) notify('success', ({ t }) => t('held.copied'))
  else notify('warning', ({ t }) => t('held.copiedWithout', { count: missing }))
}
