import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WINDOW_HEADER } from '../../../contracts/core/window.ts'
import { createOpenCalls, forward, NO_SESSION } from './forward.ts'

let folder: string
let socketPath: string
let server: Server
let answer: (request: IncomingMessage, response: ServerResponse) => void

beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-forward-'))
  socketPath = path.join(folder, 'backend.sock')
  server = createServer((request, response) => answer(request, response))
  server.listen(socketPath)
  await once(server, 'listening')
})
afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => {
    server.close(resolve)
  })
  rmSync(folder, { recursive: true, force: true })
})

const page = (address: string, init?: RequestInit): Request => new Request(`app://milepost${address}`, init)

describe('a page inside Electron, whose requests go to the backend over a socket,', () => {
  it('receives an answer with its status, headers and body', async () => {
    answer = (request, response) =>
      response
        .writeHead(409, { 'content-type': 'application/problem+json', 'x-correlation-id': 'c-1' })
        .end(JSON.stringify({ url: request.url, host: request.headers.host }))
    const response = await forward(page('/api/sales/current?full=1'), { socketPath }, NO_SESSION)
    expect(response.status).toBe(409)
    expect(response.headers.get('x-correlation-id')).toBe('c-1')
    expect(await response.json()).toEqual({ url: '/api/sales/current?full=1', host: 'milepost' })
  })

  it('sends a request body, and its own Origin header with it', async () => {
    answer = async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      response.end(
        JSON.stringify({
          method: request.method,
          origin: request.headers.origin,
          type: request.headers['content-type'],
          body: Buffer.concat(chunks).toString(),
        }),
      )
    }
    const response = await forward(
      page('/api/sign-in', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"pin":"1234"}' }),
      { socketPath },
      NO_SESSION,
    )
    expect(await response.json()).toEqual({
      method: 'POST',
      origin: 'app://milepost',
      type: 'application/json',
      body: '{"pin":"1234"}',
    })
  })

  it('receives each server-sent event when it happens, not when the stream ends', async () => {
    let stream: ServerResponse | undefined
    answer = (_request, response) => {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('id: b-1\ndata: first\n\n')
    }
    const response = await forward(page('/api/events'), { socketPath }, NO_SESSION)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader?.read())?.value).toBe('id: b-1\ndata: first\n\n')
    stream?.write('id: b-2\ndata: second\n\n')
    expect((await reader?.read())?.value).toBe('id: b-2\ndata: second\n\n')
    stream?.end()
    expect((await reader?.read())?.done).toBe(true)
  })

  it('closes a request at the backend too when it cancels the request', async () => {
    const closed = Promise.withResolvers<string>()
    answer = (_request, response) => {
      response.once('close', () => closed.resolve('gone'))
      response.write('data: first\n\n')
    }
    const response = await forward(page('/api/events'), { socketPath }, NO_SESSION)
    await response.body?.cancel()
    expect(await closed.promise).toBe('gone')
  })

  it('leaves no open request when it is closed before the answer', async () => {
    const requested = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<string>()
    answer = (_request, response) => {
      response.once('close', () => closed.resolve('gone'))
      requested.resolve()
    }
    const controller = new AbortController()
    const response = forward(
      page('/api/sales/S1/redemption', { signal: controller.signal }),
      { socketPath },
      NO_SESSION,
    )
    await requested.promise
    controller.abort()
    expect(await closed.promise).toBe('gone')
    expect((await response).type).toBe('error')
  })

  it('leaves no open request when another page replaces it', async () => {
    const requested = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<string>()
    answer = (_request, response) => {
      response.once('close', () => closed.resolve('gone'))
      requested.resolve()
    }
    const calls = createOpenCalls()
    const response = forward(page('/api/sales/S1/redemption'), { socketPath }, NO_SESSION, calls)
    await requested.promise
    calls.cancel()
    expect(await closed.promise).toBe('gone')
    expect((await response).type).toBe('error')
    answer = (_request, reply) => reply.end('next')
    expect(await (await forward(page('/api/staff'), { socketPath }, NO_SESSION, calls)).text()).toBe('next')
    expect(calls.signals.size).toBe(0)
  })

  it('uses the shell’s session, invalidated if the event stream ends or the backend fails or refuses it', async () => {
    const seen: unknown[] = []
    answer = (request, response) => {
      seen.push(request.headers[WINDOW_HEADER])
      if (request.url === '/api/events') response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end()
    }
    let invalidations = 0
    const session = {
      header: () => Promise.resolve<string | null>('w.proof'),
      invalidate: () => {
        invalidations += 1
      },
    }
    await forward(page('/api/staff', { headers: { [WINDOW_HEADER]: 'made-up' } }), { socketPath }, session)
    expect([seen, invalidations]).toEqual([['w.proof'], 0])
    await (await forward(page('/api/events'), { socketPath }, session)).text()
    await vi.waitFor(() => expect(invalidations, 'the stream ended').toBe(1))
    await forward(page('/api/staff'), { socketPath: path.join(folder, 'nobody.sock') }, session)
    expect(invalidations, 'nobody answered').toBe(2)
    answer = (_request, response) => response.writeHead(401).end()
    await forward(page('/api/staff'), { socketPath }, session)
    expect(invalidations, 'it was refused').toBe(3)
  })

  it('gets a network error while the backend restarts, as in a browser', async () => {
    const response = await forward(page('/api/terminal'), { socketPath: path.join(folder, 'nobody.sock') }, NO_SESSION)
    expect(response.type).toBe('error')
  })

  it('gets its documents with the backend’s content security policy, and never without one', async () => {
    answer = (request, response) =>
      response
        .writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          ...(request.url === '/' ? { 'content-security-policy': "style-src 'nonce-1'" } : {}),
        })
        .end('<!doctype html>')
    const made = await forward(page('/'), { socketPath }, NO_SESSION)
    expect(made.headers.get('content-security-policy')).toBe("style-src 'nonce-1'")
    const bare = await forward(page('/customer'), { socketPath }, NO_SESSION)
    expect(bare.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
  })

  it('reaches nothing if its origin is not the shell’s; an Origin header that it sets is not replaced', async () => {
    let requests = 0
    answer = (request, response) => {
      requests++
      response.end(request.headers.origin)
    }
    expect((await forward(new Request('app://elsewhere/api/staff'), { socketPath }, NO_SESSION)).status).toBe(404)
    expect(requests).toBe(0)
    const response = await forward(
      page('/api/staff', { headers: { origin: 'https://evil.example' } }),
      { socketPath },
      NO_SESSION,
    )
    expect(await response.text()).toBe('https://evil.example')
  })
})
