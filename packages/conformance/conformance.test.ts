import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Bench, readBench } from './bench.ts'
import type { Check } from './check.ts'
import { RuleViolation, Skip } from './expect.ts'
import { CHECKS } from './checks.ts'
import { createCaller, type Caller } from './expect.ts'
import { Client } from './client.ts'
import { decisionOf, DECISIONS, matchesPattern } from './decisions.ts'
import { runChecks, tallyOf } from './run.ts'
import { SECTIONS, WITHOUT_CHECK, pageOf } from './sections.ts'
import { useCentral } from '../lab/testing/central.ts'
import { atLocalHour } from './checks/local-time.ts'

const checkOf = (id: string): Check => {
  const found = CHECKS.find((check) => check.id === id)
  if (!found) throw new Error(`no check ${id}`)
  return found
}

describe('the list of checks', () => {
  it('has unique ids, each with a section of a specification', () => {
    expect(new Set(CHECKS.map(({ id }) => id)).size).toBe(CHECKS.length)
    expect(CHECKS.length).toBeGreaterThanOrEqual(200)
    for (const { section } of CHECKS) expect(section).toMatch(/^[123] §\d/)
  })
  it('covers every section of the specifications, or states why a section has no check', () => {
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
  it('has at least one check for every decision, a choice that the specifications leave open', () => {
    expect(DECISIONS.filter(({ checks }) => checks.length === 0)).toEqual([])
    expect(
      DECISIONS.flatMap(({ checks }) => checks).filter(
        (pattern) => !CHECKS.some(({ id }) => matchesPattern(pattern, id)),
      ),
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
  )('classifies the check %s as a decision', (id) => {
    expect(decisionOf(id)).toBeDefined()
  })
  it.each([
    'cash.redeem.0051',
    'issuance.issue.required.sponsorCode',
    'offers.region.required',
    'offer-state.get.counts',
    'history.cards.range.over',
    'idempotency.redeem.replay',
  ])('classifies the check %s as a rule of a specification', (id) => {
    expect(checkOf(id)).toBeDefined()
    expect(decisionOf(id)).toBeUndefined()
  })
  it('matches the documentation page docs/conformance.md', () => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/conformance.md', import.meta.url)), 'utf8')
    expect(page, 'run: npm run lab -- conformance --list --markdown --out docs/conformance.md').toBe(pageOf(CHECKS))
  })
  it('fits a documentation page of at most 2,000 words', () => {
    expect(pageOf(CHECKS).split(/\s+/).length).toBeLessThanOrEqual(2_000)
  })
  it('has as many checks as the documentation page counts', () => {
    const counts = [...pageOf(CHECKS).matchAll(/^\| §\S+ \| (\d+) \|/gm)].map(([, count]) => Number(count))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(CHECKS.length)
  })
})

describe('a run of the conformance suite', () => {
  const services = useCentral()
  let caller: Caller
  let client: (bench?: Partial<Bench>) => Client
  beforeEach(async () => {
    caller = createCaller()
    const { url, tokenUrl, controlUrl, clientId, clientSecret } = services
    client = (bench = {}) =>
      new Client(url, { ...Bench.parse({}), tokenUrl, controlUrl, clientId, clientSecret, ...bench }, caller)
  })
  afterEach(async () => {
    caller.close()
    await services.verifyLedger()
  })

  it('passes rules that hold, and reports the service’s answer when a rule is broken', async () => {
    const wrong: Check = {
      ...checkOf('cash.inquire.0051'),
      run: async (one) => {
        throw new RuleViolation((await one.cash('echo')).text)
      },
    }
    const reported: string[] = []
    const results = await runChecks(
      [checkOf('cash.inquire.0051'), wrong, checkOf('cash.reverse.window.after')],
      client({ controlUrl: null }),
      ({ id }) => reported.push(id),
    )
    expect(results.map(({ outcome }) => outcome)).toEqual(['passed', 'failed', 'not-shown'])
    expect(tallyOf(results)).toEqual({ passed: 1, failed: 1, notShown: 1, decided: { alike: 0, otherwise: 0 } })
    expect(results[1]?.reason).toContain('"responseCode":"0000"')
    expect(results[2]?.reason).toContain('no control port')
    expect(reported).toHaveLength(3)
  })
  it('gives back the miles of its redemptions, so that the cash balance of a collector is unchanged', async () => {
    const before = await services.balances('80000000011')
    await runChecks(
      CHECKS.filter(({ id }) => id.startsWith('cash.redeem.limit') || id.startsWith('cash.redeem.units')),
      client(),
      () => undefined,
    )
    expect(await services.balances('80000000011')).toEqual(before)
  })
  it('detects an HTTP status that differs from the specification’s table', async () => {
    await services.faults({
      path: '/checkout/loyaltycash/inquire',
      action: { kind: 'answer', status: 200, body: { responseCode: '0051', message: 'Insufficient reward miles' } },
    })
    const [result] = await runChecks([checkOf('cash.inquire.0051')], client(), () => undefined)
    expect(result?.reason).toContain('the HTTP status of 0051: 202 expected, 200 found')
  })
  it('reports decisions separately from rules of a specification', async () => {
    await services.faults({
      path: '/checkout/issuance/issue',
      action: { kind: 'answer', status: 200, body: { issuances: [] } },
    })
    const checks = [checkOf('issuance.issue.amount.basketPreTaxAmount')]
    expect((await runChecks(checks, client(), () => undefined))[0]).toMatchObject({ outcome: 'decided', agrees: false })
    expect((await runChecks(checks, client(), () => undefined, { decisions: 'enforced' }))[0]).toMatchObject({
      outcome: 'failed',
    })
  })
  it('accepts a refusal as proof only when the same request without the fault succeeds', async () => {
    const checks = ['cash.inquire.required.traceId', 'cash.inquire.0025', 'cash.inquire.token.missing'].map(checkOf)
    expect((await runChecks(checks, client(), () => undefined)).map(({ outcome }) => outcome)).toEqual([
      'passed',
      'passed',
      'passed',
    ])
    await services.faults({
      path: '/checkout/loyaltycash/inquire',
      collectorNumber: '80000000011',
      action: { kind: 'answer', status: 400, body: { responseCode: '0035', message: 'Invalid request parameter' } },
    })
    const results = await runChecks(checks, client(), () => undefined)
    expect(results.map(({ outcome }) => outcome)).toEqual(['failed', 'passed', 'failed'])
    expect(results[0]?.reason).toContain('so is the same request without the fault')
  })
  it('sends times with the UTC offset of the store', async () => {
    const store = { id: 'B201', timeZone: 'America/Vancouver' }
    await runChecks(
      [checkOf('cash.inquire.approved'), checkOf('issuance.issue.ok')],
      client({ store }),
      () => undefined,
    )
    const times = (await services.requests()).flatMap((one) =>
      [one.body?.dateTime, one.body?.checkoutDateTime].filter((time) => time !== undefined),
    )
    expect(times).toHaveLength(2)
    for (const time of times) expect(time).toMatch(/-0[78]:00$/)
  })
  it('skips a check for which the bench file has no collector, and names the missing collector', () => {
    expect(() => client({ collectors: { ...Bench.parse({}).collectors, closed: null } }).collector('closed')).toThrow(
      new Skip('the bench has no collector "closed"'),
    )
  })
})

describe('the bench file, which describes the tested services', () => {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-bench-'))
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const written = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  it('can be YAML or JSON, and its defaults describe the reference services', () => {
    expect(readBench(written('a.yaml', 'returnMiles: positive\nstatuses: { offersRefused: [422] }\n'))).toMatchObject({
      returnMiles: 'positive',
      statuses: { offersRefused: [422], offersToken: [401] },
    })
    expect(readBench(written('a.json', '{ "offers": { "regions": ["ON", "QC"] } }')).offers.regions).toEqual([
      'ON',
      'QC',
    ])
  })
  it('is rejected with the line and field of every mistake', () => {
    const file = written(
      'b.yaml',
      'sponsor: ACME\ncollectors:\n  fien: "80000000011"\nreturnMiles: both\nstatuses:\n  parallel: [9000]\n',
    )
    const message = (() => {
      try {
        readBench(file)
      } catch (error) {
        return String(error)
      }
    })()
    expect(message).toContain(`${file}:3: collectors.fien: there is no such field`)
    expect(message).toMatch(/b\.yaml:4: returnMiles: .*"negative"/)
    expect(message).toContain(`${file}:6: statuses.parallel.0: `)
    expect(() => readBench(written('c.yaml', 'a: [1'))).toThrow(/c\.yaml:\d+: /)
    expect(() => readBench(join(folder, 'none.yaml'))).toThrow(/none\.yaml: ENOENT/)
  })
})

describe('atLocalHour', () => {
  it('returns the right moment of a local time across a clock change', () => {
    const before = Date.parse('2026-10-31T12:00:00-04:00')
    expect(new Date(atLocalHour(before, 'America/Toronto', 1, 3, 0)).toISOString()).toBe('2026-11-01T08:00:00.000Z')
    expect(
      new Date(atLocalHour(Date.parse('2026-03-07T12:00:00-05:00'), 'America/Toronto', 1, 3, 1)).toISOString(),
    ).toBe('2026-03-08T07:01:00.000Z')
  })
})
