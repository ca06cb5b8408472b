import type { VoucherDocument } from '../../../contracts/payments/vouchers.ts'
import { create } from 'zustand'
import type { PrintState } from '../../../contracts/core/receipt.ts'
import { useEvents } from '../../core/state/events.ts'
import { reprint } from './documents.ts'

/** A voucher that the screen speaks of; `print` is where its paper was when the screen asked. */
export type ShownVoucher = Pick<VoucherDocument, 'id' | 'kind' | 'last4' | 'balanceCents'> &
  Partial<Pick<VoucherDocument, 'print'>>

/** The vouchers whose documents the screen speaks of: those that the sale or the return that it shows has made. */
export const useVoucherDocuments = create<{ readonly shown: readonly ShownVoucher[] }>()(() => ({ shown: [] }))

const cameOut = (print: PrintState | null): boolean => print === 'sent' || print === 'confirmed'

export const stateOf = ({ id, print }: ShownVoucher): PrintState | null =>
  (id === null ? null : useEvents.getState().prints[id]) ?? print ?? null

/** Print the documents that did not come out; where all did, print each again. */
export async function reprintVouchers(): Promise<void> {
  const { shown } = useVoucherDocuments.getState()
  const missing = shown.filter((voucher) => !cameOut(stateOf(voucher)))
  await reprintEach((missing.length > 0 ? missing : shown).flatMap(({ id }) => id ?? []))
}

/** One after another: each that a supervisor must approve waits for its own answer. */
async function reprintEach([id, ...rest]: readonly string[]): Promise<void> {
  if (id !== undefined) await reprint(id, 'voucher', () => reprintEach(rest))
}
