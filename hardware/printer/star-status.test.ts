import { expect, test } from 'vitest'
import { StarProtocol, starCondition } from './star-status.ts'

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

test('the bits of a Star printer’s status are decoded', () => {
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

test('a Star status block that arrives in pieces, after noise, is read', async () => {
  const protocol = new StarProtocol(() => undefined, 'star-line')
  const pending = protocol.ask(wellSent)
  protocol.push(Uint8Array.of(0x00, 0xff, 0x12))
  for (const byte of block({ printer: 0x28 })) protocol.push(Uint8Array.of(byte))
  expect(await pending).toMatchObject({ kind: 'trouble', detail: 'cover open' })
})

test('half a Star status block before a disconnect does not corrupt the next block', async () => {
  const protocol = new StarProtocol(() => undefined, 'star-line')
  protocol.push(Uint8Array.from(block().slice(0, 5)))
  protocol.begin()
  const pending = protocol.ask(wellSent)
  protocol.push(Uint8Array.from(block()))
  expect(await pending).toMatchObject({ kind: 'ready' })
})

test('a job at a Star printer is confirmed by the end of that job, not of an earlier one', async () => {
  const protocol = new StarProtocol(() => undefined, 'star-line')
  protocol.push(Uint8Array.from(block({ counter: 30 })))
  let isFinished = false
  const first = protocol.finish(wellSent, 10_000)
  const second = protocol.finish(wellSent, 10_000).finally(() => {
    isFinished = true
  })
  protocol.push(Uint8Array.from(block({ counter: 31 })))
  // If the first block had confirmed the second job, that would show in the next iteration of the event loop.
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
  expect(isFinished).toBe(false)
  protocol.push(Uint8Array.from(block({ counter: 0 })))
  expect(await second).toBe('worked-through')
  expect(await first).toBe('worked-through')
})

test('a smaller counter of ended jobs means that the Star printer was switched off, and confirms no job', async () => {
  const protocol = new StarProtocol(() => undefined, 'star-line')
  protocol.push(Uint8Array.from(block({ counter: 5 })))
  const finished = protocol.finish(wellSent, 10_000)
  protocol.push(Uint8Array.from(block({ counter: 0 })))
  expect(await finished).toBeNull()
})

test('an unsolicited Star status block that differs from the last one is reported as a change', () => {
  let changes = 0
  const protocol = new StarProtocol(() => {
    changes += 1
  }, 'star-line')
  protocol.begin()
  const block = (paper: number, counter: number) => Uint8Array.of(0x23, 0x06, 0, 0, 0, paper, 0, counter, 0)
  protocol.push(block(0, 0))
  protocol.push(block(0, 2))
  expect(changes).toBe(1)
  protocol.push(block(0x0c, 2))
  expect(changes).toBe(2)
})

test('flow control bytes within a Star status block are skipped', async () => {
  const protocol = new StarProtocol(() => undefined, 'star-line')
  const first = protocol.ask(wellSent)
  protocol.push(Uint8Array.of(0x23, 0x06, 0x13, 0x20, 0, 0x11, 0, 0, 0, 0, 0))
  expect(await first).toMatchObject({ detail: 'cover open' })
  const second = protocol.ask(wellSent)
  protocol.push(Uint8Array.from([...block({ printer: 0x20 }).slice(0, 6), ...block()]))
  expect(await second).toMatchObject({ kind: 'ready' })
})

test('a Star status block with a length of zero after it, as sent over the network, is read', async () => {
  const protocol = new StarProtocol(() => undefined, 'star-line')
  for (const expected of ['cover open', 'paper out']) {
    const pending = protocol.ask(wellSent)
    const [header = 0, version = 0, ...rest] = block(expected === 'cover open' ? { printer: 0x20 } : { paper: 0x08 })
    protocol.push(Uint8Array.from([header, version | 0x80, ...rest, 0, 0]))
    expect(await pending).toMatchObject({ detail: expected })
  }
})

test('the end of a job at a Star printer is not reported as a status change', () => {
  let changes = 0
  const protocol = new StarProtocol(() => {
    changes += 1
  }, 'star-line')
  protocol.push(Uint8Array.from(block()))
  protocol.push(Uint8Array.from(block({ printer: 0x02, counter: 1 })))
  protocol.push(Uint8Array.from(block({ counter: 1 })))
  expect(changes).toBe(1)
})
