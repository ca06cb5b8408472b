import { describe, expect, test } from 'vitest'
import type { CentralEntry } from '../../rig/central.ts'
import { disagreements, type JournalOperation } from './ledgers.ts'

const operationIn = (state: JournalOperation['state'], miles: number, pendingMiles: number): JournalOperation => ({
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
const wrong = (operation: JournalOperation, entries: readonly CentralEntry[], listed = false): number =>
  disagreements(operation, listed, new Map([['key', [...entries]]])).length

describe('the comparison of earned miles with the loyalty service’s ledger entries', () => {
  test.each<[string, JournalOperation, CentralEntry[]]>([
    ['confirmed', operationIn('confirmed', 6, 0), [issued(6)]],
    ['zero miles, no entry', operationIn('confirmed', 0, 0), []],
    ['pending, not settled yet', operationIn('accepted', 0, 6), []],
    ['pending, settled since', operationIn('accepted', 0, 6), [issued(6)]],
    ['a portion confirmed, a portion pending', operationIn('accepted', 4, 2), [issued(4)]],
    ['taken back, and pending', operationIn('accepted', 0, -6), []],
  ])('finds no difference if the entries agree: %s', (_what, operation, entries) => {
    expect(wrong(operation, entries)).toBe(0)
  })

  test.each<[string, JournalOperation, CentralEntry[]]>([
    ['confirmed, no entry', operationIn('confirmed', 6, 0), []],
    ['issued twice', operationIn('confirmed', 6, 0), [issued(6), issued(6)]],
    ['more settled than was pending', operationIn('accepted', 0, 6), [issued(7)]],
    ['pending miles recorded as earned', operationIn('accepted', 6, 0), []],
    ['rejected, and issued', operationIn('rejected', 0, 0), [issued(6)]],
  ])('finds a difference if the entries disagree: %s', (_what, operation, entries) => {
    expect(wrong(operation, entries, true)).toBe(1)
  })
})
