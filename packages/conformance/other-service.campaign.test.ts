import { afterEach, describe, expect, it } from 'vitest'
import { Bench } from './bench.ts'
import { CHECKS } from './checks.ts'
import { createCaller, type Caller } from './expect.ts'
import { Client } from './client.ts'
import { runChecks, tallyOf, type Result } from './run.ts'
import { openOtherService, type Breaks, type OtherService } from './other-service.fixture.ts'
import { type Central, startCentral } from '../lab/rig/central.ts'

const isWholeCampaign = process.env['MILEPOST_CAMPAIGN'] === '1'
const SHARE = [
  'token.',
  'cash.inquire.mode',
  'cash.redeem.units',
  'cash.reverse.window.days',
  'issuance.issue.a',
  'issuance.return.',
  'idempotency.issue.replay',
  'offers.limit',
  'offer-state.find.sort.bad',
  'history.record',
]
/**
 * The groups of checks that a whole campaign runs on the other service: some of every service, and all that concern its
 * differences. A short run uses `SHARE`.
 */
const GROUPS = [
  ...SHARE,
  'cash.echo.',
  'cash.inquire.amount',
  'cash.inquire.limit',
  'cash.redeem.0051',
  'cash.redeem.suppressedUnable',
  'cash.redeem.limit',
  'cash.reverse.',
  'issuance.issue.',
  'issuance.post.',
  'issuance.reverseEvent.',
  'idempotency.issue',
  'idempotency.reverseEvent',
  'offers.region',
  'offers.member',
  'offers.sort',
  'offer-state.find.',
  'offer-state.put.bad',
  'offers.warning',
  'issuance.calculate.22',
  'history.page.whole',
]
const isOneOf =
  (groups: readonly string[]) =>
  (id: string): boolean =>
    groups.some((group) => id.startsWith(group))
const failuresOf = (results: readonly Result[]): string[] =>
  results.filter(({ outcome }) => outcome === 'failed').map(({ id, reason }) => `${id}: ${reason}`)

describe('the reference services, whose decisions the suite contains,', () => {
  it('pass every check, including decisions, and leave a balanced ledger', async () => {
    const services = await startCentral()
    const caller = createCaller()
    const { url, tokenUrl, controlUrl, clientId, clientSecret } = services
    const bench = { ...Bench.parse({}), tokenUrl, controlUrl, clientId, clientSecret }
    const checks = isWholeCampaign ? CHECKS : CHECKS.filter(({ id }) => isOneOf(SHARE)(id))
    const results = await runChecks(checks, new Client(url, bench, caller), () => undefined, { decisions: 'enforced' })
    caller.close()
    await services.verifyLedger()
    await services.stop()
    expect(failuresOf(results)).toEqual([])
    expect(tallyOf(results)).toMatchObject({ passed: checks.length, notShown: 0 })
  })
})

describe('a service with other choices on every open point', () => {
  let services: Central
  let other: OtherService
  let caller: Caller
  const open = async (breaks?: Breaks): Promise<(ids: (id: string) => boolean) => Promise<Result[]>> => {
    services = await startCentral()
    caller = createCaller()
    other = await openOtherService(services, breaks)
    return (wanted) =>
      runChecks(
        CHECKS.filter(({ id }) => wanted(id)),
        new Client(other.url, other.bench, caller),
        () => undefined,
      )
  }
  afterEach(async () => {
    caller.close()
    await other.close()
    await services.verifyLedger()
    await services.stop()
  })

  it('passes every check, and its different choices are reported without a failure', async () => {
    const run = await open()
    const results = await run(isOneOf(isWholeCampaign ? GROUPS : SHARE))
    expect(failuresOf(results)).toEqual([])
    const { passed, decided } = tallyOf(results)
    expect(passed).toBeGreaterThan(isWholeCampaign ? 150 : 30)
    expect(decided.otherwise).toBeGreaterThan(isWholeCampaign ? 40 : 10)
    const otherwise = results.filter(({ agrees }) => agrees === false).map(({ id }) => id)
    for (const id of [
      'issuance.issue.amount.basketPreTaxAmount',
      'cash.inquire.mode.keyed',
      'issuance.issue.authorization.twice',
      'offer-state.find.sort.bad.first',
      'idempotency.issue.replay.answer',
    ])
      expect(otherwise).toContain(id)
    expect(results.find(({ id }) => id === 'issuance.return.sign')).toMatchObject({ outcome: 'decided', agrees: true })
    expect(results.find(({ id }) => id === 'cash.reverse.window.days')).toMatchObject({ outcome: 'not-shown' })
  })
  it('passes the checks of issuances when every issuance is pending (202)', async () => {
    const run = await open((exchange) => {
      if (exchange.path !== '/checkout/issuance/issue' || exchange.status !== 200) return
      exchange.status = 202
      for (const entry of (exchange.answer as { issuances?: Record<string, unknown>[] }).issuances ?? [])
        entry.status = 'PENDING'
    })
    const TOUCHED = [
      'issue.ok',
      'issue.nothing',
      'issue.free',
      'issue.400.effect',
      'issue.400.key',
      'issue.time.offset',
      'calculate.not-required',
    ].map((id) => `issuance.${id}`)
    const results = await run((id) => TOUCHED.includes(id))
    expect(results.map(({ id, outcome }) => [id, outcome])).toHaveLength(TOUCHED.length)
    expect(failuresOf(results)).toEqual([])
  })
  it.each([
    [
      'a status of the table',
      'cash.inquire.0051',
      ({ path }: { path: string }) => path.endsWith('/inquire'),
      (exchange: { status: number }) => {
        exchange.status = 200
      },
    ],
    [
      'the transactionId of an answer',
      'issuance.issue.transaction',
      ({ path }: { path: string }) => path.endsWith('/issue'),
      (exchange: { answer: unknown }) => {
        delete (exchange.answer as Record<string, unknown>).transactionId
      },
    ],
    [
      'a limit',
      'offers.limit.default',
      ({ path }: { path: string }) => path === '/offers',
      (exchange: { answer: unknown }) => {
        ;(exchange.answer as { offers: unknown[] }).offers.splice(19)
      },
    ],
    [
      'a required field',
      'offer-state.get.counts',
      ({ path }: { path: string }) => path.endsWith('/get'),
      (exchange: { answer: unknown }) => {
        delete (exchange.answer as Record<string, unknown>).requestedCount
      },
    ],
  ] as const)('fails the check of a rule that it breaks: %s', async (_what, id, fits, spoil) => {
    const run = await open((exchange) => {
      if (fits(exchange)) spoil(exchange)
    })
    expect((await run((one) => one === id)).map(({ outcome }) => outcome)).toEqual(['failed'])
  })
})
