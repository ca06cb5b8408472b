import { ArrowDownToLine, ArrowUpFromLine, DoorOpen, Truck, Vault } from 'lucide-react'
import type { CashOrderKind } from '../../../contracts/api/shifts.ts'

/** What cash may do beside sales, with the reasons that are given most. */
export const MOVEMENTS = [
  { kind: 'paid-in', icon: ArrowDownToLine, reasons: ['bank-change', 'found-cash', 'correction'] },
  { kind: 'paid-out', icon: ArrowUpFromLine, reasons: ['supplies', 'postage', 'delivery'] },
  { kind: 'drop', icon: Vault, reasons: ['drawer-limit', 'large-notes'] },
  { kind: 'pickup', icon: Truck, reasons: ['bank-deposit', 'courier'] },
  { kind: 'no-sale', icon: DoorOpen, reasons: ['customer-change', 'wrong-change'] },
] as const satisfies readonly {
  readonly kind: CashOrderKind
  readonly icon: unknown
  readonly reasons: readonly string[]
}[]

/** Why a count may differ. */
export const DIFFERENCES = ['wrong-change', 'slip-missing', 'not-recorded', 'cause-unknown'] as const

export type QuickReason = (typeof MOVEMENTS)[number]['reasons'][number] | (typeof DIFFERENCES)[number]
