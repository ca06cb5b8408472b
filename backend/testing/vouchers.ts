import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sale } from '../../contracts/api/sales.ts'
import { Voucher } from '../../contracts/api/vouchers.ts'
import { createSeal, placeOf } from '../outbox/seal.ts'
import type { Counter } from './counter.ts'

export const saleOf = (answer: { body: { sale: Sale } }): Sale => answer.body.sale
export const giftCard = async (counter: Counter, amountCents: number, code?: string): Promise<Sale> =>
  saleOf(await counter.call('POST', '/api/sales/current/gift-cards', { amountCents, ...(code ? { code } : {}) }))
export const payCash = async (counter: Counter, sale: Sale): Promise<Sale> =>
  saleOf(
    await counter.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'cash',
      version: sale.version,
      tenderedCents: sale.totals.cashDueCents,
    }),
  )
/** Shows the voucher at the open sale, where its code is at hand, and pays with it. */
export async function payBy(
  counter: Counter,
  sale: Sale,
  voucher: Pick<Voucher, 'id'> & { readonly code?: string },
  amountCents: number,
) {
  if (voucher.code !== undefined) await counter.call('POST', '/api/vouchers/present', { code: voucher.code })
  return counter.call('POST', `/api/sales/${sale.id}/tenders`, {
    kind: 'voucher',
    version: sale.version,
    voucherId: voucher.id,
    amountCents,
  })
}
/** The codes on the papers, oldest first: as the printer got them. */
export function codesOf(counter: Counter): string[] {
  const seal = createSeal(Buffer.from(readFileSync(join(counter.folder, 'seal.key'), 'utf8').trim(), 'base64'))
  return counter
    .read<{ id: string; sealed: Buffer }>(
      "SELECT voucher.id, code_sealed AS sealed FROM voucher JOIN voucher_entry ON voucher_id = voucher.id AND voucher_entry.kind = 'issued' ORDER BY voucher_entry.id",
    )
    .map(({ id, sealed }) => seal.open(sealed, placeOf('voucher', 'code_sealed', id)).toString())
}
export const present = async (counter: Counter, code: string): Promise<Voucher> =>
  Voucher.parse((await counter.call('POST', '/api/vouchers/present', { code })).body['voucher'])
/** Sells a gift card, and reads its code off the paper. */
export async function sold(counter: Counter, amountCents: number): Promise<Voucher & { readonly code: string }> {
  await payCash(counter, await giftCard(counter, amountCents))
  const code = codesOf(counter).at(-1) ?? ''
  return { ...(await present(counter, code)), code }
}
