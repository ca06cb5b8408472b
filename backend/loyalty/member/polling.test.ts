import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CollectorNumber, SaleId } from '../../../contracts/core/ids.ts'
import type { MemberSession } from '../../../contracts/loyalty/member.ts'
import type { MemberSignIn, Polled } from '../services/member-sign-in.ts'
import { systemClock, type Clock } from '../../core/clock.ts'
import { testLog } from '../../core/http/testing.ts'
import type { Seal } from '../../core/integrity/seal.ts'
import { type SaleRow, type SalesRepository, saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { stopComponents } from '../../core/lifecycle.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'
import { type MemberServices, memberServicesOf } from '../services/member-services.ts'
import { memberSessionsOf } from './member-session.ts'

const SALE = SaleId.parse('N1010100000001K7QZ')
const MEMBER = CollectorNumber.parse('80000000011')
const HOUR_OF_CODE = 600_000

function steppedClock(): Clock & { pass(ms: number): Promise<void> } {
  let now = 0
  let due: { readonly at: number; readonly work: () => void }[] = []
  const processEvents = (): Promise<unknown> => new Promise((done) => setImmediate(done))
  return {
    now: () => Date.parse('2026-11-20T15:00:00Z') + now,
    monotonic: () => now,
    after(ms, work) {
      const entry = { at: now + ms, work }
      due.push(entry)
      return () => {
        due = due.filter((other) => other !== entry)
      }
    },
    async pass(ms) {
      await processEvents()
      const end = now + ms
      for (;;) {
        const next = due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0]
        if (!next) break
        due = due.filter((other) => other !== next)
        now = Math.max(now, next.at)
        next.work()
        await processEvents()
      }
      now = end
    },
  }
}

function open(
  answers: Polled[],
  { clock = steppedClock(), intervalMs = 5_000, collectorOf = (): CollectorNumber => MEMBER } = {},
) {
  const polledAt: number[] = []
  const calls: AbortSignal[] = []
  const revoked: string[] = []
  let meanwhile = (): void => undefined
  const signIn: MemberSignIn = {
    begin: async () => ({
      deviceCode: 'device',
      userCode: 'WDJB-MJHT',
      page: 'https://miles.example/device',
      pageWithCode: null,
      expiresInMs: HOUR_OF_CODE,
      intervalMs,
    }),
    poll: async (_deviceCode, signal) => {
      polledAt.push(clock.monotonic())
      calls.push(signal)
      meanwhile()
      return answers.shift() ?? { kind: 'pending' }
    },
    revoke: async (token) => {
      revoked.push(token)
      return null
    },
  }
  const sale = {
    id: SALE,
    state: 'open',
    memberHash: Buffer.from('of the member'),
    memberSealed: Buffer.alloc(1),
  } as SaleRow
  const published: (MemberSession | null)[] = []
  const ctx = testContext({
    clock,
    publish(event) {
      if (event.type === 'member-session') published.push(event.session)
    },
    seal: { open: () => Buffer.from(collectorOf()) } as unknown as Seal,
    log: testLog().log,
  })
  saleRowsOf.provide(ctx, { byId: () => sale } as unknown as SalesRepository)
  memberServicesOf.provide(ctx, { signIn } as MemberServices)
  const sessions = memberSessionsOf(ctx)
  return {
    sessions,
    polledAt,
    calls,
    revoked,
    published,
    sale,
    pass: clock.pass,
    stop: () => stopComponents(ctx),
    whilePolling: (work: () => void) => (meanwhile = work),
  }
}

test('a member sign-in is polled at once, then at an interval that each “slow down” extends by 5 s', async () => {
  const { sessions, polledAt, pass } = open([
    { kind: 'pending' },
    { kind: 'slow-down' },
    { kind: 'pending' },
    { kind: 'slow-down' },
  ])
  sessions.begin(SALE)
  await pass(60_000)
  expect(polledAt).toEqual([0, 5_000, 15_000, 25_000, 40_000, 55_000])
})

test('a member sign-in with an expired code is not polled, also after a failed poll', async () => {
  const { sessions, polledAt, published, pass } = open([{ kind: 'failed', reason: 'ECONNREFUSED' }])
  sessions.begin(SALE)
  await pass(HOUR_OF_CODE + 20_000)
  expect(published.at(-1)).toEqual({ state: 'ended', saleId: SALE, why: 'expired' })
  expect(polledAt.at(-1)).toBeLessThan(HOUR_OF_CODE)
})

test("a member's token is discarded at its expiry, at its refusal, and if the sale has another collector", async () => {
  const member = { kind: 'member', token: 'secret', collectorNumber: MEMBER, endsInMs: 120_000 } as const
  const { sessions, revoked, published, sale, pass } = open([member, { kind: 'pending' }, member, member])
  sessions.begin(SALE)
  await pass(1_000)
  expect(sessions.accessOf(SALE)?.memberToken).toBe('secret')
  expect(sessions.accessOf('N1010100000002K7QZ')).toBeNull()
  await pass(121_000)
  expect([sessions.accessOf(SALE), published.at(-1)]).toEqual([
    null,
    { state: 'ended', saleId: SALE, why: 'token-expired' },
  ])
  sessions.begin(SALE)
  await pass(6_000)
  expect(sessions.accessOf(SALE)?.memberToken).toBe('secret')
  sessions.refused(SALE)
  expect([sessions.accessOf(SALE), published.at(-1)]).toEqual([
    null,
    { state: 'ended', saleId: SALE, why: 'token-expired' },
  ])
  sessions.begin(SALE)
  Object.assign(sale, { memberHash: Buffer.from('of another') })
  await pass(10_000)
  expect([sessions.accessOf(SALE), published.at(-1), JSON.stringify(published).includes('secret')]).toEqual([
    null,
    null,
    false,
  ])
  expect(revoked).toEqual(['secret', 'secret'])
})

test('a poll interval or a token lifetime of months, longer than a timer can run, does not end at once', async () => {
  const months = 9_000_000_000
  const clock = { ...systemClock, pass: (ms: number) => delay(ms) }
  const { sessions, polledAt, pass, stop } = open([{ kind: 'pending' }], { clock, intervalMs: months })
  sessions.begin(SALE)
  await pass(100)
  expect(polledAt).toHaveLength(1)
  await stop()
  const token = { kind: 'member', token: 'secret', collectorNumber: MEMBER, endsInMs: months } as const
  const signedIn = open([token], { clock })
  signedIn.sessions.begin(SALE)
  await pass(100)
  expect(signedIn.sessions.accessOf(SALE)?.memberToken).toBe('secret')
  await signedIn.stop()
})

test('the code of a member sign-in expires at its own time even if the next poll would be later', async () => {
  const { sessions, published, pass } = open([], { intervalMs: 2 * HOUR_OF_CODE })
  sessions.begin(SALE)
  await pass(HOUR_OF_CODE + 1_000)
  expect(published.at(-1)).toEqual({ state: 'ended', saleId: SALE, why: 'expired' })
})

test('a member sign-in is refused if the sale’s collector number cannot be decrypted', async () => {
  const collectorOf = (): never => {
    throw new Error('the sealed bytes were changed')
  }
  const member = { kind: 'member', token: 'secret', collectorNumber: MEMBER, endsInMs: 120_000 } as const
  const { sessions, revoked, published, pass } = open([member], { collectorOf })
  sessions.begin(SALE)
  await pass(1_000)
  expect([sessions.accessOf(SALE), published.at(-1)]).toEqual([null, { state: 'ended', saleId: SALE, why: 'refused' }])
  expect(revoked).toEqual(['secret'])
})

test('a member sign-in is polled less often after each failure of the provider (RFC 8628 §3.5)', async () => {
  const failed = { kind: 'failed', reason: 'ECONNREFUSED' } as const
  const { sessions, polledAt, pass } = open([failed, failed, failed, { kind: 'pending' }])
  sessions.begin(SALE)
  await pass(125_000)
  expect(polledAt).toEqual([0, 10_000, 30_000, 60_000, 90_000, 120_000])
})

test("the end of a sale aborts the poll of its member's sign-in", async () => {
  const { sessions, calls, sale, pass } = open([])
  sessions.begin(SALE)
  await pass(1_000)
  expect(calls.map(({ aborted }) => aborted)).toEqual([false])
  Object.assign(sale, { state: 'completed' })
  sessions.onEvent({ type: 'sale-closed', saleId: SALE, state: 'completed' })
  expect(calls.map(({ aborted }) => aborted)).toEqual([true])
})

test('a member sign-in that the provider forgot ends as expired just before its expiry, else as refused', async () => {
  const ended = { kind: 'gone', reason: 'invalid_grant' } as const
  const late = open([{ kind: 'pending' }, ended], { intervalMs: HOUR_OF_CODE - 1_000 })
  late.sessions.begin(SALE)
  await late.pass(HOUR_OF_CODE)
  expect(late.published.at(-1)).toEqual({ state: 'ended', saleId: SALE, why: 'expired' })
  const early = open([ended])
  early.sessions.begin(SALE)
  await early.pass(1_000)
  expect(early.published.at(-1)).toEqual({ state: 'ended', saleId: SALE, why: 'refused' })
})

test("a member's token that arrives for an ended sale or for another collector is revoked", async () => {
  const another = CollectorNumber.parse('80000000055')
  const member = { kind: 'member', token: 'of another', collectorNumber: another, endsInMs: 120_000 } as const
  const other = open([member])
  other.sessions.begin(SALE)
  await other.pass(1_000)
  expect(other.revoked).toEqual(['of another'])
  const late = open([{ ...member, token: 'late', collectorNumber: MEMBER }])
  late.sessions.begin(SALE)
  late.whilePolling(() => {
    Object.assign(late.sale, { state: 'completed' })
    late.sessions.onEvent({ type: 'sale-closed', saleId: SALE, state: 'completed' })
  })
  await late.pass(1_000)
  expect([late.sessions.accessOf(SALE), late.revoked]).toEqual([null, ['late']])
})
