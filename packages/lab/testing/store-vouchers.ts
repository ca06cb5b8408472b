import { expect, vi } from 'vitest'
import { z } from 'zod'
import type { TestStore } from './store.ts'
import type { TerminalHarness } from './terminal-harness.ts'
import { codesOf, giftCard, payBy, payCash, present } from './vouchers.ts'

/** SKU of a fruit without tax that costs $6.99. */
export const APPLES = '1001'
const WAITS = { timeout: 20_000 }

export const connected = (harness: TerminalHarness) =>
  vi.waitFor(
    async () => expect((await harness.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected', untold: 0 }),
    WAITS,
  )
const Held = z.array(z.object({ held_cents: z.int() }))
/**
 * Returns the value in cents that the store server holds of the voucher with this code; null if it does not know the
 * voucher.
 */
export async function heldOf(store: TestStore, code: string): Promise<number | null> {
  const rows = await store.query(
    `SELECT held_cents FROM voucher_account WHERE last4 = '${code.slice(-4)}' ORDER BY issued_at DESC LIMIT 1`,
  )
  return Held.parse(rows)[0]?.held_cents ?? null
}
export const untilHeld = (store: TestStore, code: string, cents: number) =>
  vi.waitFor(async () => expect(await heldOf(store, code)).toBe(cents), WAITS)
/** Sells a gift card and returns its code. The store server may not have received the sale yet. */
export async function sell(harness: TerminalHarness, amountCents: number): Promise<string> {
  await payCash(harness, await giftCard(harness, amountCents))
  return codesOf(harness).at(-1) ?? ''
}
export async function sellToStore(store: TestStore, harness: TerminalHarness, cents: number): Promise<string> {
  await connected(harness)
  const code = await sell(harness, cents)
  await untilHeld(store, code, cents)
  await connected(harness)
  return code
}
export async function payWith(harness: TerminalHarness, code: string, amountCents: number) {
  const sale = (await harness.current()) ?? (await harness.ring(APPLES))
  const { id } = await present(harness, code)
  return payBy(harness, sale, { id }, amountCents)
}
/** Checks that each cent of each voucher is in one place of the store, and that no lane has spent more than it had. */
export const booksAreRight = async (store: TestStore) =>
  expect(await store.query('SELECT * FROM voucher_wrong')).toEqual([])
