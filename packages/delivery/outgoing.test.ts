import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, get } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { generate } from 'selfsigned'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { callSecurely } from './enrolment/secure-call.ts'
import { outgoingAgent, proxyFor, setProxy } from './outgoing.ts'
import { openLoggingProxy, type LoggingProxy } from './testing/logging-proxy.ts'

let tls: { readonly key: string; readonly cert: string }
beforeAll(async () => {
  const names = [{ type: 2, value: 'store.invalid' } as const]
  const made = await generate([{ name: 'commonName', value: 'store.invalid' }], {
    keyType: 'ec',
    curve: 'P-256',
    extensions: [{ name: 'subjectAltName', altNames: names }],
  })
  tls = { key: made.private, cert: made.cert }
})

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const openService = (): Promise<number> =>
  portOf(createServer(tls, (_, response) => response.writeHead(200, { connection: 'close' }).end('{"here":true}')))

async function behind(answer: Parameters<typeof openLoggingProxy>[0], noProxy: string[] = []): Promise<LoggingProxy> {
  const proxy = await openLoggingProxy(answer)
  await setProxy({ proxy: proxy.url, noProxy })
  onTestFinished(async () => {
    await setProxy({})
    await proxy.close()
  })
  return proxy
}

const ask = (url: string): Promise<number | string> =>
  new Promise((resolve) => {
    get(url, { agent: outgoingAgent({ ca: [tls.cert] }) }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    }).on('error', (error) => resolve('code' in error ? String(error.code) : error.message))
  })

test('HTTP calls with their own certificate authority or a pinned certificate use the proxy', async () => {
  const port = await openService()
  const proxy = await behind(() => port)
  expect(await ask('https://store.invalid/x')).toBe(200)
  const fingerprint = new X509Certificate(tls.cert).fingerprint256.replaceAll(':', '').toLowerCase()
  const call = { service: 'https://10.99.0.7:8443', path: '/', body: {} }
  expect(await callSecurely({ ...call, expected: fingerprint })).toEqual({ status: 200, body: { here: true } })
  await expect(callSecurely({ ...call, expected: '0'.repeat(64) })).rejects.toMatchObject({ why: 'certificate' })
  expect(proxy.requests).toEqual(['store.invalid:443', '10.99.0.7:8443', '10.99.0.7:8443', '10.99.0.7:8443'])
})

test('TLS verifies the target of a proxy tunnel: another name and an unknown authority are rejected', async () => {
  const port = await openService()
  await behind(() => port)
  expect(await ask('https://other.invalid/')).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  await expect(fetch('https://store.invalid/')).rejects.toMatchObject({
    cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  })
})

test('fetch uses the proxy, except for this machine and the hosts in the list of exceptions', async () => {
  const port = await portOf(createHttpServer((_, response) => response.end('here')))
  const proxy = await behind(() => port, ['localhost.invalid'])
  expect(await (await fetch('http://central.invalid:8080/x')).text()).toBe('here')
  expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('here')
  await expect(fetch('https://localhost.invalid/')).rejects.toMatchObject({ cause: { code: 'ENOTFOUND' } })
  expect(proxy.requests).toEqual(['central.invalid:8080'])
})

test.each([['hang-up'], [502], [407]] as const)(
  'after a failed tunnel (%s), calls to the same target fail at once until the delay ends, then use the proxy again',
  async (how) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const proxy = await behind(() => how)
    const fetching = (): Promise<unknown> =>
      fetch('https://central.invalid/').catch((error: unknown) => (error instanceof Error ? error.cause : error))
    for (let call = 0; call < 20; call += 1) {
      expect(await fetching()).toMatchObject({ code: 'ERR_PROXY_TUNNEL' })
      expect(await ask('https://central.invalid/')).toBe('ERR_PROXY_TUNNEL')
    }
    // The second attempt is immediate; the third waits a second, later ones two and five seconds.
    expect(proxy.requests).toHaveLength(2)
    for (const pauseMs of [1_000, 2_000, 5_000, 5_000]) {
      const before = proxy.requests.length
      vi.advanceTimersByTime(pauseMs - 1)
      await fetching()
      expect(proxy.requests).toHaveLength(before)
      vi.advanceTimersByTime(1)
      await fetching()
      await fetching()
      expect(proxy.requests).toHaveLength(before + 1)
    }
    expect(await ask('https://store.invalid/')).toBe('ERR_PROXY_TUNNEL')
    expect(proxy.requests.at(-1)).toBe('store.invalid:443')
  },
)

test('once a target behind the proxy answers again, calls have no delay', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const port = await openService()
  let isDown = true
  const proxy = await behind(() => (isDown ? 503 : port))
  await ask('https://store.invalid/')
  await ask('https://store.invalid/')
  isDown = false
  expect(await ask('https://store.invalid/')).toBe('ERR_PROXY_TUNNEL')
  vi.advanceTimersByTime(1_000)
  expect(await ask('https://store.invalid/')).toBe(200)
  expect(await ask('https://store.invalid/')).toBe(200)
  expect(proxy.requests).toHaveLength(4)
})

test.each([
  ['localhost', null],
  ['127.0.0.2', null],
  ['[::1]', null],
  ['store.example', null],
  ['STORE.example', null],
  ['till.lan.example', null],
  ['lan.example', 'proxy.example:3128'],
  ['other.example', 'proxy.example:3128'],
])('with a proxy and a list of exceptions, calls to %s use this proxy (null: none): %s', (hostname, through) => {
  const setting = { proxy: 'http://proxy.example:3128', noProxy: ['store.example', '.lan.example'] }
  expect(proxyFor(hostname, setting)?.host ?? null).toBe(through)
})
