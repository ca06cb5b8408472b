import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Bench, readBench } from './bench.ts'
import type { Check } from './check.ts'
import { Broken, Skip } from './expect.ts'
import { CHECKS } from './checks.ts'
import { createCaller, type Caller } from './expect.ts'
import { Lane } from './lane.ts'
import { decisionOf, DECISIONS, meant } from './decisions.ts'
import { runChecks, tallyOf } from './run.ts'
import { SECTIONS, WITHOUT_CHECK, tableOf } from './sections.ts'
import { useCentral } from '../lab/testing/central.ts'
import { atLocalHour } from './checks/local-time.ts'

const checkOf = (id: string): Check => {
  const found = CHECKS.find((check) => check.id === id)
  if (!found) throw new Error(`no check ${id}`)
  return found
}

describe('the checks', () => {
  it('have ids of their own and cite a section', () => {
    expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length)
    expect(CHECKS.length).toBeGreaterThanOrEqual(200)
    for (const { section } of CHECKS) expect(section).toMatch(/^[123] §\d/)
  })
  it('leave no section of the specifications out without a reason', () => {
    const cited = new Set(CHECKS.map(({ section }) => section))
    const all = Object.entries(SECTIONS).flatMap(([number, sections]) =>
      sections.map((section) => `${number} ${section}`),
    )
    expect(
      all.filter((section) => !cited.has(section) && !(section in WITHOUT_CHECK)),
      'neither checked nor explained',
    ).toEqual([])
    expect(
      Object.keys(WITHOUT_CHECK).filter((section) => cited.has(section) || !all.includes(section)),
      'explained although it is checked, or no section',
    ).toEqual([])
    expect(
      [...cited].filter((section) => !all.includes(section)),
      'cited and no section',
    ).toEqual([])
  })
  it('show every decision', () => {
    expect(
      DECISIONS.flatMap(({ checks }) => checks).filter((pattern) => !CHECKS.some(({ id }) => meant(pattern, id))),
    ).toEqual([])
  })
  it.each(
    [
      'issuance.issue.amount.basketPreTaxAmount',
      'offer-state.find.sort.offerId',
      'offer-state.count.state.bad',
      'issue.authorization.twice',
      'issuance.post.required.issuances',
      'issuance.reverseEvent.nothing-empty.sent',
      'cash.reverse.window.store',
      'idempotency.issue.replay.answer',
    ].map((id) => CHECKS.find((check) => check.id.endsWith(id))?.id ?? id),
  )('know what no specification says: %s', (id) => {
    expect(decisionOf(id)).toBeDefined()
  })
  it.each([
    'cash.redeem.0051',
    'issuance.issue.required.sponsorCode',
    'offers.region.required',
    'offer-state.get.counts',
    'history.cards.range.over',
    'idempotency.redeem.replay',
  ])('know what one says: %s', (id) => {
    expect(checkOf(id)).toBeDefined()
    expect(decisionOf(id)).toBeUndefined()
  })
  it('are all in the table of the documentation', () => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/conformance.md', import.meta.url)), 'utf8')
    expect(page, 'make it anew: npm run lab -- conformance --list --markdown --out docs/conformance.md').toBe(
      tableOf(CHECKS),
    )
  })
})

describe('a run', () => {
  const services = useCentral()
  let caller: Caller
  let lane: (bench?: Partial<Bench>) => Lane
  beforeEach(async () => {
    caller = createCaller()
    const { url, tokenUrl, controlUrl, clientId, clientSecret } = services
    lane = (bench = {}) =>
      new Lane(url, { ...Bench.parse({}), tokenUrl, controlUrl, clientId, clientSecret, ...bench }, caller)
  })
  afterEach(async () => {
    caller.close()
    await services.proveBooks()
  })

  it('passes what is kept, fails what is broken with what was heard', async () => {
    const wrong: Check = {
      ...checkOf('cash.inquire.0051'),
      run: async (one) => {
        throw new Broken((await one.cash('echo')).text)
      },
    }
    const told: string[] = []
    const results = await runChecks(
      [checkOf('cash.inquire.0051'), wrong, checkOf('cash.reverse.window.after')],
      lane({ controlUrl: null }),
      ({ id }) => told.push(id),
    )
    expect(results.map(({ outcome }) => outcome)).toEqual(['passed', 'failed', 'not-shown'])
    expect(tallyOf(results)).toEqual({ passed: 1, failed: 1, notShown: 1, decided: { alike: 0, otherwise: 0 } })
    expect(results[1]?.reason).toContain('"responseCode":"0000"')
    expect(results[2]?.reason).toContain('no control port')
    expect(told).toHaveLength(3)
  })
  it('leaves the cash balance of a collector as it was', async () => {
    const before = await services.balances('80000000011')
    await runChecks(
      CHECKS.filter(({ id }) => id.startsWith('cash.redeem.limit') || id.startsWith('cash.redeem.units')),
      lane(),
      () => undefined,
    )
    expect(await services.balances('80000000011')).toEqual(before)
  })
  it("sees a status that is not the table's", async () => {
    await services.faults({
      path: '/checkout/loyaltycash/inquire',
      action: { kind: 'answer', status: 200, body: { responseCode: '0051', message: 'Insufficient reward miles' } },
    })
    const [result] = await runChecks([checkOf('cash.inquire.0051')], lane(), () => undefined)
    expect(result?.reason).toContain('the HTTP status of 0051: 202 expected, 200 found')
  })
  it('tells what was decided apart from what is said', async () => {
    await services.faults({
      path: '/checkout/issuance/issue',
      action: { kind: 'answer', status: 200, body: { issuances: [] } },
    })
    const checks = [checkOf('issuance.issue.amount.basketPreTaxAmount')]
    expect((await runChecks(checks, lane(), () => undefined))[0]).toMatchObject({ outcome: 'decided', agrees: false })
    expect((await runChecks(checks, lane(), () => undefined, { decisions: 'kept' }))[0]).toMatchObject({
      outcome: 'failed',
    })
  })
  it('takes a refusal for proof only when the same request without the fault is accepted', async () => {
    const checks = ['cash.inquire.required.traceId', 'cash.inquire.0025', 'cash.inquire.token.missing'].map(checkOf)
    expect((await runChecks(checks, lane(), () => undefined)).map(({ outcome }) => outcome)).toEqual([
      'passed',
      'passed',
      'passed',
    ])
    await services.faults({
      path: '/checkout/loyaltycash/inquire',
      collectorNumber: '80000000011',
      action: { kind: 'answer', status: 400, body: { responseCode: '0035', message: 'Invalid request parameter' } },
    })
    const results = await runChecks(checks, lane(), () => undefined)
    expect(results.map(({ outcome }) => outcome)).toEqual(['failed', 'passed', 'failed'])
    expect(results[0]?.reason).toContain('so is the same request without the fault')
  })
  it('sends times with the offset of the store', async () => {
    const store = { id: 'B201', timeZone: 'America/Vancouver' }
    await runChecks([checkOf('cash.inquire.approved'), checkOf('issuance.issue.ok')], lane({ store }), () => undefined)
    const times = (await services.requests()).flatMap((one) =>
      [one.body?.dateTime, one.body?.checkoutDateTime].filter((time) => time !== undefined),
    )
    expect(times).toHaveLength(2)
    for (const time of times) expect(time).toMatch(/-0[78]:00$/)
  })
  it('has a reason for every skip', () => {
    expect(() => lane({ collectors: { ...Bench.parse({}).collectors, closed: null } }).collector('closed')).toThrow(
      new Skip('the bench has no collector "closed"'),
    )
  })
})

describe('the bench file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-bench-'))
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const written = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  it('is YAML or JSON; what is left out is as the reference services have it', () => {
    expect(readBench(written('a.yaml', 'returnMiles: positive\nstatuses: { offersRefused: [422] }\n'))).toMatchObject({
      returnMiles: 'positive',
      statuses: { offersRefused: [422], offersToken: [401] },
    })
    expect(readBench(written('a.json', '{ "offers": { "regions": ["ON", "QC"] } }')).offers.regions).toEqual([
      'ON',
      'QC',
    ])
  })
  it('names every mistake with its line and its field', () => {
    const file = written(
      'b.yaml',
      'sponsor: ACME\ncollectors:\n  fien: "80000000011"\nreturnMiles: both\nstatuses:\n  parallel: [9000]\n',
    )
    const said = (() => {
      try {
        readBench(file)
      } catch (error) {
        return String(error)
      }
    })()
    expect(said).toContain(`${file}:3: collectors.fien: there is no such field`)
    expect(said).toMatch(/b\.yaml:4: returnMiles: .*"negative"/)
    expect(said).toContain(`${file}:6: statuses.parallel.0: `)
    expect(() => readBench(written('c.yaml', 'a: [1'))).toThrow(/c\.yaml:\d+: /)
    expect(() => readBench(join(folder, 'none.yaml'))).toThrow(/none\.yaml: ENOENT/)
  })
})

describe('an hour of another day', () => {
  it('is found across a change of the clocks', () => {
    const before = Date.parse('2026-10-31T12:00:00-04:00')
    expect(new Date(atLocalHour(before, 'America/Toronto', 1, 3, 0)).toISOString()).toBe('2026-11-01T08:00:00.000Z')
    expect(
      new Date(atLocalHour(Date.parse('2026-03-07T12:00:00-05:00'), 'America/Toronto', 1, 3, 1)).toISOString(),
    ).toBe('2026-03-08T07:01:00.000Z')
  })
})
