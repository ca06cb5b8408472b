import type { Page } from '@playwright/test'
import {
  CONNECTION_STEPS,
  type ConnectionPeriod,
  type ConnectionPoint,
  type ConnectionStepId,
} from '../../../contracts/operations/connection.ts'
import type { EchoResult } from '../../../contracts/operations/diagnostics.ts'
import type { Named } from '../../testing/answers.ts'
import { withMember } from '../../testing/sales.ts'
import { managed, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'

const NOW = Date.parse('2026-11-21T14:03:12.000Z')
const HOUR = 3_600_000
const iso = (at: number): string => new Date(at).toISOString()

const echo = (outcome: EchoResult['outcome'], responseCode: string | null, httpStatus: number | null): EchoResult => ({
  at: iso(NOW),
  outcome,
  responseCode,
  httpStatus,
  latencyMs: httpStatus === null ? null : 84.2,
  message: responseCode === null ? 'ECONNREFUSED' : null,
  requestHeaders: { authorization: 'Bearer •••', 'cache-control': 'no-cache', 'content-type': 'application/json' },
  traceId: '0f6e3c1a-0000-4000-8000-000000000001',
})

export const statusOf = (change: object = {}) => ({
  state: 'online',
  since: iso(NOW - 26 * HOUR),
  latest: echo('approved', '0000', 200),
  intervalMs: 60_000,
  ...change,
})
const OFFLINE = statusOf({
  state: 'offline',
  since: iso(NOW - 0.3 * HOUR),
  latest: echo('unreachable', null, null),
  support: { name: 'Northstar', phone: '1 800 555-0142' },
})

const HOST = {
  host: 'services.northstar.example:443',
  services: ['token', 'cash', 'issuance', 'offers', 'offer-state'],
}
const HEALTHY: Readonly<Record<ConnectionStepId, object>> = {
  dns: { ms: 12, hosts: [HOST] },
  connect: { ms: 31, hosts: [{ ...HOST, proxied: true }] },
  tls: { ms: 48, hosts: [{ ...HOST, validTo: '2027-03-31T12:00:00.000Z' }] },
  token: { ms: 96 },
  echo: { ms: 84, code: '0000', trace: '0f6e3c1a-0000-4000-8000-000000000001' },
  issuance: { ms: 120, code: '234', trace: '2f0c1e0e-0000-4000-8000-000000000001' },
  offers: { ms: 133, code: 'HTTP 200', trace: '1d5a2f77-0000-4000-8000-000000000001' },
  'offer-state': { ms: 61, code: 'HTTP 200' },
  history: { state: 'not-configured' },
}

export const checkOf = (change: Partial<Record<ConnectionStepId, object>> = {}, endedAt: string | null = iso(NOW)) => ({
  id: '4f4a7a0e-0000-4000-8000-000000000001',
  startedAt: iso(NOW - 900),
  endedAt,
  steps: CONNECTION_STEPS.map((step) => ({ step, state: 'ok', ...HEALTHY[step], ...change[step] })),
})

const LENGTHS: Readonly<Record<ConnectionPeriod, readonly [count: number, hours: number]>> = {
  day: [24, 1],
  week: [28, 6],
  month: [30, 24],
  year: [53, 168],
}
function pointOf(index: number, count: number, hours: number): Named<ConnectionPoint> {
  const from = Math.floor(NOW / HOUR) * HOUR - (count - 1 - index) * hours * HOUR
  const ends = { from: iso(from), to: iso(from + hours * HOUR) }
  const off = hours <= 6 && index % (24 / hours) < 8 / hours
  if (off) return ends
  const down = index % 17 === 12 ? 0.2 : 0
  const onMs = hours * HOUR * (hours > 6 ? 0.62 : 1)
  const mean = 60 + ((index * 37) % 50)
  return {
    ...ends,
    checks: Math.round(onMs / 60_000),
    failures: Math.round((onMs / 60_000) * down),
    onMs,
    downMs: onMs * down,
    latencyMeanMs: mean,
    latencyMinMs: mean / 2,
    latencyMaxMs: mean * (down > 0 ? 9 : 3),
  }
}

function historyOf(period: ConnectionPeriod) {
  const [count, hours] = LENGTHS[period]
  const points = Array.from({ length: count }, (_, index) => pointOf(index, count, hours))
  const sum = (name: 'checks' | 'failures' | 'onMs' | 'downMs'): number =>
    points.reduce((all, point) => all + (point[name] ?? 0), 0)
  return {
    period,
    from: points[0]?.from ?? iso(NOW),
    to: iso(NOW),
    sums: {
      checks: sum('checks'),
      failures: sum('failures'),
      onMs: sum('onMs'),
      downMs: sum('downMs'),
      latencyMeanMs: 84.2,
      latencyMinMs: 22.1,
      latencyMaxMs: 981.4,
    },
    points,
    outages: [
      { at: 2, to: 1.8, outcome: 'timeout', responseCode: '0008', httpStatus: 408 },
      { at: 9, to: null, outcome: 'unreachable', code: 'ECONNREFUSED' },
      { at: 20, to: 19.2, outcome: 'outage', responseCode: '0092', httpStatus: 503 },
    ].map(({ at, to, ...outage }, index) => ({
      from: iso(NOW - at * HOUR),
      to: to === null ? null : iso(NOW - to * HOUR),
      lastAt: iso(NOW - at * HOUR),
      checks: 12,
      trace: `0f6e3c1a-0000-4000-8000-00000000000${index}`,
      ...outage,
    })),
    outagesInAll: 3,
  }
}

const { period, from, to, points } = historyOf('day')
const NO_HISTORY = { period, from, to, points: points.map((point) => ({ from: point.from, to: point.to })) }

export const CONNECTION_FACTS = {
  'GET /api/diagnostics/connection': () => statusOf(),
  'GET /api/diagnostics/connection/history': () => historyOf('day'),
} as const

const drawnChart = async (page: Page): Promise<void> => {
  await page.locator('figure svg').nth(1).waitFor()
}
const connection = (status: object, history?: object): ScreenFixture =>
  managed('echo', {
    answers: {
      'GET /api/diagnostics/connection': status,
      ...(history ? { 'GET /api/diagnostics/connection/history': history } : {}),
    },
    act: history === NO_HISTORY ? (page) => page.locator('h2').nth(1).waitFor() : drawnChart,
  })
const scrolledTo = (fixture: ScreenFixture, name: RegExp): ScreenFixture => ({
  ...fixture,
  act: async (page) => {
    await drawnChart(page)
    await page.getByRole('table', { name }).evaluate((table) => table.scrollIntoView())
  },
})

const skipped = { state: 'skipped', skippedFor: 'connect', ms: null, code: null, trace: null, hosts: [] }
const failed = checkOf({
  connect: { state: 'failed', cause: 'refused', code: 'ECONNREFUSED', ms: 7 },
  ...Object.fromEntries(CONNECTION_STEPS.slice(CONNECTION_STEPS.indexOf('connect') + 1).map((step) => [step, skipped])),
})
const later = { state: 'waiting', ms: null, code: null, trace: null }
const running = checkOf(
  {
    echo: { ...later, state: 'running' },
    issuance: later,
    offers: later,
    'offer-state': later,
    history: later,
  },
  null,
)
const warned = checkOf({
  tls: {
    state: 'warning',
    cause: 'certificate-ends-soon',
    hosts: [
      { ...HOST, cause: 'certificate-ends-soon', validTo: '2026-12-01T12:00:00.000Z' },
      { host: 'localhost:8080', services: ['history'], plain: true },
    ],
  },
  echo: { state: 'warning', cause: 'slow', ms: 4_812 },
  history: { state: 'failed', cause: 'unhealthy', code: 'HTTP 200', ms: 55 },
})

const serviceNotice = (now: 'gone' | 'back'): ScreenFixture => ({
  sale: withMember(),
  act: async (page, terminal) => {
    terminal.push({
      type: 'central-turned',
      now,
      state: now === 'gone' ? 'offline' : 'online',
      since: '2026-11-21T14:03:12.000Z',
      sound: true,
    })
    await page
      .getByText(/(is back|rétabli)\.|(Since|Depuis) /)
      .first()
      .waitFor()
  },
})

export const CONNECTION: ScreenFixtures = {
  echo: connection(statusOf({ check: checkOf() })),
  'connection-never': connection(
    statusOf({ state: 'unknown', since: null, latest: null, intervalMs: 45_000 }),
    NO_HISTORY,
  ),
  'connection-running': connection(statusOf({ check: running })),
  'connection-failed': connection({ ...OFFLINE, check: failed }),
  'connection-warned': connection(
    statusOf({ state: 'trouble', latest: echo('server-error', '0096', 500), check: warned }),
  ),
  'connection-history': scrolledTo(connection(statusOf()), /^(Uptime by|Disponibilité par)/),
  'connection-year': {
    ...connection(statusOf({ sinceAtLeast: true }), historyOf('year')),
    act: async (page) => {
      await page.getByRole('radio', { name: /^(Year|Année)/ }).click()
      await drawnChart(page)
    },
  },
  'connection-outages': scrolledTo(connection(OFFLINE, historyOf('month')), /^(Failures|Pannes)/),
  'connection-unreadable': managed('echo', {
    refusals: {
      'GET /api/diagnostics/connection': 'manager-required',
      'GET /api/diagnostics/connection/history': 'manager-required',
    },
    act: (page) => page.getByRole('alert').first().waitFor(),
  }),
  'notice-central-gone': serviceNotice('gone'),
  'notice-central-back': serviceNotice('back'),
}
