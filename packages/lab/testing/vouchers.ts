import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { vi } from 'vitest'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { Voucher } from '../../../contracts/payments/vouchers.ts'
import { createSeal, placeOf } from '../../../backend/core/integrity/seal.ts'
import type { TerminalHarness } from './terminal-harness.ts'

export const saleOf = (answer: { body: { sale: Sale } }): Sale => answer.body.sale
export const giftCard = async (harness: TerminalHarness, amountCents: number, code?: string): Promise<Sale> =>
  saleOf(await harness.call('POST', '/api/sales/current/gift-cards', { amountCents, ...(code ? { code } : {}) }))
export const payCash = async (harness: TerminalHarness, sale: Sale): Promise<Sale> =>
  saleOf(
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'cash',
      version: sale.version,
      tenderedCents: sale.totals.cashDueCents,
    }),
  )
export async function payBy(
  harness: TerminalHarness,
  sale: Sale,
  voucher: Pick<Voucher, 'id'> & { readonly code?: string },
  amountCents: number,
) {
  if (voucher.code !== undefined) await harness.call('POST', '/api/vouchers/present', { code: voucher.code })
  return harness.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'voucher',
    version: sale.version,
    voucherId: voucher.id,
    amountCents,
  })
}
export function codesOf(harness: Pick<TerminalHarness, 'folder' | 'read'>): string[] {
  const seal = createSeal(Buffer.from(readFileSync(join(harness.folder, 'seal.key'), 'utf8').trim(), 'base64'))
  return harness
    .read<{ id: string; sealed: Buffer }>(
      `SELECT voucher.id, code_sealed AS sealed FROM voucher JOIN voucher_entry ON voucher_id = voucher.id
        AND voucher_entry.kind = 'issued' ORDER BY voucher_entry.id`,
    )
    .map(({ id, sealed }) => seal.open(sealed, placeOf('voucher', 'code_sealed', id)).toString())
}
export const present = async (harness: TerminalHarness, code: string): Promise<Voucher> =>
  Voucher.parse((await harness.call('POST', '/api/vouchers/present', { code })).body['voucher'])
export async function sold(
  harness: TerminalHarness,
  amountCents: number,
): Promise<Voucher & { readonly code: string }> {
  await payCash(harness, await giftCard(harness, amountCents))
  const code = codesOf(harness).at(-1) ?? ''
  // The voucher is busy while the lane transfers it to the store server.
  return { ...(await vi.waitFor(() => present(harness, code), { timeout: 10_000 })), code }
}
