import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { z } from 'zod'
import { KEY_HEADER, type WindowKey } from '../../../contracts/core/window.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import {
  AgeChecks,
  GoodsChecks,
  CashSettings,
  IssuanceSettings,
  ShiftSettings,
  SignInSettings,
  type LaneSettings,
  type Profile,
  DepositSettings,
} from '../../../contracts/core/profile.ts'
import { ManufacturerCoupon } from '../../../contracts/catalog/manufacturer-coupons.ts'
import { Promotion } from '../../../contracts/catalog/promotions.ts'
import { ReturnSettings } from '../../../contracts/payments/return-rules.ts'
import { ApprovalSettings } from '../../../contracts/sales/sale-rules.ts'
import { createTerminal } from '../../../backend/app.ts'
import { createTrainingServices } from '../../../backend/core/central/training-services.ts'
import { systemRng, systemClock, type Clock } from '../../../backend/core/clock.ts'
import { lockDataFolder } from '../../../backend/core/program/data-folder.ts'
import { openDatabase } from '../../../backend/core/db/database.ts'
import { createSeal } from '../../../backend/core/integrity/seal.ts'
import { adopt } from '../../../backend/core/integrity/state.ts'
import type { LaneSlots } from '../../../backend/operations/updates/lane-updates.ts'
import { openMigrated, temporaryFolder, testLog } from '../../../backend/core/http/testing.ts'
import type { StorePlace } from '../../../backend/store/channel.ts'
import { createLogCounts } from '../../../contracts/core/log-fields.ts'
import type { CentralAccess } from '../rig/central.ts'
import { writeDevice } from './enrolled.ts'
import { trainingProfile } from './loyalty-harness.ts'
import { openWindow, type Window } from '../rig/window.ts'

const CATALOG_HEAD = 'sku,barcode,name_en,name_fr,price,tax_category,department,category'
const PROFILE = join(import.meta.dirname, '../../../stores/training.yaml')

export interface JournalRow {
  readonly type: string
  readonly state: string
  /** Keyed hash of the operation’s collector, in hex; calls with the same hash share a queue. */
  readonly queueHash: string
  readonly path: string
  readonly miles: number | null
  readonly detail: string | null
}
const JOURNAL = `SELECT type, state, hex(collector_hash) AS queueHash, miles, detail,
  (SELECT path FROM operation_call WHERE operation_id = id ORDER BY purpose DESC LIMIT 1) AS path FROM operation
  ORDER BY rowid`

/** A whole terminal in training mode with Alex signed in: HTTP, a database file, and virtual devices. */
export interface TerminalHarness extends Pick<
  Window,
  'call' | 'get' | 'current' | 'event' | 'next' | 'until' | 'reached' | 'present' | 'stream' | 'swipe'
> {
  /** Every event that this window received since the last `swipe` or `present`, oldest first. */
  events(): readonly TerminalEvent[]
  /** Sends a call that must fail; returns its problem code. */
  refused(method: string, path: string, body?: object): Promise<string>
  ring(sku: string, quantity?: number): Promise<Sale>
  operations(): JournalRow[]
  untilOperation(type: string, ...states: string[]): Promise<JournalRow>
  printed(documentId: string, state?: string, copy?: number): Promise<void>
  /**
   * Sends a command under this idempotency key, also a second time, as a window that got no response does. Default
   * window: this one.
   */
  post(path: string, body: object, key: string, window?: Window): Promise<Response>
  upload(path: string, content: string | Uint8Array<ArrayBuffer>): Promise<Response>
  readonly windowKey: WindowKey
  readonly windowHeaders: Readonly<Record<string, string>>
  readonly url: string
  logLines(): string
  file(path: string): Promise<{ status: number; type: string; disposition: string; headers: Headers; bytes: Buffer }>
  read<Row>(sql: string): Row[]
  readonly folder: string
  openWindow(): Promise<Window>
  close(): Promise<void>
}

export interface TerminalHarnessOptions {
  readonly limits?: Partial<Profile['limits']>
  readonly issuance?: z.input<typeof IssuanceSettings>
  readonly region?: Profile['region']
  readonly taxes?: Profile['taxes']
  readonly approvals?: z.input<typeof ApprovalSettings>
  readonly promotions?: readonly z.input<typeof Promotion>[]
  readonly coupons?: Profile['coupons']
  readonly deposits?: z.input<typeof DepositSettings>
  readonly manufacturerCoupons?: readonly z.input<typeof ManufacturerCoupon>[]
  readonly ageChecks?: z.input<typeof AgeChecks>
  readonly signIn?: z.input<typeof SignInSettings>
  readonly payments?: Profile['payments']
  readonly cardTerminal?: LaneSettings['devices']['cardTerminal']
  /** The scale of the lane; none by default. */
  readonly scale?: LaneSettings['devices']['scale']
  readonly shifts?: z.input<typeof ShiftSettings>
  readonly moreStaff?: Profile['staff']
  readonly cashUrl?: string
  readonly reversePath?: string
  readonly controlUrl?: string | null
  readonly issuanceUrl?: string
  readonly historyUrl?: string | null
  readonly folder?: string
  readonly windowKey?: WindowKey
  readonly backsUpAtClose?: true
  readonly copyTo?: string
  readonly restart?: () => void
  readonly laneSlots?: LaneSlots
  readonly restartForUpdate?: () => void
  readonly traceparent?: Profile['connection']['traceparent']
  readonly updatesUrl?: string
  /** The person who is signed in; Sam is a manager. */
  readonly staffId?: 'alex' | 'sam'
  readonly clock?: Clock
  /** Lines of a catalog file that replaces the training store’s. They include a header if the columns differ. */
  readonly catalog?: string
  readonly store?: StorePlace
  readonly laneId?: string
  /** Value of each gift card or store credit, in dollars, that stays at the lane that issued it. */
  readonly voucherReserveDollars?: number
  readonly goodsChecks?: z.input<typeof GoodsChecks>
  readonly returns?: z.input<typeof ReturnSettings>
  readonly voucherLeaseHours?: number
  readonly receipt?: Partial<Profile['receipt']>
  readonly secondLanguage?: Profile['receipt']['secondLanguage']
  readonly labels?: NonNullable<LaneSettings['devices']['scanner']>['embedded']
}

export async function openTerminalHarness(
  central: CentralAccess,
  change: TerminalHarnessOptions = {},
): Promise<TerminalHarness> {
  const cash = CashSettings.parse(change.reversePath === undefined ? {} : { paths: { reverse: change.reversePath } })
  const training = trainingProfile(change.limits)
  const profile = {
    ...training,
    store: {
      ...training.store,
      voucherReserveDollars: change.voucherReserveDollars,
      voucherLeaseHours: change.voucherLeaseHours,
    },
    receipt: { ...training.receipt, secondLanguage: change.secondLanguage, ...change.receipt },
    issuance: IssuanceSettings.parse(change.issuance ?? {}),
    region: change.region ?? training.region,
    taxes: change.taxes,
    approvals: ApprovalSettings.parse(change.approvals ?? {}),
    coupons: change.coupons ?? [],
    deposits: DepositSettings.parse(change.deposits ?? {}),
    manufacturerCoupons: change.manufacturerCoupons?.map((coupon) => ManufacturerCoupon.parse(coupon)) ?? [],
    promotions: change.promotions?.map((promotion) => Promotion.parse(promotion)) ?? [],
    ageChecks: AgeChecks.parse(change.ageChecks ?? {}),
    goodsChecks: GoodsChecks.parse(change.goodsChecks ?? {}),
    returns: ReturnSettings.parse(change.returns ?? {}),
    signIn: SignInSettings.parse(change.signIn ?? {}),
    ...(change.payments ? { payments: change.payments } : {}),
    shifts: ShiftSettings.parse(change.shifts ?? {}),
    backups: change.copyTo === undefined ? {} : { copyTo: change.copyTo },
    cash,
    connection: { ...training.connection, traceparent: change.traceparent ?? [] },
    updates: change.updatesUrl === undefined ? {} : { url: change.updatesUrl },
    staff: [...training.staff, ...(change.moreStaff ?? [])],
  }
  const [trainingLane] = profile.lanes
  if (!trainingLane?.devices.scanner) throw new Error('the training profile has a lane with a scanner')
  const lane = {
    ...trainingLane,
    id: change.laneId ?? trainingLane.id,
    devices: {
      ...trainingLane.devices,
      scanner: { ...trainingLane.devices.scanner, embedded: change.labels },
      // The card terminal is off by default: its certificate takes long to create, and few tests pay by card.
      cardTerminal: change.cardTerminal,
      scale: change.scale,
    },
  }
  const folder = change.folder ?? temporaryFolder()
  const dataFolder = lockDataFolder(folder, null, null)
  if (!dataFolder.hadDatabase && statSync(dataFolder.database).size === 0) {
    const db = openMigrated(dataFolder.database)
    adopt(db, createSeal(dataFolder.masterKey))
    db.close()
  }
  if (change.store) writeDevice(folder, dataFolder.masterKey, change.store)
  const profileFile = change.catalog === undefined ? PROFILE : withCatalog(change.catalog)
  const catalogFile = change.catalog === undefined ? profile.catalog.file : 'catalog.csv'
  const logCounts = createLogCounts()
  const { log, lines: logLines } = testLog(logCounts)
  let host = ''
  const terminal = await createTerminal({
    profile: { ...profile, catalog: { ...profile.catalog, file: catalogFile } },
    profileFile,
    lane,
    folder: dataFolder,
    clientSecret: central.clientSecret,
    practice: change.controlUrl === null ? null : createTrainingServices(change.controlUrl ?? central.controlUrl),
    staticRoot: null,
    version: '0.0.0-test',
    clock: change.clock ?? systemClock,
    rng: systemRng,
    log,
    logCounts,
    ...(change.restart && { restart: change.restart }),
    ...(change.laneSlots && { laneSlots: change.laneSlots }),
    ...(change.restartForUpdate && { restartForUpdate: change.restartForUpdate }),
    ...(change.backsUpAtClose !== true && { backsUpAtClose: false }),
    endpoints: {
      cash: change.cashUrl ?? central.url,
      issuance: change.issuanceUrl ?? central.url,
      offers: central.url,
      token: { url: central.tokenUrl, clientId: central.clientId },
      offerState: central.url,
      ...(change.historyUrl === null ? {} : { history: change.historyUrl ?? central.url }),
      memberSignIn: {
        url: central.memberSignInUrl,
        issuer: central.issuer,
        scope: 'openid',
        revocationUrl: central.revocationUrl,
      },
    },
    allowedHosts: () => [host],
    onLinkRequested: () => undefined,
  })
  const url = await terminal.app.listen({ host: '127.0.0.1', port: 0 })
  host = new URL(url).host
  terminal.start()

  const newLink = (): string => `${url}/#launch=${terminal.sessions.mintLaunchToken()}`
  const window = await openWindow(
    url,
    change.windowKey === undefined ? { launchUrl: newLink() } : { key: change.windowKey },
  )
  const { call, get, current, event, until, reached, present, stream, swipe } = window
  let closing: Promise<void> | null = null
  const close = (): Promise<void> => {
    window.close()
    closing ??= terminal.close()
    return closing
  }
  onTestFinished(close)
  await call(
    'POST',
    '/api/sign-in',
    change.staffId === 'sam' ? { staffId: 'sam', pin: '9999' } : { staffId: 'alex', pin: '1234' },
  )

  const read = <Row>(sql: string): Row[] => {
    const db = openDatabase(join(folder, 'terminal.db'))
    try {
      return db.prepare<[], Row>(sql).all()
    } finally {
      db.close()
    }
  }
  const operations = (): JournalRow[] => read<JournalRow>(JOURNAL)

  return {
    call,
    get,
    event,
    next: () => window.next(),
    events: () => window.events(),
    windowKey: window.key,
    windowHeaders: window.headers,
    url,
    logLines,
    post: (path, body, key, asking = window) =>
      fetch(url + path, {
        method: 'POST',
        headers: { ...asking.headers, 'content-type': 'application/json', [KEY_HEADER]: key },
        body: JSON.stringify(body),
      }),
    upload: (path, content) =>
      fetch(url + path, {
        method: 'POST',
        headers: { ...window.headers, 'content-type': 'application/octet-stream' },
        body: content,
      }),
    async file(path) {
      const response = await fetch(url + path, { headers: window.headers })
      return {
        status: response.status,
        type: response.headers.get('content-type') ?? '',
        disposition: response.headers.get('content-disposition') ?? '',
        headers: response.headers,
        bytes: Buffer.from(await response.arrayBuffer()),
      }
    },
    folder,
    operations,
    async untilOperation(type, ...states) {
      for (;;) {
        const found = operations().findLast((row) => row.type === type)
        if (found && states.includes(found.state)) return found
        await window.next()
      }
    },
    close,
    until,
    reached,
    read,
    async printed(documentId, state = 'confirmed', copy = 0) {
      await event(
        (candidate): candidate is Extract<TerminalEvent, { type: 'print-job' }> =>
          candidate.type === 'print-job' &&
          candidate.saleId === documentId &&
          candidate.state === state &&
          candidate.copy === copy,
      )
    },
    refused: async (method, path, body) => {
      const answer = await call(method, path, body)
      if (answer.status < 400) throw new Error(`${method} ${path} was not refused`)
      return answer.body.code
    },
    current,
    ring: async (sku, quantity = 1) => (await call('POST', '/api/sales/current/lines', { sku, quantity })).body.sale,
    present,
    stream,
    swipe,
    async openWindow() {
      const another = await openWindow(url, { launchUrl: newLink() })
      onTestFinished(another.close)
      return another
    },
  }
}

function withCatalog(lines: string): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'catalog.csv'), lines.startsWith('sku,') ? lines : `${CATALOG_HEAD}\n${lines}\n`)
  return join(folder, 'store.yaml')
}
