import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ByteChannel, WireError } from './channel.ts'
import { openPty, type Pty } from './pty.fixture.ts'
import { openSerialChannel } from './serial-channel.ts'

let pty: Pty
let channel: ByteChannel
let received: number
let closed: Promise<string>

beforeEach(async () => {
  pty = await openPty()
  received = 0
  let notify: (reason: string) => void = () => undefined
  closed = new Promise((resolve) => {
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

async function noticedAfter(): Promise<number> {
  const start = performance.now()
  await pty.unplug()
  await closed
  return performance.now() - start
}

test('an unplugged cable is detected within a second while the wire is idle', async () => {
  expect(await noticedAfter()).toBeLessThan(1_000)
})

test('an unplugged cable is detected within a second while data arrives', async () => {
  const flow = Buffer.alloc(64 * 1024, '4006381333931\r')
  for (let chunk = 0; chunk < 16; chunk += 1) pty.send(flow)
  expect(await noticedAfter()).toBeLessThan(1_000)
})

test('a write fails within two seconds after the cable is unplugged, long before its deadline', async () => {
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

test('a write to a device that accepts no more data fails at its deadline and closes the channel', async () => {
  pty.stall()
  const start = performance.now()
  await expect(channel.write(Buffer.alloc(1024 * 1024, 'x'), 300)).rejects.toThrow('accepted no data for 300 ms')
  expect(performance.now() - start).toBeLessThan(1_800)
  await closed
  await expect(channel.write(Buffer.from('x'), 300)).rejects.toThrow(WireError)
})

test('a closed channel reports nothing, and its port can be opened by another channel', async () => {
  await channel.close()
  await channel.close()
  let wasCalled = false
  void closed.then(() => {
    wasCalled = true
  })
  const next = await openSerialChannel(
    { path: pty.path, baudRate: 115_200 },
    { onData: () => undefined, onClose: () => undefined },
    3_000,
  )
  await next.write(Buffer.from('x'), 1_000)
  await next.close()
  expect(wasCalled).toBe(false)
})

test('opening a port that is already open fails and names the port', async () => {
  await expect(
    openSerialChannel(
      { path: pty.path, baudRate: 115_200 },
      { onData: () => undefined, onClose: () => undefined },
      3_000,
    ),
  ).rejects.toThrow(pty.path)
  expect(received).toBe(0)
})
