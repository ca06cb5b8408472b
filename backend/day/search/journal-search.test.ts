import { describe, expect, test } from 'vitest'
import type { JournalPage } from '../../../contracts/day/search.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { openTestDatabase } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { APPLES, buy, COFFEE, DETERGENT, returnPieces } from '../../../packages/lab/testing/return-steps.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { SEARCH_SQL } from './search-index.ts'

const central = useCentral()

async function openLane() {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  const find = async (asked: Record<string, string | number>): Promise<JournalPage> => {
    const query = new URLSearchParams(
      Object.entries(asked).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const { status, body } = await here.call('GET', `/api/journal?${query.toString()}`)
    expect(status, JSON.stringify(body)).toBe(200)
    return body as unknown as JournalPage
  }
  return {
    here,
    find,
    ids: async (asked: Record<string, string | number>) => (await find(asked)).entries.map(({ id }) => id),
  }
}

describe('the electronic journal', () => {
  test('finds sales, returns and cash movements in one list by any of their values, or by two at once', async () => {
    const { here, find, ids } = await openLane()
    const detergent = await buy(here, [[DETERGENT, 2]], { card: 'fine', units: 2 })
    const coffee = await buy(here, [[COFFEE, 1]], { cash: true })
    await here.ring(APPLES)
    const open = await here.current()
    await here.call('POST', `/api/sales/${open?.id}/cancel`, { version: open?.version })
    const back = await returnPieces(here, detergent, [1, 1])
    await here.call('POST', '/api/shifts/current/movements', { kind: 'drop', amountCents: 5_00, reason: 'Full drawer' })

    const all = await find({})
    expect(all.entries.map(({ kind }) => kind)).toEqual(['movement', 'return', 'cancelled', 'sale', 'sale'])
    expect(all).toMatchObject({ waiting: 0, next: null })
    expect(all.entries[0]).toMatchObject({ movement: { kind: 'drop', reason: 'Full drawer' }, totalCents: 5_00 })
    expect(all.entries[1]).toMatchObject({ id: back.id, ofSale: detergent.id, last4: all.entries[4]?.last4 })
    expect(await ids({ receipt: coffee.id })).toEqual([coffee.id])
    expect(await ids({ receipt: coffee.id.slice(-6).toLowerCase() })).toEqual([coffee.id])
    expect(await ids({ receipt: `A${coffee.id.slice(-4)}` })).toEqual([])
    expect(await ids({ item: 'café' }), 'in either language').toEqual([coffee.id])
    expect(await ids({ item: 'laundry det' })).toEqual([back.id, detergent.id])
    expect(await ids({ item: DETERGENT, kind: 'sale' })).toEqual([detergent.id])
    expect(await ids({ item: '…' }), 'nothing to search for').toEqual([])
    expect(await ids({ amountCents: detergent.totals.totalCents })).toEqual([detergent.id])
    expect(await ids({ amountCents: 20_00 }), 'one payment of it').toEqual([detergent.id])
    expect(await ids({ last4: all.entries[4]?.last4 ?? '' })).toEqual([back.id, detergent.id])
    expect(await ids({ last4: '9999' })).toEqual([])
    expect((await ids({ person: 'sam' })).length).toBe(5)
    expect(await ids({ person: 'alex' })).toEqual([])
    expect(await ids({ kind: 'cancelled', item: 'apple' })).toEqual([open?.id])
    const day = localDateTimeAt(Date.now(), 'America/Toronto').toPlainDate()
    expect((await ids({ from: day.subtract({ days: 1 }).toString() })).length).toBe(5)
    expect(await ids({ from: day.add({ days: 1 }).toString() })).toEqual([])
    expect(await ids({ to: day.subtract({ days: 1 }).toString() })).toEqual([])
  })

  test('returns the entries page by page', async () => {
    const { here, find } = await openLane()
    for (let sale = 0; sale < 3; sale += 1) await buy(here, [[APPLES, 1]])
    const first = await find({ limit: 2, item: 'apples' })
    const second = await find({ limit: 2, item: 'apples', after: first.next ?? 0 })
    expect([first.entries.length, second.entries.length, second.next]).toEqual([2, 1, null])
    const keys = [...first.entries, ...second.entries].map(({ key }) => key)
    expect(keys).toEqual(keys.toSorted((one, other) => other - one))
    expect(new Set(keys).size).toBe(3)
  })

  test('reads entries by an index or their key, without sorting', async () => {
    const db = await openTestDatabase()
    const planOf = (sql: string, ...parameters: unknown[]): string =>
      db
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
        .all(...parameters)
        .map(({ detail }) => detail)
        .join('\n')
    const bounds = { from: 0, before: 1, limit: 9 }
    expect(planOf(SEARCH_SQL.all, bounds)).toBe('SEARCH search_entry USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)')
    const found = planOf(SEARCH_SQL.found, { ...bounds, query: '"iapple"*' })
    expect(found).toContain('search_words VIRTUAL TABLE INDEX')
    expect(found).not.toMatch(/TEMP B-TREE|SCAN search_entry/)
    expect(planOf(SEARCH_SQL.waiting, 1)).toBe('SCAN search_waiting')
    for (const kind of ['sale', 'return', 'movement'] as const)
      expect(planOf(SEARCH_SQL[kind], 1), kind).not.toContain('SCAN')
  })
})
