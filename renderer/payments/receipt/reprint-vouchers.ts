import type { VoucherDocument } from '../../../contracts/payments/vouchers.ts'
import { create } from 'zustand'
import type { PrintState } from '../../../contracts/core/receipt.ts'
import { useEvents } from '../../core/state/events.ts'
import { reprint } from './documents.ts'

/** A voucher on the screen; `print` is the print state of its document when the screen loaded it. */
export type ShownVoucher = Pick<VoucherDocument, 'id' | 'kind' | 'last4' | 'balanceCents'> &
  Partial<Pick<VoucherDocument, 'print'>>

export const useVoucherDocuments = create<{ readonly shown: readonly ShownVoucher[] }>()(() => ({ shown: [] }))

const isPrinted = (print: PrintState | null): boolean => print === 'sent' || print === 'confirmed'

export const stateOf = ({ id, print }: ShownVoucher): PrintState | null =>
  (id === null ? null : useEvents.getState().prints[id]) ?? print ?? null

/** Prints the voucher documents that were not printed; if all were printed, prints each again. */
export async function reprintVouchers(): Promise<void> {
  const { shown } = useVoucherDocuments.getState()
  const missing = shown.filter((voucher) => !isPrinted(stateOf(voucher)))
  await reprintEach((missing.length > 0 ? missing : shown).flatMap(({ id }) => id ?? []))
}

/** Prints vouchers in sequence, because each one may wait for an approval. */
async function reprintEach([id, ...rest]: readonly string[]): Promise<void> {
  if (id !== undefined) await reprint(id, 'voucher', () => reprintEach(rest))
}
