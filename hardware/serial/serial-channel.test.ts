import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ByteChannel, WireError } from './channel.ts'
import { openPty, type Pty } from './pty.fixture.ts'
import { openSerialChannel } from './serial-channel.ts'

let pty: Pty
let channel: ByteChannel
let received: number
/** Resolves with the reason when the channel says that it is gone. */
let gone: Promise<string>

beforeEach(async () => {
  pty = await openPty()
  received = 0
  let notify: (reason: string) => void = () => undefined
  gone = new Promise((resolve) => {
    notify = resolve
  })
  channel = await openSerialChannel(
    { path: pty.path, baudRate: 115_200 },
    {
      onData: (bytes) => {
        received += bytes.length
      },
      onClose: notify,
    },
    3_000,
  )
})
afterEach(async () => {
  await channel.close()
  await pty.close()
})

/** Pulls the cable and answers how long it took until the channel said so, in milliseconds. */
async function noticedAfter(): Promise<number> {
  const start = performance.now()
  await pty.unplug()
  await gone
  return performance.now() - start
}

test('a pulled cable is noticed within a second while the wire is idle', async () => {
  expect(await noticedAfter()).toBeLessThan(1_000)
})

test('a pulled cable is noticed within a second while data flows in', async () => {
  const flow = Buffer.alloc(64 * 1024, '4006381333931\r')
  for (let chunk = 0; chunk < 16; chunk += 1) pty.send(flow)
  expect(await noticedAfter()).toBeLessThan(1_000)
})

test('a pulled cable ends a write that is on its way within a second, long before its deadline', async () => {
  pty.stall()
  const start = performance.now()
  const write = channel.write(Buffer.alloc(1024 * 1024, 'x'), 20_000).then(
    () => 'written',
    (error: unknown) => error,
  )
  expect(await noticedAfter()).toBeLessThan(1_000)
  expect(await write).toBeInstanceOf(WireError)
  expect(performance.now() - start).toBeLessThan(2_000)
})

test('a peer that takes no more data costs its deadline and no more, and the wire is given up', async () => {
  pty.stall()
  const start = performance.now()
  await expect(channel.write(Buffer.alloc(1024 * 1024, 'x'), 300)).rejects.toThrow('took no more data for 300 ms')
  expect(performance.now() - start).toBeLessThan(1_800)
  await gone
  await expect(channel.write(Buffer.from('x'), 300)).rejects.toThrow(WireError)
})

test('after a close nothing is said, and the port is free for the next', async () => {
  await channel.close()
  await channel.close()
  let said = false
  void gone.then(() => {
    said = true
  })
  const next = await openSerialChannel(
    { path: pty.path, baudRate: 115_200 },
    { onData: () => undefined, onClose: () => undefined },
    3_000,
  )
  await next.write(Buffer.from('x'), 1_000)
  await next.close()
  expect(said).toBe(false)
})

test('a claimed port is refused to the next who asks', async () => {
  await expect(
    openSerialChannel(
      { path: pty.path, baudRate: 115_200 },
      { onData: () => undefined, onClose: () => undefined },
      3_000,
    ),
  ).rejects.toThrow(pty.path)
  expect(received).toBe(0)
})
