import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Sale } from '../../contracts/api/sales.ts'
import type { TerminalEvent } from '../../contracts/events.ts'
import type { Profile } from '../../contracts/profile.ts'
import { createTerminal } from '../app.ts'
import { systemChance, systemClock } from '../clock.ts'
import { claimDataFolder } from '../data-folder.ts'
import { openDatabase } from '../db/open.ts'
import { temporaryFolder, testLog } from '../http/testing.ts'
import type { Centre } from './centre.ts'
import { trainingProfile } from './till.ts'
import { openWindow, type Window } from './window.ts'

const CATALOG_HEAD = 'sku,barcode,name_en,name_fr,price,tax_category,department,category'
const PROFILE = join(import.meta.dirname, '../../stores/training.yaml')

/** A whole terminal in training mode with Alex signed in: real HTTP, a real database file, virtual devices on their wires. */
export interface Counter extends Pick<Window, 'call' | 'current' | 'until' | 'swipe'> {
  /** The code of the problem that a call meets. */
  refused(method: string, path: string, body?: object): Promise<string>
  ring(sku: string, quantity?: number): Promise<Sale>
  /** Resolves when the printer has told this of a job of the sale. */
  printed(saleId: string, state?: string, copy?: number): Promise<void>
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

  const window = await openWindow(url, { launchToken: terminal.sessions.mintLaunchToken() })
  const { call, current, event, until, swipe } = window
  let closing: Promise<void> | null = null
  const close = (): Promise<void> => {
    window.close()
    closing ??= terminal.close()
    return closing
  }
  onTestFinished(close)
  await call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })

  return {
    call,
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
    current,
    ring: async (sku, quantity = 1) => (await call('POST', '/api/sales/current/lines', { sku, quantity })).body.sale,
    swipe,
  }
}

/** A store's folder whose catalog holds these lines alone; answers the path of its profile. */
function withCatalog(lines: string): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'catalog.csv'), `${CATALOG_HEAD}\n${lines}\n`)
  return join(folder, 'store.yaml')
}
