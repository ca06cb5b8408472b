import { create } from 'zustand'
import { nextCustomer, setStage, useSale } from './sale.ts'

interface QuickKeysState {
  /** The department whose items are shown; null: the departments. */
  readonly department: string | null
}

export const useQuickKeys = create<QuickKeysState>()(() => ({ department: null }))

/** Also from the screen after a sale: whoever rings the next item has the next customer before them. */
export function openQuickKeys(): void {
  const { current, closed } = useSale.getState()
  if (!current && closed) nextCustomer()
  useQuickKeys.setState({ department: null })
  setStage('quick')
}

/** One step back: from the items to the departments, from there to the payment. */
export function leaveQuickKeys(): void {
  if (useQuickKeys.getState().department === null) setStage('ring')
  else useQuickKeys.setState({ department: null })
}
