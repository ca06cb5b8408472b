import { expect, test } from 'vitest'
import { createStarTalk, starCondition } from './star-status.ts'

/** The nine bytes of an automatic status block: printer, errors, more errors, paper, counter. */
const block = ({ printer = 0, errors = 0, more = 0, paper = 0, counter = 0 } = {}): number[] =>
  [0x23, 0x06, printer, errors, more, paper, 0, ((counter & 0x18) << 2) | ((counter & 0x07) << 1), 0]
const wellSent = (): Promise<void> => Promise.resolve()

test('what the bits say', () => {
  expect(starCondition(block())).toEqual({ kind: 'ready', paperLow: false, drawerSwitch: 'low' })
  expect(starCondition(block({ printer: 0x04, paper: 0x04 }))).toEqual({ kind: 'ready', paperLow: true, drawerSwitch: 'high' })
  expect(starCondition(block({ printer: 0x28 }))).toMatchObject({ kind: 'trouble', detail: 'cover open' })
  expect(starCondition(block({ printer: 0x08, paper: 0x0c }))).toMatchObject({ kind: 'trouble', detail: 'paper out' })
  expect(starCondition(block({ errors: 0x08 }))).toMatchObject({ kind: 'trouble', detail: 'printer error' })
  expect(starCondition(block({ printer: 0x08 }))).toMatchObject({ kind: 'trouble', detail: 'printer offline' })
})

test('a block that arrives in pieces among noise is read whole', async () => {
  const talk = createStarTalk(() => undefined)
  const asked = talk.ask(wellSent)
  talk.push(Uint8Array.of(0x00, 0xff, 0x12))
  for (const byte of block({ printer: 0x28 })) talk.push(Uint8Array.of(byte))
  expect(await asked).toMatchObject({ kind: 'trouble', detail: 'cover open' })
})

test('half a block before the cable was pulled does not spoil the first one after it', async () => {
  const talk = createStarTalk(() => undefined)
  talk.push(Uint8Array.from(block().slice(0, 5)))
  talk.begin()
  const asked = talk.ask(wellSent)
  talk.push(Uint8Array.from(block()))
  expect(await asked).toMatchObject({ kind: 'ready' })
})

test('a job is confirmed by its own end and not by that of an earlier one', async () => {
  const talk = createStarTalk(() => undefined)
  talk.push(Uint8Array.from(block({ counter: 30 })))
  let settled = false
  const first = talk.finish(wellSent, 10_000)
  const second = talk.finish(wellSent, 10_000).finally(() => { settled = true })
  talk.push(Uint8Array.from(block({ counter: 31 })))
  // Whatever the first block settled has settled by the next turn of the loop.
  await new Promise((resolve) => { setImmediate(resolve) })
  expect(settled).toBe(false)
  // The counter goes from 31 to 0.
  talk.push(Uint8Array.from(block({ counter: 0 })))
  expect(await second).toBe('worked-through')
  expect(await first).toBe('worked-through')
})

test('a counter that fell back is a printer that was switched off: nothing is confirmed', async () => {
  const talk = createStarTalk(() => undefined)
  talk.push(Uint8Array.from(block({ counter: 5 })))
  const finished = talk.finish(wellSent, 10_000)
  talk.push(Uint8Array.from(block({ counter: 0 })))
  expect(await finished).toBeNull()
})

test('a block that nobody asked for is news when it says something else', () => {
  let news = 0
  const talk = createStarTalk(() => { news += 1 })
  talk.begin()
  const block = (paper: number, counter: number) => Uint8Array.of(0x23, 0x06, 0, 0, 0, paper, 0, counter, 0)
  talk.push(block(0, 0))
  talk.push(block(0, 2))
  expect(news).toBe(1)
  talk.push(block(0x0c, 2))
  expect(news).toBe(2)
})
