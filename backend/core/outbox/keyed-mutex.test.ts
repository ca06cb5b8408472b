import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeyedMutex } from './keyed-mutex.ts'

function work(log: string[], name: string) {
  let finish: (error?: Error) => void = () => undefined
  const done = new Promise<void>((resolve, reject) => {
    finish = (error) => {
      if (error) reject(error)
      else resolve()
    }
  })
  return {
    finish,
    run: async () => {
      log.push(`begin ${name}`)
      await done
      log.push(`end ${name}`)
    },
  }
}

test('work for one collector runs one after the other in order of arrival, and delays no other collector', async () => {
  const mutex = createKeyedMutex()
  const log: string[] = []
  const [a, b, other] = [work(log, 'a'), work(log, 'b'), work(log, 'other')]
  const first = mutex.run('8', 'queued', a.run)
  const second = mutex.run('8', 'queued', b.run)
  const third = mutex.run('9', 'queued', other.run)
  other.finish()
  await third
  expect(log).toEqual(['begin a', 'begin other', 'end other'])
  a.finish()
  await first
  b.finish()
  await second
  expect(log.slice(3)).toEqual(['end a', 'begin b', 'end b'])
  expect([mutex.busy('8'), mutex.busy('9')]).toEqual([false, false])
})

test('a redemption overtakes queued work of its collector, but not running work or an earlier redemption', async () => {
  const mutex = createKeyedMutex()
  const log: string[] = []
  const names = ['flying', 'queued-1', 'queued-2', 'redeem-1', 'redeem-2']
  const runs = names.map((name) => {
    const one = work(log, name)
    one.finish()
    return mutex.run('8', name.startsWith('redeem') ? 'now' : 'queued', one.run)
  })
  await Promise.all(runs)
  expect(log.filter((line) => line.startsWith('begin'))).toEqual(
    ['flying', 'redeem-1', 'redeem-2', 'queued-1', 'queued-2'].map((name) => `begin ${name}`),
  )
})

test('the collector locks report a waiting customer while work that a customer awaits is queued or runs', async () => {
  const mutex = createKeyedMutex()
  const log: string[] = []
  mutex.onIdle(() => log.push('calm'))
  const [flying, first, second] = [work(log, 'flying'), work(log, 'first'), work(log, 'second')]
  const runs = [mutex.run('8', 'queued', flying.run)]
  expect(mutex.isLive()).toBe(false)
  runs.push(mutex.run('8', 'live', first.run), mutex.run('9', 'live', second.run))
  expect(mutex.isLive()).toBe(true)
  second.finish()
  await runs[2]
  expect(mutex.isLive()).toBe(true)
  flying.finish()
  first.finish()
  await Promise.all(runs)
  expect([mutex.isLive(), log.filter((line) => line === 'calm')]).toEqual([false, ['calm']])
  await expect(mutex.run('8', 'live', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(mutex.isLive()).toBe(false)
})

test('work that fails releases the collector, and its error reaches the caller', async () => {
  const mutex = createKeyedMutex()
  const failing = mutex.run('8', 'queued', async () => {
    throw new Error('broken')
  })
  const next = mutex.run('8', 'queued', async () => 'done')
  const thrown = mutex.run('8', 'now', () => {
    throw new Error('before it began')
  })
  await expect(failing).rejects.toThrow('broken')
  await expect(thrown).rejects.toThrow('before it began')
  expect(await next).toBe('done')
  expect(mutex.busy('8')).toBe(false)
})

test('in any order of arrival, all work runs once, and never two pieces of one collector together', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          collector: fc.constantFrom('a', 'b'),
          urgency: fc.constantFrom<'now' | 'queued'>('now', 'queued'),
          ticks: fc.nat(3),
          fails: fc.boolean(),
        }),
        { maxLength: 20 },
      ),
      async (jobs) => {
        const mutex = createKeyedMutex()
        const flying = new Map<string, number>()
        let ran = 0
        await Promise.allSettled(
          jobs.map(({ collector, urgency, ticks, fails }) =>
            mutex.run(collector, urgency, async () => {
              flying.set(collector, (flying.get(collector) ?? 0) + 1)
              expect(flying.get(collector)).toBe(1)
              for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
              flying.set(collector, 0)
              ran += 1
              if (fails) throw new Error('fails')
            }),
          ),
        )
        expect(ran).toBe(jobs.length)
        expect([mutex.busy('a'), mutex.busy('b')]).toEqual([false, false])
      },
    ),
  )
})

test('the collector locks are idle while no work for any collector runs', async () => {
  const mutex = createKeyedMutex()
  let finish = (): void => undefined
  const running = mutex.run(
    'a',
    'now',
    () =>
      new Promise<void>((resolve) => {
        finish = resolve
      }),
  )
  expect(mutex.idle()).toBe(false)
  finish()
  await running
  expect(mutex.idle()).toBe(true)
})
