import { expect, test } from 'vitest'
import { z } from 'zod'
import { LaneTime } from './bounds.ts'
import { PlannedPriceChange } from './changes.ts'
import { OfferHold } from './holds.ts'

const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

test('the store server accepts from a lane only times that a page can format', () => {
  for (const at of [0, LATEST]) {
    expect(LaneTime.safeParse(at).success).toBe(true)
    expect(z.iso.datetime().safeParse(new Date(at).toISOString()).success).toBe(true)
  }
  for (const at of [-1, LATEST + 1, 8.64e15 + 1, Number.MAX_SAFE_INTEGER])
    expect(LaneTime.safeParse(at).success, `${at}`).toBe(false)
})

test('a held sale and a planned price with a time after the year 9999 are rejected', () => {
  expect(OfferHold.shape.heldAt.safeParse(LATEST + 1).success).toBe(false)
  expect(PlannedPriceChange.shape.fromAt.safeParse(LATEST + 1).success).toBe(false)
})
