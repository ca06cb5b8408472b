import { expect, test } from 'vitest'
import { pageOf } from './quick-keys.ts'

const THIRTEEN = Array.from({ length: 13 }, (_, index) => index)

test('puts every entry on exactly one page, and no more entries on a page than fit the screen', () => {
  expect([0, 1].map((page) => pageOf(THIRTEEN, page, 12))).toEqual([
    { shown: THIRTEEN.slice(0, 12), page: 0, pages: 2 },
    { shown: [12], page: 1, pages: 2 },
  ])
  expect(pageOf(THIRTEEN.slice(0, 12), 0, 12).pages).toBe(1)
})

test('shows the last page for a number beyond it, and one empty page for an empty list', () => {
  expect(pageOf(THIRTEEN, 9, 12)).toMatchObject({ shown: [12], page: 1 })
  expect(pageOf(THIRTEEN, -1, 12).page).toBe(0)
  expect(pageOf([], 0, 12)).toEqual({ shown: [], page: 0, pages: 1 })
})
