import type { Page } from '@playwright/test'
import type { ConnectionHistory, ConnectionStatus } from '../../../contracts/operations/connection.ts'
import { SAM } from '../../testing/fixture-facts.ts'
import { checkOf, echo, historyOf, NO_HISTORY, OFFLINE, statusOf } from './connection.fixture.ts'
import type { FixtureTerminal } from '../../testing/fixture-terminal.ts'
import type { ScreenFixture, ScreenFixtures } from '../../testing/screen-fixture.ts'
import { withMember } from '../../testing/sales.ts'
import { ok } from '../../testing/answers.ts'

const answer =
  (status: ConnectionStatus, history?: ConnectionHistory) =>
  ({ state }: FixtureTerminal): void => {
    state.answers['GET /api/diagnostics/connection'] = ok(status)
    if (history) state.answers['GET /api/diagnostics/connection/history'] = ok(history)
  }
const drawnChart = async (page: Page): Promise<void> => {
  await page.locator('figure svg').nth(1).waitFor()
}
const connection = (status: ConnectionStatus, history?: ConnectionHistory): ScreenFixture => ({
  path: '/manager/echo',
  person: SAM,
  set: answer(status, history),
  act: history?.sums.checks === 0 ? (page) => page.locator('h2').nth(1).waitFor() : drawnChart,
})
/** The same page further down. */
const scrolledTo = (fixture: ScreenFixture, name: RegExp): ScreenFixture => ({
  ...fixture,
  act: async (page) => {
    await drawnChart(page)
    await page.getByRole('table', { name }).evaluate((table) => table.scrollIntoView())
  },
})

const failed = checkOf({
  connect: { state: 'failed', cause: 'refused', code: 'ECONNREFUSED', ms: 7 },
  tls: { state: 'skipped', skippedFor: 'connect', ms: null, hosts: [] },
  ...Object.fromEntries(
    (['token', 'echo', 'issuance', 'offers', 'offer-state', 'history'] as const).map((step) => [
      step,
      { state: 'skipped', skippedFor: 'connect', ms: null, code: null, trace: null },
    ]),
  ),
})
const later = { state: 'waiting', ms: null, code: null, trace: null } as const
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
      {
        host: 'services.northstar.example:443',
        services: ['token', 'cash', 'issuance', 'offers', 'offer-state'],
        cause: 'certificate-ends-soon',
        code: null,
        validTo: '2026-12-01T12:00:00.000Z',
        plain: false,
        proxied: false,
      },
      {
        host: 'localhost:8080',
        services: ['history'],
        cause: null,
        code: null,
        validTo: null,
        plain: true,
        proxied: false,
      },
    ],
  },
  echo: { state: 'warning', cause: 'slow', ms: 4_812 },
  history: { state: 'failed', cause: 'unhealthy', code: 'HTTP 200', ms: 55 },
})

/** A notice of the services, over the sale. */
const turned = (now: 'gone' | 'back'): ScreenFixture => ({
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

/** The manager's page of the connection, and what a cashier is told of it. */
export const CONNECTION: ScreenFixtures = {
  echo: connection(statusOf({ check: checkOf({}) })),
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
  'connection-unreadable': {
    path: '/manager/echo',
    person: SAM,
    refused: true,
    set: ({ state }) => {
      for (const path of ['connection', 'connection/history'])
        state.answers[`GET /api/diagnostics/${path}`] = {
          status: 403,
          body: { code: 'manager-required', messages: { 'en-CA': 'Manager only.', 'fr-CA': 'Gérance seulement.' } },
        }
    },
    act: async (page) => {
      await page.getByRole('alert').first().waitFor()
    },
  },
  'notice-central-gone': turned('gone'),
  'notice-central-back': turned('back'),
}
