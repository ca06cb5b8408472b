import { describe, expect, test } from 'vitest'
import type { CentralEntry } from '../../rig/central.ts'
import { disagreements, type Kept } from './ledgers.ts'

const kept = (state: Kept['state'], miles: number, pendingMiles: number): Kept => ({
  id: 'op',
  type: 'issue',
  state,
  saleId: 'S',
  miles,
  pendingMiles,
  key: 'key',
  reverseKey: null,
})
const issued = (miles: number): CentralEntry => ({
  operationId: 1,
  operation: 'ISSUE',
  idempotencyKey: 'key',
  undoes: null,
  cash: miles,
  dream: 0,
})
const wrong = (operation: Kept, entries: readonly CentralEntry[], listed = false): number =>
  disagreements(operation, listed, new Map([['key', [...entries]]])).length

describe('miles that an issuance earned, beside the books of the loyalty service', () => {
  test.each<[string, Kept, CentralEntry[]]>([
    ['confirmed', kept('confirmed', 6, 0), [issued(6)]],
    ['nothing earned, and no entry for it', kept('confirmed', 0, 0), []],
    ['pending, and not settled yet', kept('accepted', 0, 6), []],
    ['pending, and settled since', kept('accepted', 0, 6), [issued(6)]],
    ['a part confirmed, a part pending', kept('accepted', 4, 2), [issued(4)]],
    ['taken back, and pending', kept('accepted', 0, -6), []],
  ])('%s agrees', (_what, operation, entries) => {
    expect(wrong(operation, entries)).toBe(0)
  })

  test.each<[string, Kept, CentralEntry[]]>([
    ['confirmed, and nothing there', kept('confirmed', 6, 0), []],
    ['issued twice', kept('confirmed', 6, 0), [issued(6), issued(6)]],
    ['more than was pending', kept('accepted', 0, 6), [issued(7)]],
    ['pending miles called earned', kept('accepted', 6, 0), []],
    ['rejected, and issued', kept('rejected', 0, 0), [issued(6)]],
  ])('%s does not', (_what, operation, entries) => {
    expect(wrong(operation, entries, true)).toBe(1)
  })
})
