import { describe, expect, test, vi } from 'vitest'
import { Voucher } from '../../../contracts/api/vouchers.ts'
import { useCentral } from '../../testing/central.ts'
import { useStore } from '../../testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../testing/terminal-harness.ts'
import { codesOf, giftCard, payBy, payCash, present } from '../../testing/vouchers.ts'

const central = useCentral()
const LANES = ['01', '02', '03', '04', '05', '06', '07', '08', '09', '10'] as const
const store = useStore(...LANES)
const APPLES = '1001' // 6.99, no tax

const open = (skip: Parameters<typeof store.place>[0], laneId: string, folder?: string): Promise<TerminalHarness> =>
  openTerminalHarness(central, {
    store: store.place(skip, laneId),
    laneId,
    ...(folder === undefined ? {} : { folder }),
  })
const connected = (harness: TerminalHarness) =>
  vi.waitFor(
    async () => expect((await harness.call('GET', '/api/store')).body).toMatchObject({ kind: 'connected', untold: 0 }),
    { timeout: 15_000 },
  )
/** Sells a gift card and answers its code, once the store holds all of it. */
async function soldInStore(harness: TerminalHarness, amountCents: number): Promise<string> {
  await connected(harness)
  await payCash(harness, await giftCard(harness, amountCents))
  const code = codesOf(harness).at(-1) ?? ''
  await held(harness, code, amountCents)
  return code
}
const held = (harness: TerminalHarness, code: string, cents: number) =>
  vi.waitFor(
    async () => {
      expect(await accounts(code.slice(-4))).toEqual([{ held_cents: cents }])
      await connected(harness)
    },
    { timeout: 10_000 },
  )
const accounts = (last4: string) =>
  store.query(`SELECT held_cents FROM voucher_account WHERE last4 = '${last4}' ORDER BY issued_at DESC LIMIT 1`)
/** Shows the code at the open sale and pays with it. */
async function pay(harness: TerminalHarness, code: string, amountCents: number, quantity = 1) {
  const sale = (await harness.current()) ?? (await harness.ring(APPLES, quantity))
  const { id } = await present(harness, code)
  return payBy(harness, sale, { id }, amountCents)
}
const booksAreRight = async () => expect(await store.query('SELECT * FROM voucher_wrong')).toEqual([])

describe('a gift card of one lane', () => {
  test('pays at another, and what is left is told to the cent at every lane', async ({ skip }) => {
    const [first, second] = [await open(skip, '01'), await open(skip, '02')]
    const code = await soldInStore(first, 2000)
    await connected(second)
    expect(await present(second, code)).toMatchObject({ kind: 'gift-card', balanceCents: 2000 })
    const paid = await pay(second, code, 699)
    expect(paid.body).toMatchObject({ sale: { state: 'completed', tenders: [{ kind: 'gift-card', leftCents: 1301 }] } })
    expect(await present(first, code)).toMatchObject({ balanceCents: 1301 })
    expect((await pay(first, code, 699)).body.sale.tenders[0]).toMatchObject({ leftCents: 602 })
    const sale = await second.ring(APPLES)
    await present(second, code)
    expect((await payBy(second, sale, Voucher.parse(await present(second, code)), 603)).body).toMatchObject({
      code: 'voucher-balance',
    })
    await connected(first)
    await connected(second)
    await booksAreRight()
  })
})
