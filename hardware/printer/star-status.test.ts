import { expect, test } from 'vitest'
import { StarTalk, starCondition } from './star-status.ts'

/** The nine bytes of an automatic status block: printer, errors, more errors, paper, counter. */
const block = ({ printer = 0, errors = 0, more = 0, paper = 0, counter = 0 } = {}): number[] => [
  0x23,
  0x06,
  printer,
  errors,
  more,
  paper,
  0,
  ((counter & 0x18) << 2) | ((counter & 0x07) << 1),
  0,
]
const wellSent = (): Promise<void> => Promise.resolve()

test('what the bits say', () => {
  expect(starCondition(block())).toEqual({ kind: 'ready', paperLow: false, drawerSwitch: 'low' })
  expect(starCondition(block({ printer: 0x04, paper: 0x04 }))).toEqual({
    kind: 'ready',
    paperLow: true,
    drawerSwitch: 'high',
  })
  expect(starCondition(block({ printer: 0x28 }))).toMatchObject({ kind: 'trouble', detail: 'cover open' })
  expect(starCondition(block({ printer: 0x08, paper: 0x0c }))).toMatchObject({ kind: 'trouble', detail: 'paper out' })
  expect(starCondition(block({ errors: 0x08 }))).toMatchObject({ kind: 'trouble', detail: 'cutter error' })
  expect(starCondition(block({ errors: 0x40 }))).toMatchObject({ kind: 'trouble', detail: 'print head too hot' })
  for (const fault of [
    { errors: 0x20 },
    { errors: 0x04 },
    { more: 0x40 },
    { more: 0x08 },
    { more: 0x04 },
    { more: 0x02 },
  ])
    expect(starCondition(block(fault))).toMatchObject({ kind: 'trouble', detail: 'printer error' })
  expect(starCondition(block({ printer: 0x08 }))).toMatchObject({ kind: 'trouble', detail: 'printer offline' })
})

test('a block that arrives in pieces among noise is read whole', async () => {
  const talk = new StarTalk(() => undefined, 'star-line')
  const asked = talk.ask(wellSent)
  talk.push(Uint8Array.of(0x00, 0xff, 0x12))
  for (const byte of block({ printer: 0x28 })) talk.push(Uint8Array.of(byte))
  expect(await asked).toMatchObject({ kind: 'trouble', detail: 'cover open' })
})

test('half a block before the cable was pulled does not spoil the first one after it', async () => {
  const talk = new StarTalk(() => undefined, 'star-line')
  talk.push(Uint8Array.from(block().slice(0, 5)))
  talk.begin()
  const asked = talk.ask(wellSent)
  talk.push(Uint8Array.from(block()))
  expect(await asked).toMatchObject({ kind: 'ready' })
})

test('a job is confirmed by its own end and not by that of an earlier one', async () => {
  const talk = new StarTalk(() => undefined, 'star-line')
  talk.push(Uint8Array.from(block({ counter: 30 })))
  let settled = false
  const first = talk.finish(wellSent, 10_000)
  const second = talk.finish(wellSent, 10_000).finally(() => {
    settled = true
  })
  talk.push(Uint8Array.from(block({ counter: 31 })))
  // Whatever the first block settled has settled by the next turn of the loop.
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  expect(settled).toBe(false)
  // The counter goes from 31 to 0.
  talk.push(Uint8Array.from(block({ counter: 0 })))
  expect(await second).toBe('worked-through')
  expect(await first).toBe('worked-through')
})

test('a counter that fell back is a printer that was switched off: nothing is confirmed', async () => {
  const talk = new StarTalk(() => undefined, 'star-line')
  talk.push(Uint8Array.from(block({ counter: 5 })))
  const finished = talk.finish(wellSent, 10_000)
  talk.push(Uint8Array.from(block({ counter: 0 })))
  expect(await finished).toBeNull()
})

test('a block that nobody asked for is news when it says something else', () => {
  let news = 0
  const talk = new StarTalk(() => {
    news += 1
  }, 'star-line')
  talk.begin()
  const block = (paper: number, counter: number) => Uint8Array.of(0x23, 0x06, 0, 0, 0, paper, 0, counter, 0)
  talk.push(block(0, 0))
  talk.push(block(0, 2))
  expect(news).toBe(1)
  talk.push(block(0x0c, 2))
  expect(news).toBe(2)
})

test('flow control in the middle of a block is passed over', async () => {
  const talk = new StarTalk(() => undefined, 'star-line')
  const first = talk.ask(wellSent)
  talk.push(Uint8Array.of(0x23, 0x06, 0x13, 0x20, 0, 0x11, 0, 0, 0, 0, 0))
  expect(await first).toMatchObject({ detail: 'cover open' })
  const second = talk.ask(wellSent)
  talk.push(Uint8Array.from([...block({ printer: 0x20 }).slice(0, 6), ...block()]))
  expect(await second).toMatchObject({ kind: 'ready' })
})

test('on a network the block is followed by the length of what comes after it: nothing', async () => {
  const talk = new StarTalk(() => undefined, 'star-line')
  for (const expected of ['cover open', 'paper out']) {
    const asked = talk.ask(wellSent)
    const [header = 0, version = 0, ...rest] = block(expected === 'cover open' ? { printer: 0x20 } : { paper: 0x08 })
    talk.push(Uint8Array.from([header, version | 0x80, ...rest, 0, 0]))
    expect(await asked).toMatchObject({ detail: expected })
  }
})

test('that a job ended is no news of the printer', () => {
  let news = 0
  const talk = new StarTalk(() => {
    news += 1
  }, 'star-line')
  talk.push(Uint8Array.from(block()))
  talk.push(Uint8Array.from(block({ printer: 0x02, counter: 1 })))
  talk.push(Uint8Array.from(block({ counter: 1 })))
  expect(news).toBe(1)
})
