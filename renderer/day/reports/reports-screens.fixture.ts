import type { Page } from '@playwright/test'
import type { ReportRun } from '../../../contracts/day/reports.ts'
import english from '../../../contracts/i18n/en-CA/errors.ts'
import french from '../../../contracts/i18n/fr-CA/errors.ts'
import { SAM } from '../../testing/fixture-facts.ts'
import {
  JOURNAL_EMPTY,
  REPORT_CANCELLED,
  REPORT_DONE,
  REPORT_EMPTY,
  REPORT_FAILED,
  REPORT_RUNNING,
} from './reports.fixture.ts'
import type { ScreenFixture, ScreenFixtures } from '../../testing/screen-fixture.ts'
import { ok } from '../../testing/answers.ts'

const drawnChart = async (page: Page): Promise<void> => {
  await page.locator('figure svg').first().waitFor()
}

const reports = (run: ReportRun, act: (page: Page) => Promise<void> = drawnChart): ScreenFixture => ({
  path: '/manager/reports',
  person: SAM,
  set: ({ state }) => {
    state.answers['POST /api/reports/runs'] = ok(run)
    state.answers['GET /api/reports/runs/1'] = ok(run)
  },
  act,
})
/** Another report of the same days, with its table in sight. */
const brokenDown = (by: string): ScreenFixture =>
  reports(REPORT_DONE, async (page) => {
    await page.getByRole('combobox').selectOption(by)
    await drawnChart(page)
    await page.getByRole('table').evaluate((table) => table.scrollIntoView())
  })

const forbidden = {
  status: 403,
  body: {
    code: 'manager-required',
    messages: { 'en-CA': english['manager-required'], 'fr-CA': french['manager-required'] },
    correlationId: 'c',
  },
}

/** Reports over days, and the search of the electronic journal. */
export const REPORTS: ScreenFixtures = {
  reports: reports(REPORT_DONE),
  'reports-items': brokenDown('items'),
  'reports-people': brokenDown('price-changes'),
  'reports-running': reports(REPORT_RUNNING, (page) => page.getByRole('progressbar').waitFor()),
  'reports-cancelled': reports(REPORT_CANCELLED, (page) => page.locator('h2').nth(1).waitFor()),
  'reports-failed': {
    ...reports(REPORT_FAILED, (page) => page.getByRole('alert').waitFor()),
    refused: true,
  },
  'reports-empty': reports(REPORT_EMPTY, (page) => page.getByRole('combobox').scrollIntoViewIfNeeded()),
  journal: { path: '/manager/journal', person: SAM },
  'journal-sale': {
    path: '/manager/journal',
    person: SAM,
    act: async (page) => {
      await page.getByRole('row').last().getByRole('button').click()
      await page.getByRole('dialog').getByRole('article').waitFor()
    },
  },
  'journal-traces': {
    path: '/manager/journal',
    person: SAM,
    act: async (page) => {
      await page.getByRole('row').last().getByRole('button').click()
      await page.getByRole('dialog').getByRole('listitem').last().scrollIntoViewIfNeeded()
    },
  },
  'journal-none': {
    path: '/manager/journal',
    person: SAM,
    set: ({ state }) => {
      state.answers['GET /api/journal'] = ok(JOURNAL_EMPTY)
    },
    act: async (page) => {
      await page.getByRole('search').getByRole('textbox').nth(2).fill('12.3.4')
      await page.getByRole('search').getByRole('combobox').first().selectOption('sam')
      await page.getByRole('button', { name: /^(Clear filters|Effacer les filtres)$/ }).waitFor()
    },
  },
  'journal-failed': {
    path: '/manager/journal',
    person: SAM,
    refused: true,
    set: ({ state }) => {
      state.answers['GET /api/journal'] = forbidden
    },
    act: (page) => page.getByRole('alert').waitFor(),
  },
}
