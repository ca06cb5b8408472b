import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { VoucherId } from '../../../contracts/payments/vouchers.ts'
import type { StoreState } from '../../../contracts/store/status.ts'
import { type LaneValue, VOUCHER_PATHS } from '../../../contracts/store/vouchers.ts'
import { createTransact } from '../../core/db/transact.ts'
import { voucherCodeOf } from '../../core/scan-codes.ts'
import { eventually, openTestDatabase, testLog } from '../../core/http/testing.ts'
import { createSeal } from '../../core/integrity/seal.ts'
import type { StoreResult } from '../../store/channel.ts'
import { createStoreSeal } from '../../store/store-seal.ts'
import { manualClock } from '../../../packages/lab/testing/manual-clock.ts'
import { createAuditTrail } from '../../core/audit.ts'
import { prepare, present, presentHere } from './voucher-paying.ts'
import { createStoreVouchersRepository } from '../rows/store-vouchers.sql.ts'
import { storeVouchersOf } from './store-vouchers.ts'
import { type Sales, salesOf } from '../../sales/sales.ts'
import { type StoreLink, storeLinkOf, storeOf } from '../../store/store-link.ts'
import { startComponents, stopComponents } from '../../core/lifecycle.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'

const STORE_SEAL = createStoreSeal(Buffer.alloc(32, 9))
type LocalValue = LaneValue['vouchers'][number]
type Answer = { kind: 'answer'; body: object } | { kind: 'refused'; why: string; body: null } | { kind: 'no-answer' }
const localValuesOf = (code: string, cents: number): LocalValue => ({
  hash: STORE_SEAL.hash('voucher', code),
  voucherKind: 'gift-card',
  last4: code.slice(-4),
  issuedAt: 1,
  cents,
  sealed: STORE_SEAL.seal(JSON.stringify({ code }), 'voucher'),
  about: 'voucher',
})
const newCode = (): string => voucherCodeOf(randomUUID())
const laneValueAnswer = (vouchers: readonly LocalValue[], applied: LaneValue['applied'] = {}): Answer => ({
  kind: 'answer',
  body: { applied, vouchers },
})

function scriptedStore(untold: number) {
  const asked: { how: 'ask' | 'send'; answer: (answer: Answer) => void }[] = []
  const state: StoreState = { kind: 'connected', since: 0, why: null, untold, aside: 0 }
  const known = { kind: 'known', voucherKind: 'gift-card', issuedAt: 1, heldCents: 5000, at: [], isDrawn: false }
  const answerTo = (how: 'ask' | 'send', path: string): Promise<Answer> => {
    if (path === VOUCHER_PATHS.laneValue) return new Promise((answer) => asked.push({ how, answer }))
    if (path === VOUCHER_PATHS.find) return Promise.resolve({ kind: 'answer', body: { ...known, last4: 'ABCD' } })
    return Promise.resolve({ kind: 'no-answer' })
  }
  const store: Pick<StoreLink, 'state' | 'ask' | 'send' | 'seal' | 'events' | 'kick' | 'mayPayHere'> = {
    state: () => state,
    events: new EventEmitter(),
    seal: () => STORE_SEAL,
    kick: () => undefined,
    mayPayHere: () => true,
    ask: async (path, _body, schema) => read(await answerTo('ask', path), schema),
    send: async (path, _body, schema) => read(await answerTo('send', path), schema),
  }
  const read = <T>(answer: Answer, schema: { parse: (body: unknown) => T }): StoreResult<T> =>
    answer.kind === 'answer' ? { kind: 'answer', body: schema.parse(answer.body) } : answer
  return { store, asked }
}

async function openLane({ untold = 0, before = '' } = {}) {
  const db = await openTestDatabase()
  db.exec(before)
  const { store, asked } = scriptedStore(untold)
  const clock = manualClock()
  const seal = createSeal(Buffer.alloc(32, 1))
  const throws = (error: unknown): never => {
    throw error
  }
  const { transact } = createTransact({ db, onStop: throws, refusal: (why) => new Error(why), onMissed: throws })
  const rows = createStoreVouchersRepository(db)
  const ctx = testContext({
    db,
    seal,
    transact,
    clock,
    audit: createAuditTrail({ db, clock, seal }),
    log: testLog().log,
  })
  salesOf.provide(ctx, { currentId: () => 'S1', onChange: () => undefined } as unknown as Sales)
  storeOf.provide(ctx, store as StoreLink)
  storeLinkOf.provide(ctx, store as StoreLink)
  const shared = storeVouchersOf(ctx)
  if (shared === null) throw new Error('the lane has a store')
  startComponents(ctx, 'work')
  onTestFinished(() => stopComponents(ctx))
  store.events.emit('reached')
  const question = async (number: number, ms: number) => {
    await turn()
    clock.advance(ms)
    return eventually(() => {
      const one = asked[number]
      if (one === undefined) throw new Error('it is not asked')
      return one
    })
  }
  const untilBusy = (code: string) =>
    Promise.all([
      expect(present(ctx, code)).rejects.toMatchObject({ code: 'voucher-busy' }),
      turn().then(() => {
        clock.advance(300)
      }),
    ])
  return { untilBusy, clock, shared, store, ctx, rows, asked, question, transact }
}

test('no gift card of another lane is accepted before the value of the replaced lane is known', async () => {
  const { ctx, question, rows, untilBusy } = await openLane({ untold: 3 })
  const code = newCode()
  const { answer } = await question(0, 20)
  await untilBusy(code)
  expect(rows.isMarked(), 'what would end the asking has to wait').toBe(false)
  answer(laneValueAnswer([{ ...localValuesOf(newCode(), 700), sealed: 'c2VhbGVk' }, localValuesOf(code, 5000)]))
  await eventually(async () => expect(await present(ctx, code)).toMatchObject({ balanceCents: 10_000 }))
  expect(rows.withLocalValue()).toMatchObject([{ hereCents: 5000, isOwn: 0 }])
  await eventually(() => expect(rows.isMarked()).toBe(true))
})

test('a lane accepts other lanes’ cards and transfers its own if a request for voucher value is refused', async () => {
  const { ctx, question, rows, shared, transact, asked, clock, store } = await openLane()
  const sold = shared.newVoucher(newCode(), { kind: 'gift-card', issuedAt: 1 })
  transact((tx) => {
    rows.insertVoucher(tx, sold)
    const transfer = { id: randomUUID(), voucherId: sold.id, direction: 'drawn', amountCents: 900 } as const
    rows.insertTransfer(tx, { ...transfer, at: 1, reason: 'restore' })
  })
  const { how, answer } = await question(0, 20)
  expect(how, 'it says nothing of how promptly the store answers').toBe('send')
  answer({ kind: 'refused', why: 'unknown', body: null })
  await eventually(() => expect(rows.here(sold.id)).toBe(0))
  expect(await present(ctx, newCode())).toMatchObject({ balanceCents: 5000 })
  clock.advance(10_000)
  expect(asked).toHaveLength(1)
  store.events.emit('reached')
  const late = newCode()
  ;(await question(1, 20)).answer(laneValueAnswer([localValuesOf(late, 300)]))
  await eventually(async () => expect(await present(ctx, late)).toMatchObject({ balanceCents: 5300 }))
})

test('a request for the lane’s voucher value without an answer delays gift cards for at most a minute', async () => {
  const { ctx, question, clock, untilBusy } = await openLane()
  ;(await question(0, 20)).answer({ kind: 'no-answer' })
  const second = await question(1, 1_000)
  await untilBusy(newCode())
  clock.advance(60_000)
  second.answer({ kind: 'no-answer' })
  await eventually(async () => expect(await present(ctx, newCode())).toMatchObject({ balanceCents: 5000 }))
})

test('a gift card presented before its value came from a replaced lane must be presented again', async () => {
  const { ctx, question, store } = await openLane()
  ;(await question(0, 20)).answer({ kind: 'refused', why: 'unknown', body: null })
  const code = newCode()
  const { id } = await eventually(() => present(ctx, code))
  store.events.emit('reached')
  ;(await question(1, 20)).answer(laneValueAnswer([localValuesOf(code, 300)]))
  await eventually(() => expect(presentHere(ctx, code)).toMatchObject({ balanceCents: 300 }))
  await expect(prepare(ctx, 'S1', id, 100)).rejects.toMatchObject({ code: 'voucher-not-presented' })
})

test('many gift cards of a replaced lane are stored in several commits, which block no other work', async () => {
  const { question, rows } = await openLane({ untold: 1 })
  const { answer } = await question(0, 20)
  answer(laneValueAnswer(Array.from({ length: 50 }, () => localValuesOf(newCode(), 100))))
  const seen = new Set<number>()
  while (!rows.isMarked()) {
    seen.add(rows.withLocalValue().length)
    await turn()
  }
  expect([...seen]).toEqual(expect.arrayContaining([20, 40]))
  expect(rows.withLocalValue()).toHaveLength(50)
})

test('a restored lane ignores an answer about voucher value from before its latest comparison', async () => {
  const { question, rows, shared } = await openLane({
    before: "INSERT INTO lane_epoch VALUES (2, 1, 'backup', 1, 1, 1, 1)",
  })
  const older = await question(0, 20)
  shared.moved(VoucherId.parse('A'.repeat(32)))
  const newer = await question(1, 20)
  const applied = Object.fromEntries(rows.heads().map(({ name, last }) => [name, last]))
  newer.answer(laneValueAnswer([], applied))
  await eventually(() => expect(rows.comparing(2)?.comparedAt).not.toBeNull())
  older.answer(laneValueAnswer([localValuesOf(newCode(), 100)], applied))
  await turn()
  expect(rows.withLocalValue()).toEqual([])
})
