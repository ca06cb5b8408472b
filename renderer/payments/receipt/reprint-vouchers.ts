import type { VoucherDocument } from '../../../contracts/payments/vouchers.ts'
import { create } from 'zustand'
import type { PrintState } from '../../../contracts/core/receipt.ts'
import { useEvents } from '../../core/state/events.ts'
import { reprint } from './documents.ts'

/** A voucher on the screen; `print` is the print state of its paper at load time. */
export type ShownVoucher = Pick<VoucherDocument, 'id' | 'kind' | 'last4' | 'balanceCents'> &
  Partial<Pick<VoucherDocument, 'print'>>

/** Vouchers made by the sale or return on the screen. */
export const useVoucherDocuments = create<{ readonly shown: readonly ShownVoucher[] }>()(() => ({ shown: [] }))

const cameOut = (print: PrintState | null): boolean => print === 'sent' || print === 'confirmed'

export const stateOf = ({ id, print }: ShownVoucher): PrintState | null =>
  (id === null ? null : useEvents.getState().prints[id]) ?? print ?? null

/** Prints the documents that were not printed; if all were, prints each again. */
export async function reprintVouchers(): Promise<void> {
  const { shown } = useVoucherDocuments.getState()
  const missing = shown.filter((voucher) => !cameOut(stateOf(voucher)))
  await reprintEach((missing.length > 0 ? missing : shown).flatMap(({ id }) => id ?? []))
}

/** In sequence: each one may wait for an approval. */
async function reprintEach([id, ...rest]: readonly string[]): Promise<void> {
  if (id !== undefined) await reprint(id, 'voucher', () => reprintEach(rest))
}
