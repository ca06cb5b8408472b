import { describe, expect, test } from 'vitest'
import type { Staff } from '../../../contracts/staff/session.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { CollectorNumber, Sku, StaffId } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import { type Gesture, badgeReadsOf, cardReadsOf, createCardReads } from '../../core/devices/reads.ts'
import { voucherCodeOf } from '../../core/scan-codes.ts'
import { testClock, testLog } from '../../core/http/testing.ts'
import { ProblemError } from '../../core/problem.ts'
import { CAPTURE_MS, createInputCaptures, inputCapturesOf, inputDispatcherOf, inputEventsOf } from './dispatcher.ts'
import { type CatalogService, catalogOf } from '../../catalog/catalog.ts'
import { type CouponTaking, couponTakingOf } from '../sale-changes/coupons.ts'
import { salesOf } from '../sales.ts'
import { type Scanning, scanningOf } from '../scanning/scanning.ts'
import { type StaffService, staffOf } from '../../staff/sign-in.ts'
import { testContext } from '../../../packages/lab/testing/lane-context.ts'

const ALEX: Staff = { id: StaffId.parse('alex'), name: 'Alex', role: 'cashier', locale: 'en-CA' }
const SWIPE: Gesture = { kind: 'card', collectorNumber: CollectorNumber.parse('80000000011'), entryMode: 'SWIPE' }
const CHOCOLATE = {
  sku: Sku.parse('1013'),
  barcode: '0628451101307',
  name: { 'en-CA': 'Dark chocolate', 'fr-CA': 'Chocolat noir' },
  priceCents: cents(449),
  openPrice: null,
  taxCategory: 'standard',
  departmentId: 'D1',
  categoryId: null,
} as const
const code = (text: string, over: Partial<Extract<Gesture, { kind: 'code' }>> = {}): Gesture => ({
  kind: 'code',
  code: text,
  unknown: false,
  ...over,
})

function openDispatcher({ staff = ALEX, refuses }: { staff?: Staff | null; refuses?: ProblemError } = {}) {
  const clock = testClock()
  const done: string[] = []
  const published: { event: TerminalEvent; stream: string | undefined }[] = []
  const cardReads = createCardReads(clock, 60_000)
  const closed = new Set<string>()
  const captures = createInputCaptures(clock, (stream) => !closed.has(stream))
  const ctx = testContext({
    clock,
    log: testLog().log,
    signedIn: () => staff,
    publish: (event, stream) => {
      published.push({ event, stream })
    },
  })
  cardReadsOf.provide(ctx, cardReads)
  inputCapturesOf.provide(ctx, captures)
  inputEventsOf(ctx).on('card.presented', (card) => {
    if (refuses) throw refuses
    done.push(`inquire ${card.collectorNumber}`)
  })
  inputEventsOf(ctx).on('voucher.presented', (text) => void done.push(`voucher ${text}`))
  scanningOf.provide(ctx, {
    scan: (text: string, measure?: object) => done.push(`ring ${text}${measure ? ' measured' : ''}`),
  } as unknown as Scanning)
  badgeReadsOf.provide(ctx, { hold: (number: string) => `read of ${number}`, take: () => undefined })
  staffOf.provide(ctx, {
    badges: {
      signIn(number: string) {
        if (number === 'LOST01') throw new ProblemError('badge-inactive')
      },
    },
  } as unknown as StaffService)
  catalogOf.provide(ctx, {
    findByBarcode: (text: string) =>
      text === CHOCOLATE.barcode || text === 'N1010100000042ITEM' ? CHOCOLATE : undefined,
    findBySku: () => undefined,
  } as unknown as CatalogService)
  salesOf.provide(ctx, { isByWeight: () => false } as unknown as ReturnType<typeof salesOf>)
  couponTakingOf.provide(ctx, { has: (text: string) => text === 'SUMMERSALECOUPON' } as unknown as CouponTaking)
  const dispatch = inputDispatcherOf(ctx)
  return { dispatch, done, published, captures, clock, closed }
}

describe('a collector card', () => {
  test('starts INQUIRE at once, and windows receive only the last four digits of its number', () => {
    const { dispatch, done, published } = openDispatcher()
    dispatch(SWIPE)
    expect(done).toEqual(['inquire 80000000011'])
    expect(published).toEqual([{ event: { type: 'card-read', entryMode: 'SWIPE', last4: '0011' }, stream: undefined }])
  })

  test('is ignored while no one is signed in', () => {
    const { dispatch, done, published } = openDispatcher({ staff: null })
    dispatch(SWIPE)
    expect([done, published]).toEqual([[], []])
  })

  test('goes to the sale if the window whose form requested it has closed', () => {
    const { dispatch, done, captures, closed } = openDispatcher()
    captures.capture('cards', 'form')
    closed.add('form')
    dispatch(SWIPE)
    expect(done).toEqual(['inquire 80000000011'])
  })

  test('goes to the form that requested a card, and only the window of the form is notified', () => {
    const { dispatch, done, published, captures, clock } = openDispatcher()
    captures.capture('cards', 'form')
    captures.release('cards', 'another window')
    dispatch(SWIPE)
    expect(done).toEqual([])
    expect(published).toMatchObject([{ event: { type: 'card-claimed', last4: '0011' }, stream: 'form' }])
    clock.advance(CAPTURE_MS + 1_000)
    dispatch(SWIPE)
    expect(done, 'a window that died gives it back').toEqual(['inquire 80000000011'])
  })

  test('is published with the reason if the sale refuses it', () => {
    const { dispatch, published } = openDispatcher({ refuses: new ProblemError('member-tied') })
    dispatch(SWIPE)
    expect(published.map(({ event }) => event)).toMatchObject([
      { type: 'card-read' },
      { type: 'scan-refused', code: 'member-tied' },
    ])
  })
})

describe('a scanned code', () => {
  test('rings an item, with or without a price in the code, and an unknown code is looked up unchanged', () => {
    const { dispatch, done } = openDispatcher()
    dispatch(code('0628451101307'))
    dispatch(code('2012345005003', { measure: { kind: 'price', cents: cents(500) } as never }))
    dispatch(code('BAG5', { unknown: true }))
    expect(done).toEqual(['ring 0628451101307', 'ring 2012345005003 measured', 'ring BAG5'])
  })

  test('presents a voucher for payment, also when it was read as a receipt number', () => {
    const { dispatch, done } = openDispatcher()
    const voucher = voucherCodeOf('01234567-89ab-4cde-8f01-234567890abc')
    dispatch(code(voucher))
    dispatch({ kind: 'receipt', id: voucher })
    expect(done).toEqual([`voucher ${voucher}`, `voucher ${voucher}`])
  })

  test('is looked up as an item or coupon first, even if it has the shape of a receipt or voucher', () => {
    const { dispatch, done, published } = openDispatcher()
    dispatch({ kind: 'receipt', id: 'N1010100000042ITEM' })
    dispatch({ kind: 'receipt', id: 'SUMMERSALECOUPON' })
    dispatch({ kind: 'receipt', id: 'N1010100000042K7QZ' })
    expect(done).toEqual(['ring N1010100000042ITEM', 'ring SUMMERSALECOUPON'])
    expect(published).toMatchObject([{ event: { type: 'receipt-scanned', saleId: 'N1010100000042K7QZ' } }])
  })

  test('goes to the window of a return that requested items, and rings nothing', () => {
    const { dispatch, done, published, captures } = openDispatcher()
    captures.capture('items', 'returns')
    dispatch(code('0628451101307'))
    dispatch(code('0628451101307', { measure: { kind: 'price', cents: cents(500) } as never }))
    dispatch(code('999', { unknown: true }))
    expect(done).toEqual([])
    expect(published.map(({ event: { type }, stream }) => [type, stream])).toEqual([
      ['item-for-return', 'returns'],
      ['item-for-return', 'returns'],
      ['scan-unknown', 'returns'],
    ])
    captures.release('items', 'returns')
    dispatch(code('0628451101307'))
    expect(done).toEqual(['ring 0628451101307'])
  })
})

describe('the QR code of an enrolment sheet', () => {
  test('is sent to the windows while no one is signed in, else is reported as unreadable', () => {
    const [fresh, selling] = [openDispatcher({ staff: null }), openDispatcher()]
    for (const { dispatch } of [fresh, selling]) dispatch({ kind: 'enrolment', ticket: 'milepost-enrol:…' })
    expect(fresh.published.map(({ event }) => event)).toEqual([
      { type: 'enrolment-scanned', ticket: 'milepost-enrol:…' },
    ])
    expect(selling.published.map(({ event }) => event)).toEqual([{ type: 'scan-unreadable' }])
  })
})

describe('a staff badge', () => {
  const badge = (number: string): Gesture => ({ kind: 'badge', number })

  test('is published while no one is signed in, only with the id of the badge read', () => {
    const { dispatch, published } = openDispatcher({ staff: null })
    dispatch(badge('A10001'))
    expect(published).toEqual([{ event: { type: 'badge-presented', readId: 'read of A10001' }, stream: undefined }])
  })

  test('is refused with a reason when it is deactivated or someone is signed in', () => {
    const [signedOut, signedIn] = [openDispatcher({ staff: null }), openDispatcher()]
    signedOut.dispatch(badge('LOST01'))
    signedIn.dispatch(badge('A10001'))
    expect([...signedOut.published, ...signedIn.published].map(({ event }) => event)).toMatchObject([
      { type: 'scan-refused', code: 'badge-inactive' },
      { type: 'scan-refused', code: 'badge-not-now' },
    ])
  })

  test('goes to the form that assigns it to a person', () => {
    const { dispatch, published, captures } = openDispatcher()
    captures.capture('badges', 'form')
    dispatch(badge('A10001'))
    expect(published).toEqual([{ event: { type: 'badge-claimed', readId: 'read of A10001' }, stream: 'form' }])
  })
})
