import type { Page } from '@playwright/test'
import { managed, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'

const AT = '2026-11-21T19:12:00.000Z'
const TRACE = '3f0c9a52-6b1d-4c7e-9a51-0d2f4c8b7e10'

export const SUPPORT_PREVIEW = {
  id: '6b1d3f0c-9a52-4c7e-9a51-0d2f4c8b7e10',
  fileName: 'support_TRAIN-001_lane-01_2026-11-21.json.gz',
  bytes: 14_812,
  file: {
    format: 1,
    madeAt: AT,
    program: {
      version: '0.1.0',
      nodeVersion: '24.21.0',
      platform: 'linux',
      arch: 'x64',
      osVersion: '6.1.0',
      store: 'TRAIN-001',
      lane: '01',
      mode: 'training',
      schema: 1,
      knownSchema: 1,
      timeZone: 'America/Toronto',
      startedAt: '2026-11-21T12:58:04.000Z',
      uptimeSeconds: 22_436,
    },
    room: {
      freeMb: 412,
      neededMb: 1_140,
      state: 'low',
      databaseMb: 538,
      logsMb: 6,
      clock: 'off-central',
      aheadSeconds: 380,
    },
    devices: {
      list: [
        {
          role: 'card-reader',
          state: 'ready',
          connection: 'serial',
          statistics: { reads: 61, refused: 2, unreadable: 1 },
        },
        {
          role: 'printer',
          state: 'unavailable',
          trouble: 'refused',
          code: 'ECONNREFUSED',
          connection: 'tcp',
          statistics: { receiptLinePrintedCount: 4_102, paperCutCount: 109 },
          jobs: { confirmed: 107, sent: 0, unknown: 1, failed: 1 },
        },
      ],
    },
    queue: {
      central: 'offline',
      waiting: 12,
      attention: 1,
      operations: [
        { type: 'issue', state: 'queued', count: 11, oldestSeconds: 5_460, newestSeconds: 80 },
        { type: 'redeem', state: 'retry', count: 1, oldestSeconds: 300, newestSeconds: 300 },
        { type: 'issue', state: 'rejected', count: 1, oldestSeconds: 93_600, newestSeconds: 93_600 },
      ],
    },
    connection: {
      state: 'offline',
      since: '2026-11-21T17:41:00.000Z',
      outagesInWeek: 3,
      checks: [
        { at: AT, outcome: 'timeout', responseCode: null, httpStatus: null, latencyMs: null, traceId: TRACE },
        {
          at: '2026-11-21T17:40:00.000Z',
          outcome: 'approved',
          responseCode: '0000',
          httpStatus: 200,
          latencyMs: 118,
          traceId: TRACE,
        },
      ],
    },
    integrity: { verifiedAt: '2026-11-20T22:04:00.000Z', entries: 41_236, broken: null },
    backups: {
      lastAt: '2026-11-21T11:02:00.000Z',
      lastOutcome: 'kept',
      copies: 'not-there',
      kept: [
        { kind: 'daily', count: 14, newestAt: '2026-11-21T11:02:00.000Z', newestHours: 8, newestProof: 'none' },
        { kind: 'closing', count: 14, newestAt: '2026-11-21T02:12:00.000Z', newestHours: 17, newestProof: 'held' },
      ],
      epoch: 1,
    },
    offers: {
      lists: [
        { locale: 'en-CA', count: 214, fetchedAt: '2026-11-21T17:30:00.000Z', ageSeconds: 6_120, failed: 'timeout' },
        { locale: 'fr-CA', count: 214, fetchedAt: '2026-11-21T17:30:00.000Z', ageSeconds: 6_120, failed: null },
      ],
    },
    settings: {
      changed: [
        { name: 'receipt.header', value: null },
        { name: 'limits.idleLockMs', value: 10 },
        { name: 'connection.sound', value: false },
      ],
      planned: 1,
    },
    errors: {
      since: '2026-11-20T08:00:00.000Z',
      counts: [
        { level: 'warn', message: 'no preview of the miles', count: 38, lastAt: AT },
        { level: 'error', message: 'a call failed', count: 2, lastAt: '2026-11-21T16:20:00.000Z' },
        { level: 'warn', message: null, count: 1, lastAt: '2026-11-21T09:10:00.000Z' },
      ],
    },
    log: {
      lines: 2_204,
      unreadable: 3,
      unknownMessages: 12,
      droppedFields: 388,
      entries: [
        {
          at: '2026-11-21T16:20:00.000Z',
          level: 'error',
          message: 'a call failed',
          correlationId: TRACE,
          errorType: 'SqliteError',
          errorCode: 'SQLITE_FULL',
        },
        { at: AT, level: 'warn', message: 'no preview of the miles' },
      ],
    },
  },
}

const PREVIEW = 'POST /api/support-file/previews'
const openFile = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^(Support file|Fichier de soutien)$/ }).click()

const support = (then: (page: Page) => Promise<void>, more: Partial<ScreenFixture> = {}): ScreenFixture =>
  managed('devices', {
    act: async (page) => {
      await openFile(page)
      await then(page)
    },
    ...more,
  })

const section = (page: Page, name: RegExp) => page.getByRole('dialog').locator('summary').filter({ hasText: name })

export const SUPPORT: ScreenFixtures = {
  'support-file': support((page) =>
    section(page, /^(Program|Programme)/)
      .first()
      .waitFor(),
  ),
  'support-file-sections': support(async (page) => {
    for (const name of [/^(Devices|Appareils)/, /^(Queue|File)/, /^(Settings|Réglages)/, /^(Program log|Journal du)/]) {
      await section(page, name).click()
    }
  }),
  'support-file-preparing': managed('devices', {
    act: async (page) => {
      // The request is never answered, so the preview stays in preparation.
      await page.route(/support-file/, () => undefined)
      await openFile(page)
      await page.getByRole('dialog').getByRole('progressbar').waitFor()
    },
  }),
  'support-file-refused': support((page) => page.getByRole('dialog').getByRole('alert').waitFor(), {
    refusals: { [PREVIEW]: { code: 'support-file-secret', details: [{ path: '/section', message: 'log' }] } },
  }),
}
