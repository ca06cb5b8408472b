import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRehearsal, type Rehearsal } from '../testing/rehearsal.ts'
import { Bench } from './bench.ts'
import { Broken, Skip, type Check } from './check.ts'
import { CHECKS } from './checks.ts'
import { createCaller, type Caller } from './http.ts'
import { createLane, type Lane } from './lane.ts'
import { runChecks } from './run.ts'
import { DECISIONS, SECTIONS, WITHOUT_CHECK } from './sections.ts'
import { tableOf } from './table.ts'
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
    const all = Object.entries(SECTIONS).flatMap(([number, sections]) => sections.map((section) => `${number} ${section}`))
    expect(all.filter((section) => !cited.has(section) && !(section in WITHOUT_CHECK)), 'neither checked nor explained').toEqual([])
    expect(Object.keys(WITHOUT_CHECK).filter((section) => cited.has(section) || !all.includes(section)), 'explained although it is checked, or no section').toEqual([])
    expect([...cited].filter((section) => !all.includes(section)), 'cited and no section').toEqual([])
  })
  it('show every decision', () => {
    const ids = new Set(CHECKS.map(({ id }) => id))
    expect(DECISIONS.flatMap(({ checks }) => checks).filter((id) => !ids.has(id))).toEqual([])
  })
  it('are all in the table of the documentation', () => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/conformance.md', import.meta.url)), 'utf8')
    expect(page, 'make it anew: npm run test:conformance -- --list --markdown --out docs/conformance.md').toBe(tableOf(CHECKS))
  })
})

describe('a run', () => {
  let services: Rehearsal
  let caller: Caller
  let lane: (bench?: Partial<Bench>) => Lane
  beforeEach(async () => {
    services = await openRehearsal()
    caller = createCaller()
    const { url, tokenUrl, controlUrl, clientId, clientSecret } = services.central
    lane = (bench = {}) => createLane(url, { ...Bench.parse({}), tokenUrl, controlUrl, clientId, clientSecret, ...bench }, caller)
  })
  afterEach(async () => {
    caller.close()
    await services.close()
  })

  it('passes what is kept, fails what is broken with what was heard, and skips what cannot be shown', async () => {
    const wrong: Check = { ...checkOf('cash.inquire.0051'), run: async (one) => { throw new Broken((await one.cash('echo')).text) } }
    const told: string[] = []
    const results = await runChecks([checkOf('cash.inquire.0051'), wrong, checkOf('cash.reverse.window.after')], lane({ controlUrl: null }), ({ id }) => told.push(id))
    expect(results.map(({ outcome }) => outcome)).toEqual(['passed', 'failed', 'skipped'])
    expect(results[1]?.reason).toContain('"responseCode":"0000"')
    expect(results[2]?.reason).toContain('no control port')
    expect(told).toHaveLength(3)
  })
  it('leaves the cash balance of a collector as it was', async () => {
    const before = await services.ledger('80000000011')
    await runChecks(CHECKS.filter(({ id }) => id.startsWith('cash.redeem.limit') || id.startsWith('cash.redeem.units')), lane(), () => undefined)
    expect((await services.ledger('80000000011')).balances).toEqual(before.balances)
  })
  it('sees a status that is not the table\'s', async () => {
    await services.fault({ path: '/checkout/loyaltycash/inquire', action: { kind: 'answer', status: 200, body: { responseCode: '0051', message: 'Insufficient reward miles' } } })
    const [result] = await runChecks([checkOf('cash.inquire.0051')], lane(), () => undefined)
    expect(result?.reason).toContain('the HTTP status of 0051: 202 expected, 200 found')
  })
  it('has a reason for every skip', () => {
    expect(() => lane({ collectors: { ...Bench.parse({}).collectors, closed: null } }).collector('closed')).toThrow(new Skip('the bench has no collector "closed"'))
  })
})

describe('the bench file', () => {
  it('refuses a field that it does not know', () => {
    expect(Bench.safeParse({ collectors: { fien: '80000000011' } }).success).toBe(false)
  })
})

describe('an hour of another day', () => {
  it('is found across a change of the clocks', () => {
    const before = Date.parse('2026-10-31T12:00:00-04:00')
    expect(new Date(atLocalHour(before, 'America/Toronto', 1, 3, 0)).toISOString()).toBe('2026-11-01T08:00:00.000Z')
    expect(new Date(atLocalHour(Date.parse('2026-03-07T12:00:00-05:00'), 'America/Toronto', 1, 3, 1)).toISOString()).toBe('2026-03-08T07:01:00.000Z')
  })
})
