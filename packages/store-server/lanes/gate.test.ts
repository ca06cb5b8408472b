import { expect, test } from 'vitest'
import { createGate } from './fact-notices.ts'

function works(count: number) {
  const begun: number[] = []
  const ends = Array.from({ length: count }, () => Promise.withResolvers<number>())
  const work = (index: number) => (): Promise<number> => {
    begun.push(index)
    return ends[index]?.promise ?? Promise.reject(new Error('there is no such work'))
  }
  return { begun, ends, work }
}

test('the push gate limits concurrent work, queues in order, and rejects beyond the queue limit', async () => {
  const gate = createGate({ atOnce: 2, waiting: 2, ofOne: 4 })
  const { begun, ends, work } = works(5)
  const all = [0, 1, 2, 3].map((index) => gate('01', work(index)))
  expect(await gate('02', work(4))).toBeNull()
  expect(begun).toEqual([0, 1])
  ends[1]?.resolve(10)
  expect(await all[1]).toBe(10)
  await expect.poll(() => begun).toEqual([0, 1, 2])
  for (const [index, { resolve }] of ends.entries()) resolve(index)
  expect(await Promise.all(all)).toEqual([0, 10, 2, 3])
  expect(begun).toEqual([0, 1, 2, 3])
})

test('failed work frees its place in the push gate', async () => {
  const gate = createGate({ atOnce: 1, waiting: 1, ofOne: 2 })
  const failing = gate('01', () => Promise.reject(new Error('lost')))
  const next = gate('01', () => Promise.resolve('done'))
  await expect(failing).rejects.toThrow('lost')
  expect(await next).toBe('done')
  expect(await gate('01', () => Promise.resolve('free'))).toBe('free')
})

test('the push gate limits each caller, so that other callers find free places', async () => {
  const gate = createGate({ atOnce: 2, waiting: 2, ofOne: 2 })
  const { begun, ends, work } = works(5)
  const own = [gate('01', work(0)), gate('01', work(1))]
  expect(await gate('01', work(2))).toBeNull()
  const other = gate('02', work(3))
  ends[0]?.resolve(0)
  ends[3]?.resolve(3)
  expect([await own[0], await other]).toEqual([0, 3])
  ends[4]?.resolve(4)
  expect(await gate('01', work(4))).toBe(4)
  expect(begun).toEqual([0, 1, 3, 4])
  ends[1]?.resolve(1)
  await own[1]
})
