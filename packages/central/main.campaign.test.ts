import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'

const Ready = z.strictObject({
  url: z.url(),
  tokenUrl: z.url(),
  memberSignInUrl: z.url(),
  revocationUrl: z.url(),
  issuer: z.url(),
  controlUrl: z.url().nullable(),
  clientId: z.string(),
  clientSecret: z.string(),
})

let data: string
let running: ChildProcess[] = []
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'milepost-central-'))
})
afterEach(async () => {
  for (const child of running) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
  running = []
  await rm(data, { recursive: true, force: true })
})

const launch = (...args: string[]) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts'), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  running.push(child)
  return child
}
async function ready(child: ReturnType<typeof launch>) {
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return Ready.parse(JSON.parse(line))
}
const exitOf = async (child: ChildProcess): Promise<unknown> => (await once(child, 'exit'))[0]
const status = async (url: string, init: RequestInit = {}): Promise<number> => (await fetch(url, init)).status

it('the reference services print their address, keep their secret over a restart, and stop on SIGTERM', async () => {
  const first = launch('--data', data)
  const before = await ready(first)
  expect(before.controlUrl).toBeNull()
  const response = await fetch(before.tokenUrl, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: before.clientId,
      client_secret: before.clientSecret,
    }),
  })
  const { access_token: token } = z
    .object({ access_token: z.string(), expires_in: z.literal(300), token_type: z.literal('Bearer') })
    .parse(await response.json())
  first.kill('SIGTERM')
  expect(await exitOf(first)).toBe(0)

  const after = await ready(launch('--data', data, '--control-port', '0'))
  expect(after.clientSecret).toBe(before.clientSecret)
  expect(await status(`${after.controlUrl}/ledger/check`)).toBe(200)
  const echo = {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'cache-control': 'no-cache' },
    body: JSON.stringify({ deviceId: 'a', sponsorCode: 'NRTH', storeId: 'b', traceId: 'c', vendorId: 'd' }),
  }
  expect(await status(`${after.url}/checkout/loyaltycash/echo`, echo)).toBe(200)
})

it('the reference services stop when their standard input ends, if an option requests it', async () => {
  const child = launch('--data', data, '--exit-with-stdin')
  await ready(child)
  child.stdin.end()
  expect(await exitOf(child)).toBe(0)
})

it('the reference services stop even if a caller keeps a connection open', async () => {
  const child = launch('--data', data, '--control-port', '0')
  const { controlUrl } = await ready(child)
  const hanging = fetch(`${controlUrl}/wait?path=/never&count=1`)
  await status(`${controlUrl}/faults`)
  child.kill('SIGTERM')
  await expect(hanging).rejects.toThrow('fetch failed')
  expect(await exitOf(child)).toBe(0)
})

it.each([
  [['--port', '0'], '--data FOLDER is missing'],
  [['--data', 'x', '--port', 'high'], '--port needs a whole number from 0 to 65535, not "high"'],
  [['--data', 'x', '--tokn-ttl', '5'], '--tokn-ttl'],
  [['--data', 'x', '--log-level', 'loud'], 'loud'],
])('the reference services explain the wrong options %j and exit with 2', async (args, message) => {
  const child = launch(...args)
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  expect(await exitOf(child)).toBe(2)
  expect(output).toContain(message)
})

const lastOutput = async (child: ReturnType<typeof launch>): Promise<[unknown, string]> => {
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const [code] = (await once(child, 'close')) as [unknown]
  return [code, output]
}

it('the reference services refuse a locked data folder until the other process is killed', async () => {
  const first = launch('--data', data)
  await ready(first)
  const [code, output] = await lastOutput(launch('--data', data))
  expect(code).toBe(1)
  expect(output).toContain(`already running on the data folder ${data}`)
  first.kill('SIGKILL')
  await exitOf(first)
  await ready(launch('--data', data))
})

it('the reference services report that their data folder cannot be created', async ({ skip }) => {
  skip(process.platform !== 'linux', 'needs /proc')
  const [code, output] = await lastOutput(launch('--data', '/proc/x'))
  expect(code).toBe(1)
  expect(output).toContain('The data folder /proc/x cannot be used')
})
