import { create } from 'zustand'

/** What is open around the sale, and where the search field is. */
interface ShellState {
  readonly shortcutsOpen: boolean
  readonly trainingOpen: boolean
  /** Another cashier takes over while the sale stays. */
  readonly switchingCashier: boolean
  /** What the miles of the basket come from is open. */
  readonly earningOpen: boolean
  /** The cashier types a collector's number. */
  readonly keyingCollector: boolean
  /** The place of the status bar whose explanation is open, by an id of its own. */
  readonly explained: string | null
  readonly focusSearch: () => void
}

export const useShell = create<ShellState>()(() => ({
  shortcutsOpen: false,
  trainingOpen: false,
  switchingCashier: false,
  earningOpen: false,
  keyingCollector: false,
  explained: null,
  focusSearch: () => undefined,
}))
