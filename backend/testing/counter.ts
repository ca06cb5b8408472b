import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { CurrentSale, ReceiptView, Sale } from '../../contracts/api/sales.ts'
import type { Problem } from '../../contracts/errors.ts'
import type { TerminalEvent } from '../../contracts/events.ts'
import type { Profile } from '../../contracts/profile.ts'
import { createTerminal } from '../app.ts'
import { systemChance, systemClock } from '../clock.ts'
import { claimDataFolder } from '../data-folder.ts'
import { openDatabase } from '../db/open.ts'
import { temporaryFolder, testLog } from '../http/testing.ts'
import type { Centre } from './centre.ts'
import { trainingProfile } from './till.ts'

const CATALOG_HEAD = 'sku,barcode,name_en,name_fr,price,tax_category,department,category'
const PROFILE = join(import.meta.dirname, '../../stores/training.yaml')

/** A whole terminal in training mode with Alex signed in: real HTTP, a real database file, virtual devices on their wires. */
export interface Counter {
  call(method: string, path: string, body?: object): Promise<{ status: number; body: { sale: Sale } & ReceiptView & Problem & Record<string, unknown> }>
  /** The code of the problem that a call meets. */
  refused(method: string, path: string, body?: object): Promise<string>
  current(): Promise<Sale | null>
  ring(sku: string, quantity?: number): Promise<Sale>
  /** Swipes a training card and identifies its collector; answers the sale when INQUIRE has been answered. */
  swipe(cardId: string): Promise<Sale>
  /** The newest state of the sale that fits, as the events tell it. */
  until(fits: (sale: Sale) => boolean): Promise<Sale>
  /** Resolves when the printer has told this of a job of the sale. */
  printed(saleId: string, state?: string, copy?: number): Promise<void>
  /** An answer that is no JSON: its type, and its bytes. */
  file(path: string): Promise<{ status: number; type: string; bytes: Buffer }>
  /** Rows of the terminal's own database. */
  read<Row>(sql: string): Row[]
  readonly folder: string
  /** Closes the terminal in good order before the test ends. */
  close(): Promise<void>
}

/** `catalog`: lines of a catalog file to sell from, in place of the training store's. */
export async function openCounter(centre: Centre, change: { limits?: Partial<Profile['limits']>; cashUrl?: string; folder?: string; catalog?: string } = {}): Promise<Counter> {
  const profile = trainingProfile(change.limits)
  const [lane] = profile.lanes
  if (!lane) throw new Error('the training profile has a lane')
  const folder = change.folder ?? temporaryFolder()
  const profileFile = change.catalog === undefined ? PROFILE : withCatalog(change.catalog)
  const catalogFile = change.catalog === undefined ? profile.catalog.file : 'catalog.csv'
  let host = ''
  const terminal = await createTerminal({
    profile: { ...profile, catalog: { file: catalogFile } }, profileFile, lane, folder: claimDataFolder(folder, null, null), clientSecret: centre.clientSecret, staticRoot: null, version: 'test', clock: systemClock, chance: systemChance, log: testLog().log,
    endpoints: { cash: change.cashUrl ?? centre.url, issuance: centre.url, offers: centre.url, token: { url: centre.tokenUrl, clientId: centre.clientId } },
    allowedHosts: () => [host], onExpiredLink: () => undefined,
  })
  const url = await terminal.app.listen({ host: '127.0.0.1', port: 0 })
  host = new URL(url).host
  terminal.start()

  const headers: Record<string, string> = { origin: url }
  const call: Counter['call'] = async (method, path, body) => {
    const response = await fetch(url + path, { method, headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) }, ...(body ? { body: JSON.stringify(body) } : {}) })
    const cookie = response.headers.get('set-cookie')?.split(';')[0]
    if (cookie) headers['cookie'] = cookie
    const text = await response.text()
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Awaited<ReturnType<Counter['call']>>['body'] }
  }
  await call('POST', '/api/session', { launchToken: terminal.sessions.mintLaunchToken() })
  const stop = new AbortController()
  const events: TerminalEvent[] = []
  const waiting = new Set<() => void>()
  const stream = await fetch(`${url}/api/events`, { headers: { cookie: headers['cookie'] ?? '' }, signal: stop.signal })
  void listen(stream, (event) => {
    events.push(event)
    for (const wake of waiting) wake()
  })
  let closing: Promise<void> | null = null
  const close = (): Promise<void> => {
    stop.abort()
    closing ??= terminal.close()
    return closing
  }
  onTestFinished(close)
  await call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })

  async function event<Found extends TerminalEvent>(fits: (event: TerminalEvent) => event is Found): Promise<Found> {
    for (;;) {
      const found = events.findLast(fits)
      if (found) return found
      await new Promise<void>((resolve) => { const wake = (): void => { waiting.delete(wake); resolve() }; waiting.add(wake) })
    }
  }
  const until: Counter['until'] = async (fits) => (await event((candidate): candidate is Extract<TerminalEvent, { type: 'sale-changed' }> => candidate.type === 'sale-changed' && fits(candidate.sale))).sale

  return {
    call,
    async file(path) {
      const response = await fetch(url + path, { headers })
      return { status: response.status, type: response.headers.get('content-type') ?? '', bytes: Buffer.from(await response.arrayBuffer()) }
    },
    folder,
    close,
    until,
    async printed(saleId, state = 'confirmed', copy = 0) {
      await event((candidate): candidate is Extract<TerminalEvent, { type: 'print-job' }> => candidate.type === 'print-job' && candidate.saleId === saleId && candidate.state === state && candidate.copy === copy)
    },
    read<Row>(sql: string): Row[] {
      const db = openDatabase(join(folder, 'terminal.db'))
      try {
        return db.prepare<[], Row>(sql).all()
      } finally {
        db.close()
      }
    },
    refused: async (method, path, body) => {
      const answer = await call(method, path, body)
      if (answer.status < 400) throw new Error(`${method} ${path} was not refused`)
      return answer.body.code
    },
    current: async () => ((await call('GET', '/api/sales/current')).body as CurrentSale).sale,
    ring: async (sku, quantity = 1) => (await call('POST', '/api/sales/current/lines', { sku, quantity })).body.sale,
    async swipe(cardId) {
      events.length = 0
      await call('POST', '/api/training/swipe', { cardId })
      const read = await event((candidate): candidate is Extract<TerminalEvent, { type: 'card-read' }> => candidate.type === 'card-read')
      await call('POST', '/api/sales/current/member', { readId: read.readId })
      return until((sale) => sale.member !== null && sale.member.state !== 'pending')
    },
  }
}

/** A store's folder whose catalog holds these lines alone; answers the path of its profile. */
function withCatalog(lines: string): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'catalog.csv'), `${CATALOG_HEAD}\n${lines}\n`)
  return join(folder, 'store.yaml')
}

async function listen(stream: Response, onEvent: (event: TerminalEvent) => void): Promise<void> {
  const decoder = new TextDecoder()
  let pending = ''
  try {
    for await (const chunk of stream.body ?? []) {
      pending += decoder.decode(chunk, { stream: true })
      for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(pending.slice(0, end))?.[1]
        pending = pending.slice(end + 2)
        if (data) onEvent(JSON.parse(data) as TerminalEvent)
      }
    }
  } catch {
    // The terminal was closed at the end of the test.
  }
}
