import { expect, test } from 'vitest'
import { pageOf } from './quick-keys.ts'

const THIRTEEN = Array.from({ length: 13 }, (_, index) => index)

test('every quick key is on exactly one page, and no page has more keys than fit the screen', () => {
  expect([0, 1].map((page) => pageOf(THIRTEEN, page, 12))).toEqual([
    { shown: THIRTEEN.slice(0, 12), page: 0, pages: 2 },
    { shown: [12], page: 1, pages: 2 },
  ])
  expect(pageOf(THIRTEEN.slice(0, 12), 0, 12).pages).toBe(1)
})

test('a page number beyond the last page shows the last, and an empty list has one empty page', () => {
  expect(pageOf(THIRTEEN, 9, 12)).toMatchObject({ shown: [12], page: 1 })
  expect(pageOf(THIRTEEN, -1, 12).page).toBe(0)
  expect(pageOf([], 0, 12)).toEqual({ shown: [], page: 0, pages: 1 })
})
