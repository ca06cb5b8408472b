import { spawn } from 'node:child_process'
import { randomBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CODE_BYTES, codeOf, formatCode, shortFingerprint } from '../contracts/enrolment-code.ts'
import { openLoggingProxy } from '../delivery/testing/logging-proxy.ts'
import { temporaryFolder } from './http/testing.ts'

const STORES = join(import.meta.dirname, '../stores')
const portOf = (server: Server): number => (server.address() as AddressInfo).port

async function listen(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return server
}

/** Services that give a token and then refuse everything; `echoed` settles when ECHO has come. */
async function openServices(): Promise<{ readonly port: number; readonly echoed: Promise<void> }> {
  const echo = Promise.withResolvers<void>()
  const server = await listen(
    createServer((request, response) => {
      if (request.url?.endsWith('/echo')) echo.resolve()
      const isToken = request.url === '/token'
      response.writeHead(isToken ? 200 : 500, { 'content-type': 'application/json' })
      response.end(isToken ? JSON.stringify({ access_token: 'made-up', token_type: 'Bearer', expires_in: 600 }) : '{}')
    }),
  )
  return { port: portOf(server), echoed: echo.promise }
}

/** A proxy that notes whom it is asked for, and leads everybody to one port of this machine. */
async function openProxy(
  to: number,
): Promise<{ readonly url: string; readonly asked: string[]; readonly used: Promise<void> }> {
  const asked: string[] = []
  const use = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.writeHead(502).end()
  })
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`)
    use.resolve()
    const far = connect(to, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      far.pipe(socket).pipe(far)
    })
    for (const end of [far, socket])
      end.on('error', () => {
        far.destroy()
        socket.destroy()
      })
  })
  await listen(server)
  return { url: `http://127.0.0.1:${portOf(server)}`, asked, used: use.promise }
}

/** What a login shell or a fleet tool may leave in the environment of whatever it starts. */
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

/** The example store with its services at `base`, and a proxy where one is given. */
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
    [join(import.meta.dirname, 'main.ts'), '--data', join(temporaryFolder(), 'data'), '--profile', profile],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'], MILEPOST_CLIENT_SECRET: 's3cret', ...environment },
    },
  )
  let said = ''
  terminal.stderr.on('data', (bytes: Buffer) => {
    said += bytes.toString()
  })
  const closed = once(terminal, 'close')
  onTestFinished(async () => {
    terminal.kill('SIGKILL')
    await closed
  })
  return closed.then(([code]) => {
    throw new Error(`the terminal ended with ${code}: ${said}`)
  })
}

test('what calls go through is never what an inherited environment says', async () => {
  const services = await openServices()
  const proxy = await openProxy(services.port)
  await Promise.race([
    services.echoed,
    startTerminal(profileAt(`http://127.0.0.1:${services.port}`), inherited(proxy.url)),
  ])
  expect(proxy.asked).toEqual([])
})

test('the proxy that the profile names is the one that calls go through', async () => {
  const services = await openServices()
  const [named, other] = [await openProxy(services.port), await openProxy(services.port)]
  await Promise.race([
    named.used,
    startTerminal(profileAt('https://services.invalid', named.url), inherited(other.url)),
  ])
  expect(new Set(named.asked)).toEqual(new Set(['CONNECT services.invalid:443']))
  expect(other.asked).toEqual([])
})

test('token, ECHO, offers and enrolment of a lane go through the proxy, and nothing goes past it', async () => {
  const names = ['token', 'cash', 'offers', 'issuance', 'store'].map((name) => `${name}.invalid`)
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'token.invalid' }], {
    keyType: 'ec',
    curve: 'P-256',
    extensions: [{ name: 'subjectAltName', altNames: names.map((value) => ({ type: 2, value })) }],
  })
  const services = createHttpsServer({ cert, key }, (request, response) => {
    const isToken = request.url === '/token'
    response.writeHead(isToken ? 200 : 500, { 'content-type': 'application/json' })
    response.end(isToken ? JSON.stringify({ access_token: 'made-up', token_type: 'Bearer', expires_in: 600 }) : '{}')
  })
  await listen(services)
  const proxy = await openLoggingProxy(() => portOf(services))
  onTestFinished(() => proxy.close())
  const profile = profileAt((service) => `https://${service}.invalid`, proxy.url)
  const authority = join(temporaryFolder(), 'authority.crt')
  writeFileSync(authority, cert)
  const running = startTerminal(profile, { NODE_EXTRA_CA_CERTS: authority })
  const called = ['token.invalid:443', 'cash.invalid:443', 'offers.invalid:443']
  await Promise.race([
    vi.waitFor(() => expect(proxy.asked).toEqual(expect.arrayContaining(called)), { timeout: 60_000 }),
    running,
  ])
  const enrolment = spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'provision.ts'),
      'enrol',
      '--data',
      join(temporaryFolder(), 'data'),
      '--profile',
      profile,
      '--service',
      'store.invalid:8443',
      '--certificate',
      shortFingerprint(new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase()),
    ],
    { stdio: ['pipe', 'ignore', 'ignore'], env: { PATH: process.env['PATH'] } },
  )
  enrolment.stdin.end(`${formatCode(codeOf(randomBytes(CODE_BYTES)))}\n`)
  await once(enrolment, 'close')
  expect(proxy.asked).toContain('store.invalid:8443')
  // Everything was asked for as a tunnel to a service of the profile.
  for (const target of proxy.asked) expect(target).toMatch(/^(token|cash|offers|issuance|store)\.invalid:(443|8443)$/)
})
