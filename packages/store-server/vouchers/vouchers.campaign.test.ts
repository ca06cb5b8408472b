import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { usePostgres } from '../testing/postgres.ts'
import { startVoucherLanes } from '../testing/voucher-lanes.ts'

const postgres = usePostgres({ fsync: false })
const LANES = 30
const PAYMENTS = process.env['MILEPOST_CAMPAIGN'] === '1' ? 1_000 : 300
const CARD_CENTS = 20 * PAYMENTS

test(`${PAYMENTS} payments by thirty lanes with one gift card together never exceed the card’s value`, async ({
  skip,
}) => {
  const store = await startVoucherLanes(await postgres.database(skip), 2)
  const code = 'CODE-MANY'
  const first = store.lane('01')
  await first.entry(code, 'issued', CARD_CENTS)
  await first.transfer(code, 'handed-over', CARD_CENTS)
  let spent = 0
  async function lane(number: number): Promise<void> {
    const one = store.lane(String(number + 1).padStart(2, '0'))
    for (let payment = 0; payment < Math.ceil(PAYMENTS / LANES); payment += 1) {
      const amount = 11 + ((number * 7 + payment * 13) % 60)
      const id = randomUUID()
      const { kind } = await one.draw(code, amount, id)
      if (payment % 5 === 0) await one.draw(code, amount, id)
      if (kind === 'refused') continue
      if (payment % 7 === 0) {
        await one.cancel(code, amount, id)
        continue
      }
      await one.transfer(code, 'drawn', amount, id)
      await one.entry(code, 'redeemed', amount)
      spent += amount
      if (payment % 11 !== 0) continue
      await one.entry(code, 'given-back', amount)
      await one.transfer(code, 'handed-over', amount)
      spent -= amount
    }
  }
  await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))
  const [account] = await store.query(
    'SELECT held_cents, issued_cents, redeemed_cents - given_back_cents AS net FROM voucher_account',
  )
  expect(await store.wrong()).toEqual([])
  expect(account).toEqual({ issued_cents: CARD_CENTS, net: spent, held_cents: CARD_CENTS - spent })
  expect(spent).toBeLessThanOrEqual(CARD_CENTS)
  expect(Number(account?.['held_cents']), 'it was spent to the end').toBeLessThan(71)
  await store.close()
}, 300_000)
