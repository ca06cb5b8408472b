import { spawn } from 'node:child_process'
import { randomBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CODE_BYTES, codeOf, formatCode, shortFingerprint } from '../../../contracts/operations/enrolment-code.ts'
import { openLoggingProxy, type LoggingProxy } from '../../../packages/delivery/testing/logging-proxy.ts'
import { temporaryFolder } from '../../core/http/testing.ts'

const STORES = join(import.meta.dirname, '../../../stores')
interface Services {
  readonly port: number
  readonly certificate: string
  readonly authority: string
  readonly echoed: Promise<void>
}

async function openServices(...names: string[]): Promise<Services> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'services' }], {
    keyType: 'ec',
    curve: 'P-256',
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [{ type: 7, ip: '127.0.0.1' }, ...names.map((value) => ({ type: 2 as const, value }))],
      },
    ],
  })
  const echo = Promise.withResolvers<void>()
  const server = createServer({ cert, key }, (request, response) => {
    if (request.url?.endsWith('/echo')) echo.resolve()
    const isToken = request.url === '/token'
    response.writeHead(isToken ? 200 : 500, { 'content-type': 'application/json' })
    response.end(isToken ? JSON.stringify({ access_token: 'made-up', token_type: 'Bearer', expires_in: 600 }) : '{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const authority = join(temporaryFolder(), 'authority.crt')
  writeFileSync(authority, cert)
  return { port: (server.address() as AddressInfo).port, certificate: cert, authority, echoed: echo.promise }
}

async function openProxy({ port }: Services): Promise<LoggingProxy> {
  const proxy = await openLoggingProxy(() => port)
  onTestFinished(() => proxy.close())
  return proxy
}

const inherited = (url: string): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [
      [name, url],
      [name.toLowerCase(), url],
    ]),
  ),
  NODE_USE_ENV_PROXY: '1',
  NODE_OPTIONS: '--use-env-proxy',
})

function profileAt(base: string | ((service: string) => string), proxy?: string): string {
  const folder = temporaryFolder()
  cpSync(STORES, folder, { recursive: true })
  const file = join(folder, 'example.yaml')
  const at = (service: string): string => (typeof base === 'string' ? base : base(service))
  const endpoints =
    `endpoints:\n${['offers', 'issuance', 'cash'].map((name) => `  ${name}: ${at(name)}\n`).join('')}  token: { url: ` +
    `${at('token')}/token, clientId: me }\n`
  const proxied = proxy === undefined ? endpoints : `${endpoints}  proxy: ${proxy}\n`
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^endpoints:\n(?: .*\n)+/m, proxied))
  return file
}

function startTerminal(profile: string, environment: NodeJS.ProcessEnv): Promise<never> {
  const terminal = spawn(
    process.execPath,
    [join(import.meta.dirname, '../../main.ts'), '--data', join(temporaryFolder(), 'data'), '--profile', profile],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'], MILEPOST_CLIENT_SECRET: 's3cret', ...environment },
    },
  )
  let output = ''
  terminal.stderr.on('data', (bytes: Buffer) => {
    output += bytes.toString()
  })
  const closed = once(terminal, 'close')
  onTestFinished(async () => {
    terminal.kill('SIGKILL')
    await closed
  })
  return closed.then(([code]) => {
    throw new Error(`the terminal ended with ${code}: ${output}`)
  })
}

test('the proxy settings of the environment are ignored', async () => {
  const services = await openServices()
  const proxy = await openProxy(services)
  const environment = { ...inherited(proxy.url), NODE_EXTRA_CA_CERTS: services.authority }
  await Promise.race([services.echoed, startTerminal(profileAt(`https://127.0.0.1:${services.port}`), environment)])
  expect(proxy.requests).toEqual([])
})

test('calls are sent through the proxy of the profile', async () => {
  const services = await openServices()
  const [named, other] = [await openProxy(services), await openProxy(services)]
  const running = startTerminal(profileAt('https://services.invalid', named.url), inherited(other.url))
  await Promise.race([vi.waitFor(() => expect(named.requests).not.toEqual([]), { timeout: 60_000 }), running])
  expect(new Set(named.requests)).toEqual(new Set(['services.invalid:443']))
  expect(other.requests).toEqual([])
})

test('a lane with a proxy in its profile sends token request, ECHO, offers and enrolment only through it', async () => {
  const names = ['token', 'cash', 'offers', 'issuance', 'store'].map((name) => `${name}.invalid`)
  const services = await openServices(...names)
  const proxy = await openProxy(services)
  const profile = profileAt((service) => `https://${service}.invalid`, proxy.url)
  const running = startTerminal(profile, { NODE_EXTRA_CA_CERTS: services.authority })
  const called = ['token.invalid:443', 'cash.invalid:443', 'offers.invalid:443']
  await Promise.race([
    vi.waitFor(() => expect(proxy.requests).toEqual(expect.arrayContaining(called)), { timeout: 60_000 }),
    running,
  ])
  const enrolment = spawn(
    process.execPath,
    [
      join(import.meta.dirname, '../provision.ts'),
      'enrol',
      '--data',
      join(temporaryFolder(), 'data'),
      '--profile',
      profile,
      '--service',
      'store.invalid:8443',
      '--certificate',
      shortFingerprint(new X509Certificate(services.certificate).fingerprint256.replaceAll(':', '').toLowerCase()),
    ],
    { stdio: ['pipe', 'ignore', 'ignore'], env: { PATH: process.env['PATH'] } },
  )
  enrolment.stdin.end(`${formatCode(codeOf(randomBytes(CODE_BYTES)))}\n`)
  await once(enrolment, 'close')
  expect(proxy.requests).toContain('store.invalid:8443')
  for (const target of proxy.requests)
    expect(target).toMatch(/^(token|cash|offers|issuance|store)\.invalid:(443|8443)$/)
})
