import { expect, it } from 'vitest'
import { withoutEmpty } from './answer.ts'

it('leaves out what is null or empty at any depth, and keeps zeros and false', () => {
  expect(
    withoutEmpty({
      a: null,
      b: '',
      c: [],
      d: {},
      e: { f: { g: '' } },
      h: ['', null, [{}]],
      i: 0,
      j: false,
      k: [{ l: '', m: 1 }, 'n', ''],
      o: { p: 'q', r: [] },
    }),
  ).toEqual({ i: 0, j: false, k: [{ m: 1 }, 'n'], o: { p: 'q' } })
})
it('leaves nothing of nothing', () => {
  expect([withoutEmpty({ a: {} }), withoutEmpty([]), withoutEmpty('')]).toEqual([undefined, undefined, undefined])
})
