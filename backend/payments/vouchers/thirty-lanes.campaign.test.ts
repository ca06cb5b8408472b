import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { STORE_PROTOCOL } from '../../../contracts/store/protocol.ts'
import { DrawnVoucher, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import { createStoreChannel, type StoreChannel } from '../../store/channel.ts'
import { isWholeCampaign } from '../../../packages/lab/testing/campaign.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { startOneWayProxy } from '../../../packages/lab/testing/one-way-proxy.ts'
import {
  booksAreRight,
  connected,
  heldOf,
  sell,
  sellToStore,
  untilHeld,
} from '../../../packages/lab/testing/store-vouchers.ts'
import { useStore } from '../../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const THIN = Array.from({ length: 26 }, (_, index) => String(index + 31))
const store = useStore('01', '02', '03', '04', '05', '06', ...THIN)
const PAYMENTS_OF_A_LANE = isWholeCampaign ? 60 : 15
const CARD_CENTS = 12_000
const RUNS = isWholeCampaign ? 15 : 3
const REFUSALS = ['voucher-balance', 'voucher-busy', 'voucher-empty', 'voucher-unanswered', 'voucher-store-away']

async function tryToPay(lane: TerminalHarness, code: string, mostCents: number): Promise<number> {
  const sale = (await lane.current()) ?? (await lane.ring('1001'))
  const shown = await lane.call('POST', '/api/vouchers/present', { code })
  if (shown.status !== 200) {
    return refusedFor(shown.body.code)
  }
  const { id } = Object(shown.body['voucher'])
  const amountCents = Math.min(mostCents, sale.totals.dueCents)
  const tender = { kind: 'voucher', version: sale.version, voucherId: String(id), amountCents }
  const paid = await lane.call('POST', `/api/sales/${sale.id}/tenders`, tender)
  if (paid.status === 200) return amountCents
  return refusedFor(paid.body.code)
}

function refusedFor(code: string): number {
  if (!REFUSALS.includes(code)) throw new Error(`refused: ${code}`)
  return 0
}

test('four lanes and 26 simulated ones that pay with one gift card at the same time never overdraw it', async ({
  skip,
}) => {
  const lanes = await Promise.all(
    ['01', '02', '03', '04'].map((laneId) =>
      openTerminalHarness(central, { store: store.place(skip, laneId), laneId }),
    ),
  )
  const [first] = lanes
  if (!first) throw new Error('there are lanes')
  await Promise.all(lanes.map(connected))
  const code = await sellToStore(store, first, CARD_CENTS)
  const [{ hash } = { hash: '' }] = Object(await store.query('SELECT hash FROM voucher_account'))
  let spent = 0
  async function real(lane: TerminalHarness, number: number): Promise<void> {
    for (let payment = 0; payment < PAYMENTS_OF_A_LANE; payment += 1) {
      const paid = await tryToPay(lane, code, 20 + number * 3 + (payment % 7))
      spent += paid
    }
  }
  async function thin(channel: StoreChannel): Promise<void> {
    for (let payment = 0; payment < 40; payment += 1) {
      const draw = { protocol: STORE_PROTOCOL, id: randomUUID(), hash, amountCents: 11 + (payment % 29) }
      const drawn = await channel.post(VOUCHER_PATHS.draw, draw, 20_000)
      if (drawn.kind !== 'answer' || drawn.status !== 200) throw new Error('the store does not answer')
      if (DrawnVoucher.parse(drawn.body).kind === 'refused') continue
      if (payment % 4 !== 0) spent += draw.amountCents
      else await channel.post(VOUCHER_PATHS.cancel, draw, 20_000)
    }
  }
  const channels = THIN.map((lane) => createStoreChannel(store.place(skip, lane)))
  await Promise.all([...lanes.map(real), ...channels.map(thin)])
  for (const channel of channels) channel.close()
  await Promise.all(lanes.map(connected))
  await untilHeld(store, code, CARD_CENTS - spent)
  await booksAreRight(store)
  expect(CARD_CENTS - spent, 'it was spent to the end').toBeLessThan(100)
}, 300_000)

test('a gift card’s value matches the model for any actions of two lanes with lost server answers', async ({
  skip,
}) => {
  const [one, two] = await Promise.all(
    ['05', '06'].map(async (laneId) => {
      const place = store.place(skip, laneId)
      const line = await startOneWayProxy(place.url)
      const lane = await openTerminalHarness(central, { store: { ...place, url: line.url }, laneId })
      await connected(lane)
      return { lane, line }
    }),
  )
  if (!one || !two) throw new Error('there are two')
  const places = [one, two] as const
  const at = fc.constantFrom(0 as const, 1 as const)
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ what: fc.constant('pay' as const), at, cents: fc.integer({ min: 1, max: 300 }) }),
    },
    fc.record({ what: fc.constantFrom('deafen' as const, 'hear' as const, 'cancel' as const), at }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const code = await sell(one.lane, 1_000)
      await untilHeld(store, code, 1_000)
      let worth = 1_000
      const onSale = [0, 0]
      for (const now of steps) {
        const { lane, line } = places[now.at]
        if (now.what === 'deafen') line.dropResponses()
        else if (now.what === 'hear') line.restore()
        else if (now.what === 'pay') {
          const dueCents = (await lane.current())?.totals.dueCents ?? now.cents
          const paid = await tryToPay(lane, code, Math.min(now.cents, dueCents))
          worth -= paid
          onSale[now.at] = (await lane.current()) === null ? 0 : (onSale[now.at] ?? 0) + paid
        } else {
          const open = await lane.current()
          if (open === null) continue
          await lane.call('POST', `/api/sales/${open.id}/cancel`, { version: open.version })
          worth += onSale[now.at] ?? 0
          onSale[now.at] = 0
        }
        expect(worth).toBeGreaterThanOrEqual(0)
      }
      for (const { lane, line } of places) {
        line.restore()
        const open = await lane.current()
        if (open !== null) await lane.call('POST', `/api/sales/${open.id}/cancel`, { version: open.version })
      }
      worth += (onSale[0] ?? 0) + (onSale[1] ?? 0)
      await untilHeld(store, code, worth)
      await Promise.all(places.map(({ lane }) => connected(lane)))
      await vi.waitFor(() => booksAreRight(store), { timeout: 60_000 })
      expect(await heldOf(store, code)).toBe(worth)
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
}, 300_000)
