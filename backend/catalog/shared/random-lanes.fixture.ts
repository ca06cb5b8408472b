import { deepStrictEqual } from 'node:assert'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import type { ForeignFact } from '../../../contracts/store/protocol.ts'
import { cents } from '../../../contracts/core/money.ts'
import { ProblemError } from '../../core/problem.ts'
import {
  catalogText,
  createMemoryFiles,
  itemOf,
  openCatalogLane,
  syncAll,
  type CatalogLane,
} from '../../../packages/lab/testing/catalog-lane.ts'

const SKUS = ['A', 'B', 'C', 'D', 'E', 'F', 'G'] as const
const BARCODES = ['PLU-1', 'PLU-2', 'PLU-3', 'PLU-4', null] as const
const HOUR = 3_600_000
const BEGINS = ['A,,Apple,Pomme,1.00,standard,x,', 'B,,Bread,Pain,2.00,standard,x,']
const DAYS = ['2026-11-21T00:00', '2026-11-22T00:00', '2026-11-24T06:00'] as const

const Sku = fc.constantFrom(...SKUS)
const Line = fc.record({
  sku: Sku,
  barcode: fc.constantFrom(...BARCODES),
  price: fc.integer({ min: 1, max: 9 }),
  from: fc.constantFrom('', '', '2026-11-23 00:00'),
})
const Lines = fc.uniqueArray(Line, {
  minLength: 1,
  selector: ({ sku, barcode }) => `${sku} ${barcode ?? sku}`,
  comparator: (one, other) => one.split(' ')[0] === other.split(' ')[0] || one.split(' ')[1] === other.split(' ')[1],
})
type CatalogLine = typeof Line extends fc.Arbitrary<infer One> ? One : never

const Code = fc.constantFrom('PLU-1', 'PLU-2', 'PLU-3', 'PLU-4')

const Act = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('put'),
      line: Line,
      codes: fc.uniqueArray(Code, { maxLength: 2 }),
      packCode: fc.option(Code),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), sku: Sku }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('plan'),
      sku: Sku,
      from: fc.constantFrom(...DAYS),
      price: fc.integer({ min: 1, max: 9 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel'), sku: Sku }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('import'), lines: Lines }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('profile'), price: fc.integer({ min: 1, max: 2 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('undo') }) },
)
type Act = typeof Act extends fc.Arbitrary<infer One> ? One : never

export const Acts = fc.array(
  fc.record({
    lane: fc.nat(2),
    what: Act,
    receives: fc.nat(7).map((one) => one === 0),
    passesHours: fc.nat(3),
  }),
  { minLength: 24, maxLength: 40, size: 'max' },
)
export type Acts = typeof Acts extends fc.Arbitrary<infer All> ? All : never

const rowOf = ({ sku, barcode, price, from }: CatalogLine): string =>
  `${sku},${barcode ?? ''},Item ${sku},Article ${sku},${price}.00,standard,x,,${from}`

async function act(lane: CatalogLane, what: Act): Promise<void> {
  switch (what.kind) {
    case 'put': {
      const { sku, barcode, price } = what.line
      const how = lane.catalog.findBySku(sku) ? 'change' : 'add'
      const more = {
        ...(what.codes.length === 0 ? {} : { codes: what.codes }),
        ...(what.packCode === null ? {} : { packs: [{ barcode: what.packCode, quantity: 6 }] }),
      }
      lane.items.save({ how, item: { ...itemOf(sku, { barcode, ...more }), priceCents: cents(price) } }, 'sam')
      return
    }
    case 'remove':
      lane.items.remove(what.sku, 'sam')
      return
    case 'plan':
      lane.planned.plan({ sku: what.sku, priceCents: cents(what.price), from: what.from }, 'sam')
      return
    case 'cancel': {
      const [next] = lane.planned.list().prices.filter(({ sku }) => sku === what.sku)
      if (next) lane.planned.cancel(next, 'sam')
      return
    }
    case 'import':
      await lane.importPriced(what.lines.map(rowOf))
      return
    case 'profile':
      await lane.begin([...BEGINS, `C,,Cheese,Fromage,${what.price}.00,standard,x,`])
      return
    case 'undo':
      await lane.imports.undo('sam', () => undefined)
  }
}

/**
 * Three lanes of a store change their catalog, connected or not. Their facts are then delivered twice and in different
 * orders, and their catalogs compared.
 */
export async function playLanes(acts: Acts, order: readonly number[], skews: readonly number[]): Promise<void> {
  const files = createMemoryFiles()
  const lanes: CatalogLane[] = []
  const folders: string[] = []
  try {
    for (const number of [1, 2, 3]) {
      const folder = mkdtempSync(join(tmpdir(), 'milepost-lanes-'))
      folders.push(folder)
      lanes.push(await openCatalogLane(number, { files, profileRows: BEGINS, folder }))
    }
    const others = (index: number): ForeignFact[] => lanes.flatMap((lane, at) => (at === index ? [] : lane.sentFacts()))
    let hours = 0
    for (const { lane: index, what, receives, passesHours } of acts) {
      const lane = lanes[index]
      if (!lane) continue
      hours += passesHours
      lane.setAhead((hours + (skews[index] ?? 0)) * HOUR)
      if (receives) others(index).forEach(lane.take)
      await lane.idle()
      await act(lane, what).catch((error: unknown) => {
        // A refused change must have no effect.
        if (!(error instanceof ProblemError)) throw error
      })
    }
    for (const [index, lane] of lanes.entries()) {
      const arriving = [...others(index), ...others(index)].map((fact, at) => ({
        fact,
        place: order[(at + 7 * index) % order.length] ?? 0,
      }))
      for (const { fact } of arriving.toSorted((one, other) => one.place - other.place)) lane.take(fact)
    }
    await syncAll(lanes)
    const [first, ...rest] = lanes.map((lane) => ({
      sold: catalogText(lane.catalog.pathOf(lane.catalog.place().edition)),
      digest: lane.digest(),
      lost: lane.lost(),
    }))
    for (const other of rest) deepStrictEqual(other, first)
  } finally {
    for (const lane of lanes) await lane.close()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}

export const Order = fc.array(fc.nat(), { minLength: 64, maxLength: 64 })
export const Skews = fc.tuple(fc.integer({ min: -20, max: 20 }), fc.nat(10), fc.nat(10))
