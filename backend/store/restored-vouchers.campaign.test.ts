import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { VoucherId } from '../../contracts/payments/vouchers.ts'
import { createSeededRng } from '../../packages/lab/simulation/rng.ts'
import { isWholeCampaign } from '../../packages/lab/testing/campaign.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { APPLES, booksAreRight, connected, sell } from '../../packages/lab/testing/store-vouchers.ts'
import { useStore } from '../../packages/lab/testing/store.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { payBy } from '../../packages/lab/testing/vouchers.ts'

const central = useCentral()
const LANES = ['01', '02', '03', '04']
const store = useStore(...LANES)
const APPLE_CENTS = 699
const CARD_CENTS = 1_500
const ROUNDS = isWholeCampaign ? 12 : 2
const SEED = 20
const Shown = z.object({ voucher: z.object({ id: VoucherId }) })
const Held = z.array(z.object({ held: z.int() }))
const REFUSALS = ['voucher-lanes-awaited', 'voucher-balance', 'voucher-busy', 'voucher-empty', 'voucher-unknown']

const payApple = (harness: TerminalHarness, code: string): Promise<string> =>
  vi.waitFor(
    async () => {
      const sale = (await harness.current()) ?? (await harness.ring(APPLES))
      const shown = await harness.call('POST', '/api/vouchers/present', { code })
      const answer =
        shown.status === 200 ? await payBy(harness, sale, Shown.parse(shown.body).voucher, APPLE_CENTS) : shown
      if (answer.status === 200) return 'paid'
      expect(REFUSALS).toContain(answer.body.code)
      return answer.body.code
    },
    { timeout: 30_000, interval: 100 },
  )

/**
 * The store server's database is dumped (pg_dump), hours of gift card sales follow, and it is restored (pg_restore),
 * several times. It then does not know the value that lanes drew in those hours. Lanes return in random order, and each
 * tries at once to pay with every card.
 */
test('after a store database restore, no gift card pays more than its value, in any order of returning lanes', async ({
  skip,
}) => {
  const rng = createSeededRng('restored vouchers', SEED)
  const lanes = new Map<string, TerminalHarness>()
  const folders = new Map<string, string>()
  const spent = new Map<string, number>()
  const refused = new Map<string, number>()
  async function open(laneId: string): Promise<void> {
    const folder = folders.get(laneId)
    const place = store.place(skip, laneId)
    const lane = await openTerminalHarness(central, { store: place, laneId, ...(folder ? { folder } : {}) })
    folders.set(laneId, lane.folder)
    lanes.set(laneId, lane)
  }
  const at = (laneId: string): TerminalHarness => {
    const lane = lanes.get(laneId)
    if (!lane) throw new Error(`lane ${laneId} is closed`)
    return lane
  }
  async function pay(laneId: string, code: string): Promise<void> {
    const outcome = await payApple(at(laneId), code)
    if (outcome === 'paid') spent.set(code, (spent.get(code) ?? 0) + APPLE_CENTS)
    else refused.set(outcome, (refused.get(outcome) ?? 0) + 1)
    expect(spent.get(code) ?? 0).toBeLessThanOrEqual(CARD_CENTS)
  }
  const transferred = () =>
    vi.waitFor(
      async () => {
        await Promise.all([...lanes.values()].map(connected))
        const rows = await store.query('SELECT coalesce(sum(cents), 0)::integer AS held FROM voucher_at_lane')
        expect(Held.parse(rows)).toEqual([{ held: 0 }])
        expect(await store.query("SELECT id FROM voucher_ledger WHERE state = 'granted'")).toEqual([])
      },
      { timeout: 60_000, interval: 100 },
    )

  for (const lane of LANES) await open(lane)
  await Promise.all([...lanes.values()].map(connected))
  for (let round = 1; round <= ROUNDS; round += 1) {
    const codes: string[] = []
    const sellOne = async () => codes.push(await sell(at(rng.pick(LANES)), CARD_CENTS))
    await sellOne()
    await sellOne()
    await transferred()
    await pay(rng.pick(LANES), rng.pick(codes))
    await transferred()
    await store.backUp()

    await sellOne()
    await transferred()
    for (let payment = 0; payment < 4; payment += 1) await pay(rng.pick(LANES), rng.pick(codes))
    // Some lanes have sent all facts; the others are switched off before they can.
    if (rng.onceIn(2)) await transferred()
    for (const lane of lanes.values()) await lane.close()
    lanes.clear()
    await store.restoreBackup()

    const order = LANES.map((lane) => ({ lane, turn: rng.fraction() })).toSorted((one, other) => one.turn - other.turn)
    for (const { lane } of order) {
      await open(lane)
      await connected(at(lane))
      for (const code of codes) await pay(lane, code)
    }
    await transferred()
    // The remaining value pays at any lane, up to the last apple and no further.
    for (const code of codes) {
      const left = CARD_CENTS - (spent.get(code) ?? 0)
      for (let apples = Math.floor(left / APPLE_CENTS); apples > 0; apples -= 1) await pay(rng.pick(LANES), code)
      expect(spent.get(code)).toBe(2 * APPLE_CENTS)
      await pay(rng.pick(LANES), code)
    }
    await transferred()
    await booksAreRight(store)
    expect(await store.query('SELECT * FROM fact_aside')).toEqual([])
    expect(await store.query('SELECT stream FROM stream_awaited WHERE ended_at IS NULL')).toEqual([])
  }
  expect(refused.get('voucher-lanes-awaited'), 'lanes did ask too early').toBeGreaterThan(0)
})
