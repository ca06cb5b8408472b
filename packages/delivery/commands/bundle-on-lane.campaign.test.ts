import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openWindowAt, windowHeaders } from '../../../contracts/core/window.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const at = (...segments: string[]): string => path.join(root, ...segments)
const DETERGENT = '1021'

interface Lane {
  priceOf(sku: string): Promise<string>
  stop(): Promise<void>
}

async function start(profile: string, data: string): Promise<Lane> {
  const child = spawn(
    process.execPath,
    [at('scripts', 'start.ts'), '--profile', profile, '--data', data, '--no-window'],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '' } },
  )
  let ended = false
  const stop = async (): Promise<void> => {
    if (ended) return
    ended = true
    const closed = once(child, 'close')
    child.kill('SIGTERM')
    await closed
  }
  onTestFinished(stop)
  let address: RegExpExecArray | null = null
  for await (const line of createInterface({ input: child.stdout })) {
    address = /(http:\/\/127\.0\.0\.1:\d+)\/#launch=(\S+)/.exec(line)
    if (address) break
  }
  const [, url = '', launchToken = ''] = address ?? []
  const shown = await windowHeaders(url, await openWindowAt(url, `${url}/#launch=${launchToken}`))
  const post = async (where: string, body: object): Promise<void> => {
    const headers = { ...shown, 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const response = await fetch(url + where, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(response.ok, where).toBe(true)
  }
  await post('/api/sign-in', { staffId: 'alex', pin: '1234' })
  return {
    stop,
    async priceOf(sku) {
      const answer = await fetch(`${url}/api/catalog/items/search`, {
        method: 'POST',
        headers: { ...shown, 'content-type': 'application/json' },
        body: JSON.stringify({ q: sku }),
      })
      const { items } = (await answer.json()) as { items: { sku: string; priceCents: number }[] }
      return ((items.find((item) => item.sku === sku)?.priceCents ?? 0) / 100).toFixed(2)
    },
  }
}

function run(script: string, ...args: string[]): { readonly output: string; readonly code: number } {
  try {
    return {
      output: execFileSync(process.execPath, [...process.execArgv, at('packages/delivery/commands', script), ...args], {
        encoding: 'utf8',
      }),
      code: 0,
    }
  } catch (error) {
    const { stderr, status } = error as { stderr: string; status: number }
    return { output: stderr, code: status }
  }
}

test('a bundle stored at a running lane changes prices at the next start; undo restores the old prices', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const [keys, store, data] = ['keys', 'store', 'data'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  mkdirSync(store)
  const profile = path.join(store, 'training.yaml')
  const catalog = path.join(store, 'training-catalog.csv')
  copyFileSync(at('stores', 'training.yaml'), profile)
  const prices = readFileSync(at('stores', 'training-catalog.csv'), 'utf8')
  const bundle = (number: string, price: string): string => {
    writeFileSync(catalog, prices.replace(/^(1021,.*),19\.99,/m, `$1,${price},`))
    const file = path.join(folder, `${number}.bundle`)
    const made = run('bundle.ts', '--store', profile, '--keys', keys, '--sequence', number, '--out', file)
    expect(made, made.output).toMatchObject({ code: 0 })
    return file
  }
  const lane = (...args: string[]) => run('lane.ts', 'bundle', ...args, '--data', data)

  expect(run('keys.ts', 'new', '--keys', keys, '--name', 'Head office').code).toBe(0)
  const first = bundle('1', '19.99')
  const second = bundle('2', '17.49')
  const trust = path.join(keys, 'trust', '000001.keys')
  expect(lane('put', first).output).toContain('trusts no keys')
  expect(lane('put', first, '--trust', trust).code).toBe(0)

  const running = await start(profile, data)
  expect(await running.priceOf(DETERGENT)).toBe('19.99')
  expect(lane('put', second)).toMatchObject({ code: 0 })
  expect(await running.priceOf(DETERGENT)).toBe('19.99')
  await running.stop()

  const after = await start(profile, data)
  expect(await after.priceOf(DETERGENT)).toBe('17.49')
  await after.stop()
  expect(lane('put', first)).toMatchObject({ code: 1, output: expect.stringContaining('older') })
  expect(lane('undo')).toMatchObject({ code: 0 })

  const back = await start(profile, data)
  expect(await back.priceOf(DETERGENT)).toBe('19.99')
})
