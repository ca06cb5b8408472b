import { beforeEach, describe, expect, test } from 'vitest'
import type { Sale } from '../../contracts/sales/sales.ts'
import { CHOICE, line, redemption, saleOf } from '../testing/sales.ts'
import {
  changedLine,
  itemCount,
  nextCustomer,
  outcomeKey,
  panelOf,
  resetSale,
  selectLine,
  setStage,
  takeNoSale,
  takeSale,
  useSale,
} from './sale.ts'

const at = (version: number, over: object = {}): Sale => saleOf([line(1), line(2)], { version, ...over })
const state = () => useSale.getState()

beforeEach(resetSale)

describe('the sale on the screen', () => {
  test('is never replaced by an older version, whether from an answer or an event', () => {
    expect(takeSale(at(5))).toBe(true)
    expect(takeSale(at(4))).toBe(false)
    expect(state().current?.version).toBe(5)
    expect(takeSale(at(5, { milesPreview: 12 }))).toBe(true)
    expect(state().current?.milesPreview).toBe(12)
  })

  test('is not opened again by an open state that arrives after the sale is finished', () => {
    takeSale(at(5))
    takeSale(at(7, { state: 'completed' }))
    expect(takeSale(at(6))).toBe(false)
    expect(state()).toMatchObject({ current: null, closed: { version: 7 } })
  })

  test('disappears when it is put on hold, and is not affected by other sales on hold', () => {
    takeSale(at(5))
    takeSale(saleOf([line(1)], { id: 'WAITS', version: 2, state: 'held' }))
    expect(state().current?.version).toBe(5)
    takeSale(at(6, { state: 'held' }))
    expect(state()).toMatchObject({ current: null, closed: null })
    takeSale(at(7))
    expect(state().current?.version).toBe(7)
  })

  test('shows changes of its issuance after it is finished, until the next customer', () => {
    takeSale(at(5))
    takeSale(at(6, { state: 'completed' }))
    takeSale(at(7, { state: 'completed', issuance: { state: 'confirmed', miles: 45 } }))
    expect(state().closed?.issuance?.state).toBe('confirmed')
    nextCustomer()
    expect(takeSale(at(8, { state: 'completed' }))).toBe(false)
    expect(state()).toMatchObject({ current: null, closed: null })
  })

  test('keeps the cash change of the previous sale on the screen until this sale is closed', () => {
    const paid = {
      state: 'completed',
      tenders: [
        {
          number: 1,
          kind: 'cash',
          amountCents: 4531,
          roundingCents: -1,
          tenderedCents: 6000,
          changeCents: 1470,
          reference: null,
        },
      ],
    }
    takeSale(at(5))
    takeSale(at(6, paid))
    expect(state().lastChangeCents).toBe(0)
    takeSale(saleOf([line(1)], { id: 'NEXT', version: 1 }))
    expect(state().lastChangeCents).toBe(1470)
    takeSale(saleOf([line(1)], { id: 'NEXT', version: 2, state: 'completed' }))
    expect(state().lastChangeCents).toBe(0)
    nextCustomer()
    expect(state().lastChangeCents).toBe(0)
  })

  test('is replaced by the next sale at the next customer’s scan', () => {
    takeSale(at(5))
    takeSale(at(6, { state: 'completed' }))
    takeSale(saleOf([line(1)], { id: '01K9TRAINLANE02', version: 1 }))
    expect(state()).toMatchObject({ current: { id: '01K9TRAINLANE02' }, closed: null })
  })

  test('stays after a cancellation if it has a tender, until the next customer, and else disappears', () => {
    takeSale(at(5))
    takeSale(
      at(6, {
        state: 'cancelled',
        tenders: [
          {
            number: 1,
            kind: 'cash',
            amountCents: 1000,
            roundingCents: 0,
            tenderedCents: 1000,
            changeCents: 0,
            reference: null,
          },
        ],
      }),
    )
    expect([panelOf(state()), state().closed?.state]).toEqual(['after', 'cancelled'])
    nextCustomer()
    takeSale(saleOf([line(1)], { id: '01K9TRAINLANE02', version: 1 }))
    takeSale(saleOf([line(1)], { id: '01K9TRAINLANE02', version: 2, state: 'cancelled' }))
    expect(state()).toMatchObject({ current: null, closed: null })
  })

  test('stays the last completed sale when the next customer’s sale is cancelled', () => {
    takeSale(at(5))
    takeSale(at(6, { state: 'completed' }))
    nextCustomer()
    takeSale(saleOf([line(1)], { id: '01K9TRAINLANE02', version: 1 }))
    takeSale(saleOf([line(1)], { id: '01K9TRAINLANE02', version: 2, state: 'cancelled' }))
    expect(state().lastSaleId).toBe('01K9TRAINLANE01')
  })

  test('disappears when the backend no longer has it', () => {
    takeSale(at(5))
    takeNoSale()
    expect(state().current).toBeNull()
  })
})

describe('the selected line', () => {
  test('follows the scanned items, and stays when nothing was rung', () => {
    takeSale(saleOf([line(1)], { version: 1 }))
    takeSale(saleOf([line(1), line(2)], { version: 2 }))
    expect(state().selectedLine).toBe(2)
    takeSale(saleOf([line(1, { quantity: 2 }), line(2)], { version: 3 }))
    expect(state().selectedLine).toBe(1)
    takeSale(saleOf([line(1, { quantity: 2 }), line(2)], { version: 4, milesPreview: 3 }))
    expect(state().selectedLine).toBe(1)
  })

  test('moves to the previous line when the last line is voided', () => {
    takeSale(saleOf([line(1), line(2)], { version: 1 }))
    takeSale(saleOf([line(1), line(2, { voided: true })], { version: 2 }))
    expect(state().selectedLine).toBe(1)
  })

  test('moves to the next line, or to the last one, when its line is voided', () => {
    const voided = (...numbers: number[]): Sale['lines'] =>
      [1, 2, 3, 4].map((number) => line(number, { voided: numbers.includes(number) }))
    takeSale(saleOf(voided(), { version: 1 }))
    selectLine(2)
    takeSale(saleOf(voided(2), { version: 2 }))
    expect(state().selectedLine).toBe(3)
    selectLine(4)
    takeSale(saleOf(voided(2, 4), { version: 3 }))
    expect(state().selectedLine).toBe(3)
  })

  test('returns to the line whose void was undone', () => {
    takeSale(saleOf([line(1, { voided: true }), line(2)], { version: 1 }))
    takeSale(saleOf([line(1), line(2)], { version: 2 }))
    expect(state().selectedLine).toBe(1)
  })

  test('does not move to a voided line, and the number of items excludes voided lines', () => {
    const before = saleOf([line(1), line(2, { quantity: 3 })])
    const after = saleOf([line(1), line(2, { quantity: 3, voided: true })])
    expect(changedLine(before, after)).toBeUndefined()
    expect([itemCount(before), itemCount(after)]).toEqual([4, 1])
  })
})

describe('the payment panel', () => {
  const withRedemption = (over: object, version = 6) => at(version, { redemption: redemption(over) })

  test('shows a redemption in progress in place of any other panel, and cannot be closed', () => {
    takeSale(at(5))
    setStage('cash')
    takeSale(withRedemption({ state: 'intent', outcome: 'sending' }))
    useSale.setState({ seenOutcome: outcomeKey(redemption({ state: 'intent' }) as never) })
    expect(panelOf(state())).toBe('redemption')
  })

  test('shows an outcome until it is seen, and then a new outcome of the same redemption', () => {
    takeSale(withRedemption({ state: 'escalated', outcome: 'not-applied' }))
    expect(panelOf(state())).toBe('redemption')
    const seen = state().current?.redemption
    if (!seen) throw new Error('the sale has no redemption')
    useSale.setState({ seenOutcome: outcomeKey(seen) })
    expect(panelOf(state())).toBe('ring')
    takeSale(withRedemption({ state: 'reversed', outcome: 'reversed' }, 7))
    expect(panelOf(state())).toBe('redemption')
  })

  test('shows no outcome for miles that the cashier returned, unless the return was too late', () => {
    takeSale(withRedemption({ state: 'reversed', outcome: 'reversed', wasApplied: true }))
    expect(panelOf(state())).toBe('ring')
    takeSale(withRedemption({ state: 'reversal-expired', outcome: 'reversal-expired', wasApplied: true }, 7))
    expect(panelOf(state()), 'store credit is to be given to the customer').toBe('redemption')
  })

  test('closes a choice of units that is no longer offered, and limits the chosen units to the maximum', () => {
    takeSale(at(5, { redemptionChoice: CHOICE }))
    setStage('redeem')
    useSale.setState({ units: 4 })
    takeSale(at(6, { redemptionChoice: { ...CHOICE, maxUnits: 2, defaultUnits: 2 } }))
    expect(state()).toMatchObject({ units: 2, stage: 'redeem' })
    takeSale(at(7))
    expect(state()).toMatchObject({ units: null, stage: 'ring' })
  })

  test('shows a finished sale until the next customer', () => {
    takeSale(at(5))
    takeSale(at(6, { state: 'completed' }))
    expect(panelOf(state())).toBe('after')
    nextCustomer()
    expect(panelOf(state())).toBe('ring')
  })
})
