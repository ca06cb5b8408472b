import { expect, test } from 'vitest'
import { createGate } from './gate.ts'

/** Work that ends when it is told to. */
function works(count: number) {
  const begun: number[] = []
  const ends = Array.from({ length: count }, () => Promise.withResolvers<number>())
  const work = (index: number) => (): Promise<number> => {
    begun.push(index)
    return ends[index]?.promise ?? Promise.reject(new Error('there is no such work'))
  }
  return { begun, ends, work }
}

test('so many work at once, others follow in their order, and one too many is told so', async () => {
  const gate = createGate({ atOnce: 2, waiting: 2 })
  const { begun, ends, work } = works(5)
  const all = [0, 1, 2, 3].map((index) => gate(work(index)))
  expect(await gate(work(4))).toBeNull()
  expect(begun).toEqual([0, 1])
  ends[1]?.resolve(10)
  expect(await all[1]).toBe(10)
  await expect.poll(() => begun).toEqual([0, 1, 2])
  for (const [index, { resolve }] of ends.entries()) resolve(index)
  expect(await Promise.all(all)).toEqual([0, 10, 2, 3])
  expect(begun).toEqual([0, 1, 2, 3])
})

test('work that fails gives its place on', async () => {
  const gate = createGate({ atOnce: 1, waiting: 1 })
  const failing = gate(() => Promise.reject(new Error('lost')))
  const next = gate(() => Promise.resolve('done'))
  await expect(failing).rejects.toThrow('lost')
  expect(await next).toBe('done')
  expect(await gate(() => Promise.resolve('free'))).toBe('free')
})
