import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { parse } from 'yaml'
import { z } from 'zod'
import { QuickKeys, type Item } from '../../../contracts/api/catalog.ts'
import { Sale } from '../../../contracts/api/sales.ts'
import { KEY_HEADER } from '../../../contracts/command-headers.ts'
import { openWindowAt, windowHeaders } from '../../../contracts/window-over-http.ts'
import { Profile } from '../../../contracts/profile.ts'

const SaleToPay = Sale.pick({ id: true, version: true, state: true, totals: true, lines: true })
type SaleToPay = z.infer<typeof SaleToPay>
const Answer = z.object({ sale: SaleToPay })
const Current = z.object({ sale: SaleToPay.nullable() })

type Call = (method: 'GET' | 'POST', path: string, body?: object) => Promise<unknown>
const SCANNED_MS = 10_000

/** Signs in, scans an item, takes cash and asks for the receipt, at a lane in training. Answers what was sold. */
export async function sellOne(url: string, launchUrl: string, profile: string): Promise<string> {
  const call = callerOf(url, await windowHeaders(url, await openWindowAt(url, launchUrl)))
  const { staff } = Profile.parse(parse(profile))
  const person = staff.find(({ trainingPin }) => trainingPin !== undefined)
  if (person === undefined) throw new Error('nobody of this training profile has a PIN')
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
  if (!receipt.includes(sale.id)) throw new Error('the receipt is of another sale')
  return `sold ${item.name['en-CA'] ?? item.sku} for $${(sale.totals.totalCents / 100).toFixed(2)} in cash`
}

/** Before the virtual scanner; a lane that has another is rung at by key. */
async function scan(call: Call, { barcode, sku }: Item): Promise<SaleToPay> {
  try {
    await call('POST', '/api/training/scan', { code: barcode })
  } catch {
    return Answer.parse(await call('POST', '/api/sales/current/lines', { sku, quantity: 1 })).sale
  }
  for (const began = performance.now(); performance.now() - began < SCANNED_MS; await wait(50)) {
    const { sale } = Current.parse(await call('GET', '/api/sales/current'))
    if (sale !== null && sale.lines.length > 0) return sale
  }
  throw new Error(`the scan of ${barcode} rang nothing`)
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
