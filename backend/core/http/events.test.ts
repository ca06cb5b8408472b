import { get, type ClientRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { WINDOW_HEADER } from '../../../contracts/core/window.ts'
import { eventually, startTestServer, type TestServer } from './testing.ts'

interface Frame {
  readonly id: string | undefined
  readonly data: TerminalEvent
}

interface Listener {
  readonly response: IncomingMessage
  next(): Promise<Frame>
  readonly raw: () => string
  readonly ended: Promise<void>
  stop(): void
}

function listen(server: TestServer, window: string, lastEventId?: string, name?: string): Promise<Listener> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = get(
      `${server.url}/api/events${name === undefined ? '' : `?as=${name}`}`,
      {
        agent: false,
        headers: {
          [WINDOW_HEADER]: window,
          accept: 'text/event-stream',
          'sec-fetch-site': 'same-origin',
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
      },
      (response) => {
        let raw = ''
        let unread = ''
        const frames: Frame[] = []
        const waiting: ((frame: Frame) => void)[] = []
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          raw += chunk
          unread += chunk
          for (let end = unread.indexOf('\n\n'); end !== -1; end = unread.indexOf('\n\n')) {
            const fields = new Map(
              unread
                .slice(0, end)
                .split('\n')
                .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
            )
            unread = unread.slice(end + 2)
            const data = fields.get('data')
            if (data === undefined) continue
            const frame: Frame = { id: fields.get('id'), data: JSON.parse(data) as TerminalEvent }
            const taker = waiting.shift()
            if (taker) taker(frame)
            else frames.push(frame)
          }
        })
        const ended = new Promise<void>((done) => {
          response.on('close', () => {
            done()
          })
        })
        response.on('error', () => undefined)
        resolve({
          response,
          ended,
          raw: () => raw,
          next: () => {
            const frame = frames.shift()
            return frame
              ? Promise.resolve(frame)
              : new Promise((done) => {
                  waiting.push(done)
                })
          },
          stop: () => request.destroy(),
        })
      },
    )
    request.on('error', reject)
    onTestFinished(() => {
      request.destroy()
    })
  })
}

const scan = (code: string): TerminalEvent => ({ type: 'scan-unknown', code })
const codes = (frames: Frame[]): string[] =>
  frames.map(({ data }) => (data.type === 'scan-unknown' ? data.code : data.type))

test('a new window gets the event resync, on which it reads all state, and then every event in order', async () => {
  const server = await startTestServer()
  server.events.publish(scan('before the first client'))
  const window = await listen(server, server.openWindow())
  expect(window.response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  expect(window.response.headers['cache-control']).toBe('no-store')
  expect((await window.next()).data).toEqual({ type: 'resync' })
  for (const code of ['1', '2', '3']) server.events.publish(scan(code))
  const received = [await window.next(), await window.next(), await window.next()]
  expect(codes(received)).toEqual(['1', '2', '3'])
  expect(received.map((frame) => frame.id?.split('-')[1])).toEqual(['2', '3', '4'])
})

test('a window that lost its connection gets exactly the missed events', async () => {
  const server = await startTestServer()
  const window = server.openWindow()
  const first = await listen(server, window)
  await first.next()
  server.events.publish(scan('heard'))
  const last = await first.next()
  first.stop()
  server.events.publish(scan('missed 1'))
  server.events.publish(scan('missed 2'))
  const again = await listen(server, window, last.id)
  server.events.publish(scan('live'))
  expect(codes([await again.next(), await again.next(), await again.next()])).toEqual(['missed 1', 'missed 2', 'live'])
})

test('a window that lost its connection after the resync gets exactly the events since then', async () => {
  const server = await startTestServer()
  const window = server.openWindow()
  const first = await listen(server, window)
  const { id } = await first.next()
  first.stop()
  server.events.publish(scan('missed'))
  const again = await listen(server, window, id)
  expect(codes([await again.next()])).toEqual(['missed'])
})

test('the streams per window and in total are limited: a new stream ends the oldest one', async () => {
  const server = await startTestServer()
  const window = server.openWindow()
  const streams = []
  for (let stream = 0; stream < 5; stream += 1) streams.push(await listen(server, window))
  await streams[0]?.ended
  expect(server.events.clients).toBe(4)
  for (let window = 0; window < 10; window += 1) {
    const other = server.openWindow()
    for (let stream = 0; stream < 4; stream += 1) await listen(server, other)
  }
  await streams[4]?.ended
  expect(server.events.clients).toBe(32)
})

test('a window that missed no event gets no replay', async () => {
  const server = await startTestServer()
  const window = server.openWindow()
  const first = await listen(server, window)
  const { id } = await first.next()
  const again = await listen(server, window, id)
  server.events.publish(scan('next'))
  expect(codes([await again.next()])).toEqual(['next'])
})

test.each([
  ['another start of the terminal', () => 'ffffffffffff-5'],
  ['the future', (boot: string) => `${boot}-999`],
  ['nonsense', () => 'hello'],
  ['the event before the oldest stored one', (boot: string) => `${boot}-2`],
])('a reconnection with an event id of %s causes a resync', async (_case, idOf) => {
  const server = await startTestServer({ events: { ringSize: 3 } })
  const window = server.openWindow()
  const first = await listen(server, window)
  const boot = (await first.next()).id?.split('-')[0] ?? ''
  for (let count = 0; count < 6; count += 1) server.events.publish(scan(String(count)))
  const again = await listen(server, window, idOf(boot))
  expect((await again.next()).data).toEqual({ type: 'resync' })
})

test('the replay buffer has the newest events, as many as its size', async () => {
  const server = await startTestServer({ events: { ringSize: 3 } })
  const window = server.openWindow()
  const first = await listen(server, window)
  const boot = (await first.next()).id?.split('-')[0] ?? ''
  for (let count = 1; count <= 6; count += 1) server.events.publish(scan(String(count)))
  const again = await listen(server, window, `${boot}-3`)
  expect(codes([await again.next(), await again.next(), await again.next()])).toEqual(['4', '5', '6'])
})

test('events contain no fields that are not in the contract', async () => {
  const server = await startTestServer()
  const window = await listen(server, server.openWindow())
  await window.next()
  const tooMuch = { type: 'card-refused', reason: 'unreadable', track: ';80000000011=1234?' } as TerminalEvent
  server.events.publish(tooMuch)
  expect((await window.next()).data).toEqual({ type: 'card-refused', reason: 'unreadable' })
  expect(window.raw()).not.toContain('80000000011')
})

test('an event that does not match the contract is replaced by a resync', async () => {
  const server = await startTestServer()
  const window = await listen(server, server.openWindow())
  await window.next()
  server.events.publish({ type: 'card-refused', reason: 'no such reason' } as unknown as TerminalEvent)
  expect((await window.next()).data).toEqual({ type: 'resync' })
  expect(server.logLines()).toContain('does not match its contract')
})

test('every stream receives heartbeats', async () => {
  const server = await startTestServer({ events: { heartbeatMs: 5 } })
  const window = await listen(server, server.openWindow())
  await eventually(() => {
    expect(window.raw()).toContain(': still here\n\n')
  })
})

test('a window that does not read is dropped, and the others still receive events', async () => {
  const server = await startTestServer({ events: { maxBufferedBytes: 20_000 } })
  const window = server.openWindow()
  const { hostname, port, host } = new URL(server.url)
  const stuck = connect({ host: hostname, port: Number(port) })
  stuck.pause()
  const gone = new Promise<void>((resolve) => {
    stuck.on('close', () => {
      resolve()
    })
  })
  stuck.on('error', () => undefined)
  stuck.write(`GET /api/events HTTP/1.1\r\nHost: ${host}\r\n${WINDOW_HEADER}: ${window}\r\n\r\n`)
  await eventually(() => {
    expect(server.events.clients).toBe(1)
  })
  const reader = await listen(server, window)
  await reader.next()
  expect(server.events.clients).toBe(2)

  // The kernel buffers some megabytes for the client that does not read, before the server's own buffer fills.
  const big = 'x'.repeat(10_000)
  let sent = 0
  while (server.events.clients === 2 && sent < 5_000) {
    server.events.publish(scan(`${sent} ${big}`))
    await reader.next()
    sent += 1
  }
  expect(server.events.clients).toBe(1)
  expect(server.logLines()).toContain('dropped a window')
  stuck.resume()
  await gone
  server.events.publish(scan('still there'))
  expect(codes([await reader.next()])).toEqual(['still there'])
})

test('a burst of events does not drop a window that reads them', async () => {
  const server = await startTestServer({ events: { maxBufferedBytes: 20_000 } })
  const window = await listen(server, server.openWindow())
  await window.next()
  const many = Array.from({ length: 10 }, (_, index) => `${index} ${'x'.repeat(10_000)}`)
  for (const code of many) server.events.publish(scan(code))
  for (const code of many) expect(codes([await window.next()])).toEqual([code])
  expect(server.events.clients).toBe(1)
})

test('a window that missed more events than the server stores gets a resync, then new events', async () => {
  const server = await startTestServer({ events: { maxBufferedBytes: 20_000 } })
  const window = server.openWindow()
  const first = await listen(server, window)
  const { id } = await first.next()
  first.stop()
  for (let event = 0; event < 5; event += 1) server.events.publish(scan(`${event} ${'x'.repeat(10_000)}`))
  const again = await listen(server, window, id)
  expect((await again.next()).data).toEqual({ type: 'resync' })
  server.events.publish(scan('live'))
  expect(codes([await again.next()])).toEqual(['live'])
})

test('closing the server ends the event streams without waiting for windows to disconnect', async () => {
  const server = await startTestServer()
  const window = await listen(server, server.openWindow())
  await window.next()
  await server.close()
  await window.ended
  // The stream ends with a last chunk and is not aborted.
  expect(window.response.complete).toBe(true)
  expect(server.events.clients).toBe(0)
  expect(() => {
    server.events.publish(scan('after'))
  }).not.toThrow()
})

test('an event for one window reaches no other, not even in a replay', async () => {
  const server = await startTestServer()
  const window = server.openWindow()
  const [acting, other] = ['0b6b7f3e-5a1c-4f6a-9f58-6f3f3a0c9a01', '0b6b7f3e-5a1c-4f6a-9f58-6f3f3a0c9a02']
  const first = await listen(server, window, undefined, acting)
  const second = await listen(server, window, undefined, other)
  const { id } = await first.next()
  await second.next()
  server.events.publish({ type: 'control-scanned', control: 'undo' }, acting)
  server.events.publish({ type: 'signed-out' })
  expect((await first.next()).data).toEqual({ type: 'control-scanned', control: 'undo' })
  expect((await second.next()).data).toEqual({ type: 'signed-out' })
  expect([server.events.isOpen(acting), server.events.isOpen('nobody')]).toEqual([true, false])
  const again = await listen(server, window, id, other)
  expect((await again.next()).data, 'of what it missed').toEqual({ type: 'signed-out' })
})
