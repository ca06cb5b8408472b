import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test, vi, type TestContext } from 'vitest'
import type { Sale } from '../../../../contracts/sales/sales.ts'
import { lockDataFolder } from '../../../../backend/core/program/data-folder.ts'
import { isWholeCampaign } from '../campaign.ts'
import { writeDevice } from '../enrolled.ts'
import { useStore } from '../store.ts'
import { booksAreRight, heldOf } from '../store-vouchers.ts'
import { codesOf } from '../vouchers.ts'
import { TerminalGoneError } from '../../rig/window.ts'
import { prepareLane, type CrashingLane } from './lane.ts'
import { ITEMS, openShop } from './crash-store.ts'

const CARD_CENTS = 2_000
const PAID_CENTS = 700
const ALEX = { staffId: 'alex', pin: '1234' }
/** Matches the steps while a voucher, or the push of its facts, is on its way to the store server. */
const VOUCHER_STEPS = /voucher|store_stream/
const RETRYABLE = ['voucher-not-presented', 'voucher-unanswered', 'voucher-busy', 'voucher-store-away']

const store = useStore('01')
const shop = await openShop({ collectors: 1 })
const lane = prepareLane(shop, 'vouchers')
let isBegun = false
const rows = {
  folder: lane.data,
  read<Row>(sql: string): Row[] {
    const db = new Database(join(lane.data, 'terminal.db'), { readonly: true })
    try {
      return db.prepare<[], Row>(sql).all()
    } finally {
      db.close()
    }
  },
}

afterAll(async () => {
  await lane.stop()
  await shop.close()
})

async function call(of: CrashingLane, method: string, path: string, body?: object) {
  const key = randomUUID()
  for (;;) {
    try {
      const answer = await of.window.call(method, path, body, key)
      if (answer.status !== 401) return answer
      await of.window.call('POST', '/api/sign-in', ALEX)
    } catch (error) {
      if (!(error instanceof TerminalGoneError)) throw error
      await of.crashed()
      of.crashAt(null)
      await of.start()
    }
  }
}
const current = async (): Promise<Sale | null> => (await call(lane, 'GET', '/api/sales/current')).body.sale ?? null
const payCash = async ({ id, version, totals }: Sale): Promise<Sale> =>
  (await call(lane, 'POST', `/api/sales/${id}/tenders`, { kind: 'cash', version, tenderedCents: totals.cashDueCents }))
    .body.sale

const untilSynced = (code: string, cents: number): Promise<void> =>
  vi.waitFor(
    async () => {
      const { body } = await call(lane, 'GET', '/api/store')
      expect(body).toMatchObject({ kind: 'connected', untold: 0 })
      expect(await heldOf(store, code)).toBe(cents)
      expect(rows.read("SELECT id FROM voucher_draw WHERE state IN ('asked', 'cancelling')")).toEqual([])
    },
    { timeout: 30_000, interval: 50 },
  )

async function sellCard(): Promise<string> {
  const { body } = await call(lane, 'POST', '/api/sales/current/gift-cards', { amountCents: CARD_CENTS })
  await payCash(body.sale)
  return codesOf(rows).at(-1) ?? ''
}

async function payWithCard(code: string): Promise<string> {
  const { body } = await call(lane, 'POST', '/api/sales/current/lines', { sku: ITEMS.partial, quantity: 1 })
  const { id } = body.sale
  for (let tries = 1; ; tries += 1) {
    const shown = await call(lane, 'POST', '/api/vouchers/present', { code })
    const sale = await current()
    if (sale === null) throw new Error('the sale is gone')
    if (sale.tenders.length > 0) break
    const paid = await call(lane, 'POST', `/api/sales/${id}/tenders`, {
      kind: 'voucher',
      version: sale.version,
      voucherId: shown.body['voucher'] ? String(Object(shown.body['voucher']).id) : '0'.repeat(32),
      amountCents: PAID_CENTS,
    })
    if (paid.status === 200) break
    if (!RETRYABLE.includes(paid.body.code) || tries === 60) throw new Error(`refused: ${paid.body.code}`)
    await delay(100)
  }
  const open = await current()
  if (open !== null) await payCash(open)
  return id
}

async function play(): Promise<void> {
  const code = await sellCard()
  await untilSynced(code, CARD_CENTS)
  const sale = await payWithCard(code)
  await untilSynced(code, CARD_CENTS - PAID_CENTS)
  expect(rows.read(`SELECT amount_cents FROM tender WHERE kind = 'gift-card' AND sale_id = '${sale}'`)).toEqual([
    { amount_cents: PAID_CENTS },
  ])
  expect(rows.read('SELECT voucher_id FROM voucher_movement GROUP BY 1 HAVING sum(cents) <> 0')).toEqual([])
  await booksAreRight(store)
}

async function begin(skip: TestContext['skip']): Promise<void> {
  const place = store.place(skip)
  if (isBegun) return
  isBegun = true
  const folder = lockDataFolder(lane.data, null, null)
  writeDevice(lane.data, folder.masterKey, place)
  folder.release()
  await lane.start()
}

describe('a gift card that is transferred to the store server and then pays a sale', () => {
  test('is neither lost nor doubled when the lane is killed at any step', async ({ skip }) => {
    await begin(skip)
    await play()
    lane.clearSteps()
    await play()
    const steps = [...new Set(lane.steps().filter((step) => VOUCHER_STEPS.test(step)))]
    for (const what of ['update store_stream', 'insert voucher_transfer', 'insert voucher_draw', 'insert tender'])
      expect(steps.filter((step) => step.includes(what)).length, what).toBeGreaterThanOrEqual(2)
    // Only the nightly campaign kills the lane at all steps.
    for (const step of isWholeCampaign ? steps : steps.filter((_, index) => index % 4 === 1)) {
      lane.clearSteps()
      lane.crashAt({ step, occurrence: 1 })
      await play()
      expect(lane.steps(), 'the step was passed').toContain(step)
    }
  }, 600_000)

  test('is neither lost nor doubled when the store server’s database is killed at any moment', async ({ skip }) => {
    await begin(skip)
    for (const ms of isWholeCampaign ? [5, 20, 50, 100, 200, 300, 500, 800, 1_200] : [20, 200, 800]) {
      const playing = play()
      await delay(ms)
      await store.killPostgres()
      await store.restartPostgres()
      await playing
    }
    expect(await store.query("SELECT id FROM voucher_ledger WHERE state = 'granted'")).toEqual([])
  }, 300_000)
})
