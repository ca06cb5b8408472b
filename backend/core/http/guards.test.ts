import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Problem } from '../../../contracts/core/errors.ts'
import type { Routes } from './app.ts'
import { openedWindow, send, shownBy, startTestServer, type TestServer, windowOfHeader } from './testing.ts'

const routes: Routes = (app) => {
  const body = z.object({ quantity: z.int() })
  app.get('/api/open', { config: { access: 'public' } }, async () => ({ ok: true }))
  app.post('/api/open', { schema: { body }, config: { access: 'public' } }, () => ({ ok: true }))
  app.get('/api/for-window', { config: { access: 'window' } }, async () => ({ ok: true }))
  app.get('/api/for-staff', { config: { access: 'staff' } }, async (request) => ({ who: request.staff?.name }))
  app.get('/api/for-manager', { config: { access: 'manager' } }, async () => ({ ok: true }))
  app.get('/api/forgot-to-say', async () => ({ ok: true }))
}

const start = (): Promise<TestServer> => startTestServer({ routes: () => [routes] })

function addPerson(server: TestServer, id: string, role: 'cashier' | 'manager'): void {
  server.db.prepare("INSERT INTO staff (id, name, role, locale) VALUES (?, ?, ?, 'en-CA')").run(id, id, role)
}

describe('the check of the caller', () => {
  test('accepts calls of the terminal’s own page', async () => {
    const server = await start()
    expect((await server.call('GET', '/api/open')).status).toBe(200)
    expect((await server.call('POST', '/api/open', { body: { quantity: 1 } })).status).toBe(200)
  })

  test.each([
    ['a foreign name that was pointed at this machine', 'evil.example'],
    ['the right name on another port', '127.0.0.1:1'],
    ['another name of the same machine', 'localhost'],
    ['a name that merely begins like ours', '127.0.0.1.evil.example'],
  ])('refuses a Host header with %s', async (_case, host) => {
    const server = await start()
    const reply = await server.call('GET', '/api/open', { headers: { host } })
    expect(reply.status).toBe(403)
    expect(reply.json()).toMatchObject({ code: 'host-refused' })
  })

  test('is not reached by a request without a Host header, which the HTTP parser rejects', async () => {
    const server = await start()
    const { hostname, port } = new URL(server.url)
    const answer = await new Promise<string>((resolve, reject) => {
      let text = ''
      const socket = connect(Number(port), hostname, () =>
        socket.write('GET /api/open HTTP/1.1\r\nConnection: close\r\n\r\n'),
      )
      socket.on('data', (chunk) => {
        text += chunk.toString()
      })
      socket.on('error', reject)
      socket.on('close', () => {
        resolve(text)
      })
    })
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  })

  test.each([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another port of this machine', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['https instead of http', { origin: 'https://127.0.0.1', 'sec-fetch-site': 'same-site' }],
    ['a browser that sends cross-site without an Origin', { origin: '', 'sec-fetch-site': 'cross-site' }],
    ['an image or a link on another port of this machine', { origin: '', 'sec-fetch-site': 'same-site' }],
    ['the terminal’s own Origin with Sec-Fetch-Site cross-site', { 'sec-fetch-site': 'cross-site' }],
  ])('refuses every call from %s', async (_case, headers) => {
    const server = await start()
    for (const method of ['GET', 'POST']) {
      const reply = await server.call(method, '/api/open', {
        headers,
        ...(method === 'POST' ? { body: { quantity: 1 } } : {}),
      })
      expect(reply.status, method).toBe(403)
      expect(reply.json(), method).toMatchObject({ code: 'origin-refused' })
    }
  })

  test('lets another site link to the page, and to no route of the API', async () => {
    const server = await start()
    const sent = {
      origin: '',
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    expect((await server.call('GET', '/', { headers: sent })).status).not.toBe(403)
    expect((await server.call('GET', '/api/open', { headers: sent })).json()).toMatchObject({ code: 'origin-refused' })
    expect((await server.call('POST', '/', { headers: sent })).json()).toMatchObject({ code: 'origin-refused' })
    expect((await server.call('GET', '/', { headers: { ...sent, 'sec-fetch-dest': 'iframe' } })).json()).toMatchObject({
      code: 'origin-refused',
    })
    expect((await server.call('GET', '/', { headers: { ...sent, 'sec-fetch-mode': 'no-cors' } })).json()).toMatchObject(
      { code: 'origin-refused' },
    )
  })

  test('accepts reads without an origin, but a change needs proof that it comes from the terminal’s page', async () => {
    const server = await start()
    const typed = { origin: '', 'sec-fetch-site': 'none' }
    expect((await server.call('GET', '/api/open', { headers: typed })).status).toBe(200)
    expect((await server.call('POST', '/api/open', { headers: typed, body: { quantity: 1 } })).json()).toMatchObject({
      code: 'origin-refused',
    })
    const silent = { origin: '', 'sec-fetch-site': '' }
    expect((await server.call('GET', '/api/open', { headers: silent })).status).toBe(200)
    expect((await server.call('POST', '/api/open', { headers: silent, body: { quantity: 1 } })).json()).toMatchObject({
      code: 'origin-refused',
    })
    expect(
      (
        await server.call('POST', '/api/open', {
          headers: { origin: server.url, 'sec-fetch-site': '' },
          body: { quantity: 1 },
        })
      ).status,
    ).toBe(200)
    expect(
      (
        await server.call('POST', '/api/open', {
          headers: { origin: '', 'sec-fetch-site': 'same-origin' },
          body: { quantity: 1 },
        })
      ).status,
    ).toBe(200)
  })

  test('gives a browser’s preflight request from another site no permission', async () => {
    const server = await start()
    const reply = await server.call('OPTIONS', '/api/open', {
      headers: {
        origin: 'https://evil.example',
        'sec-fetch-site': 'cross-site',
        'access-control-request-method': 'POST',
      },
    })
    expect(reply.status).toBe(403)
    expect(reply.headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('access to a route', () => {
  test('is possible without a window only on public routes', async () => {
    const server = await start()
    for (const path of ['/api/for-window', '/api/for-staff', '/api/for-manager', '/api/forgot-to-say', '/api/events']) {
      const reply = await server.call('GET', path)
      expect(reply.status, path).toBe(401)
      expect(reply.json(), path).toMatchObject({ code: 'session-required' })
    }
  })

  test('is refused to an invented proof and to the proof of another window', async () => {
    const server = await start()
    const [first, second] = [server.openWindow(), server.openWindow()]
    const [id = '', proof = ''] = first.split('.')
    const made = ['.', 'x', id, `${id}.`, `${windowOfHeader(second)}.${proof}`, `${id}.${'A'.repeat(43)}`, `${first}.x`]
    for (const window of made) {
      expect((await server.call('GET', '/api/for-window', { window })).json()).toMatchObject({
        code: 'session-required',
      })
    }
  })

  test('lets the customer’s window read as a cashier does and change nothing', async () => {
    const server = await start()
    addPerson(server, 'sam', 'manager')
    const display = shownBy(server.sessions, openedWindow(server.sessions, '/customer'))
    const code = async (method: string, path: string) =>
      (await server.call(method, path, { window: display, ...(method === 'POST' ? { body: {} } : {}) })).json()['code']
    expect(await code('GET', '/api/for-staff')).toBe('sign-in-required')
    server.sessions.signIn(windowOfHeader(server.openWindow()), 'sam')
    expect(await code('GET', '/api/for-staff')).toBeUndefined()
    expect(await code('GET', '/api/for-manager')).toBe('manager-required')
    expect(await code('POST', '/api/change')).toBe('not-permitted')
  })

  test('requires a signed-in person at the window, and a manager on manager routes', async () => {
    const server = await start()
    addPerson(server, 'alex', 'cashier')
    addPerson(server, 'sam', 'manager')
    const window = server.openWindow()
    const code = async (path: string): Promise<unknown> => {
      const reply = await server.call('GET', path, { window })
      return reply.status === 200 ? 'open' : reply.json().code
    }
    const all = async (): Promise<unknown[]> =>
      Promise.all(['/api/for-window', '/api/for-staff', '/api/forgot-to-say', '/api/for-manager'].map(code))
    const signIn = (staffId: string): void => {
      server.sessions.signIn(windowOfHeader(window), staffId)
    }

    expect(await all()).toEqual(['open', 'sign-in-required', 'sign-in-required', 'sign-in-required'])
    signIn('alex')
    expect(await all()).toEqual(['open', 'open', 'open', 'manager-required'])
    signIn('sam')
    expect(await all()).toEqual(['open', 'open', 'open', 'open'])
    server.db.prepare("UPDATE staff SET active = 0 WHERE id = 'sam'").run()
    expect(await all()).toEqual(['open', 'sign-in-required', 'sign-in-required', 'sign-in-required'])
  })

  test('is checked before the body of a call is read', async () => {
    const server = await startTestServer({
      routes: () => [
        (app) => {
          app.post('/api/change', { config: { access: 'staff' } }, () => ({}))
        },
      ],
    })
    const reply = await server.call('POST', '/api/change', { body: '{ this is not JSON', window: server.openWindow() })
    expect(reply.json()).toMatchObject({ code: 'sign-in-required' })
  })
})

test('the local API answers every refusal with a problem whose message is in both languages', async () => {
  const server = await start()
  const refusals = [
    await server.call('GET', '/api/open', { headers: { host: 'evil.example' } }),
    await server.call('GET', '/api/open', { headers: { origin: 'https://evil.example' } }),
    await server.call('GET', '/api/for-window'),
    await server.call('GET', '/api/no-such-thing'),
    await send(server.url, 'GET', '/%zz', {}),
  ]
  for (const reply of refusals) {
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8')
    expect(reply.headers['cache-control']).toBe('no-store')
    const problem = Problem.parse(reply.json())
    expect(problem.correlationId).toBe(reply.headers['x-correlation-id'])
    expect(problem.status).toBe(reply.status)
    expect(problem.messages['fr-CA']).not.toBe(problem.messages['en-CA'])
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
    expect(reply.headers['content-security-policy']).toContain("frame-ancestors 'none'")
  }
})
