import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { extractAll } from '@electron/asar'
import type { PackageManifest } from '../package-manifest.ts'
import { REPORTS_ENABLED, readOpenAddress } from '../../supervisor/reports.ts'
import { filesUnder } from '../../../scripts/source-hash.ts'
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { parse } from 'yaml'
import { z } from 'zod'
import { type Item, QuickKeys } from '../../../contracts/catalog/catalog.ts'
import { Sale } from '../../../contracts/sales/sales.ts'
import { KEY_HEADER, openWindowAt, windowHeaders } from '../../../contracts/core/window.ts'
import { Profile } from '../../../contracts/core/profile.ts'

const START_MS = 120_000

export interface PackageToStart {
  readonly folder: string
  readonly manifest: PackageManifest
  readonly profile: string
  readonly data: string
}

/**
 * Starts an unpacked package as a lane would, without a window: a training lane sells an item, a production lane
 * reports its store and number. Resolves with a description; rejects with the error and the program's output.
 */
export async function startPackage({ folder, manifest, profile, data }: PackageToStart): Promise<string> {
  const { program, args } = programOf(folder, manifest)
  const child = spawn(program, [...args, 'start', '--no-window', '--data', data], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // The lane has no secret yet, and production requires one, so the environment has a made-up secret.
    env: { ...process.env, ...REPORTS_ENABLED, MILEPOST_CLIENT_SECRET: 'made-up for this start' },
  })
  const output: string[] = []
  const ended = once(child, 'close')
  createInterface({ input: child.stderr }).on('line', (line) => output.push(line))
  try {
    const link = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`not ready after ${START_MS / 1_000} s`)), START_MS)
      createInterface({ input: child.stdout }).on('line', (line) => {
        output.push(line)
        const found = readOpenAddress(line)
        if (found === null) return
        clearTimeout(timer)
        resolve(found)
      })
      ended.then(
        ([code]) => {
          clearTimeout(timer)
          reject(new Error(`it ended with exit code ${code}`))
        },
        (error: unknown) => reject(error instanceof Error ? error : new Error(String(error))),
      )
    })
    return await readPage(link, manifest, profile)
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${output.join('\n')}`, { cause: error })
  } finally {
    if (child.exitCode === null) child.kill('SIGTERM')
    await ended.catch(() => null)
  }
}

async function readPage(link: string, { store, lanes, mode }: PackageManifest, profile: string): Promise<string> {
  const url = new URL(link).origin
  const answer = await fetch(`${url}/api/terminal`)
  const text = await answer.text()
  const [lane] = lanes
  if (!answer.ok || !text.includes(JSON.stringify(store.id)))
    throw new Error(`/api/terminal: ${answer.status} ${text.slice(0, 400)}`)
  if (mode === 'production') return `started as lane ${lane} of store ${store.id}`
  return `started as lane ${lane} of store ${store.id}; ${await sellOne(url, link, profile)}`
}

/**
 * Returns the package's own starter. For Electron, which may be a test stand-in, this process's Node runs the unpacked
 * archive.
 */
function programOf(folder: string, { platform }: PackageManifest): { program: string; args: string[] } {
  if (platform === 'linux-x64-browser') return { program: path.join(folder, 'milepost'), args: [] }
  const slot = path.join(folder, 'slots', 'a')
  const archive = filesUnder(slot).find((file) => path.basename(file) === 'app.asar')
  if (archive === undefined) throw new Error('there is no app.asar')
  const unpacked = path.join(folder, 'unpacked.new')
  extractAll(archive, unpacked)
  const inSlot = path.join(slot, 'unpacked')
  mkdirSync(slot, { recursive: true })
  renameSync(unpacked, inSlot)
  return { program: process.execPath, args: [path.join(inSlot, 'launcher', 'main.js')] }
}

const SaleToPay = Sale.pick({ id: true, version: true, state: true, totals: true, lines: true })
type SaleToPay = z.infer<typeof SaleToPay>
const Answer = z.object({ sale: SaleToPay })
const Current = z.object({ sale: SaleToPay.nullable() })

type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>
const SCANNED_MS = 10_000

/**
 * Sells one item at a training lane: signs in, scans the item, takes cash and requests the receipt. Returns a
 * description of the sale.
 */
export async function sellOne(url: string, launchUrl: string, profile: string): Promise<string> {
  const call = callerOf(url, await windowHeaders(url, await openWindowAt(url, launchUrl)))
  const { staff } = Profile.parse(parse(profile))
  const person = staff.find(({ trainingPin }) => trainingPin !== undefined)
  if (person === undefined) throw new Error('no person in this training profile has a PIN')
  await call('POST', '/api/sign-in', { staffId: person.id, pin: person.trainingPin })
  const { departments } = QuickKeys.parse(await call('GET', '/api/catalog/quick-keys'))
  const item = departments
    .flatMap(({ items }) => items)
    .find((one) => one.barcode !== null && one.openPrice === null && one.minimumAge === undefined)
  if (item === undefined) throw new Error('no quick key has an item with a barcode')
  const rung = await scan(call, item)
  const { sale } = Answer.parse(
    await call('POST', `/api/sales/${rung.id}/tenders`, {
      kind: 'cash',
      version: rung.version,
      tenderedCents: rung.totals.cashDueCents,
    }),
  )
  if (sale.state !== 'completed') throw new Error(`the sale is ${sale.state} after it was paid`)
  const receipt = JSON.stringify(await call('GET', `/api/sales/${sale.id}/receipt`))
  if (!receipt.includes(sale.id)) throw new Error('the receipt belongs to another sale')
  return `sold ${item.name['en-CA'] ?? item.sku} for $${(sale.totals.totalCents / 100).toFixed(2)} in cash`
}

async function scan(call: Call, { barcode, sku }: Item): Promise<SaleToPay> {
  try {
    await call('POST', '/api/training/scan', { code: barcode })
  } catch {
    return Answer.parse(await call('POST', '/api/sales/current/lines', { sku, quantity: 1 })).sale
  }
  for (const startedAt = performance.now(); performance.now() - startedAt < SCANNED_MS; await wait(50)) {
    const { sale } = Current.parse(await call('GET', '/api/sales/current'))
    if (sale !== null && sale.lines.length > 0) return sale
  }
  throw new Error(`the scan of ${barcode} added no item`)
}

const callerOf =
  (url: string, headers: Readonly<Record<string, string>>): Call =>
  async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json', [KEY_HEADER]: randomUUID() }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text.slice(0, 400)}`)
    const read: unknown = text === '' ? null : JSON.parse(text)
    return read
  }
