import type { Page } from '@playwright/test'
import english from '../../../contracts/i18n/en-CA/errors.ts'
import french from '../../../contracts/i18n/fr-CA/errors.ts'
import { SAM } from '../../testing/fixture-facts.ts'
import {
  OFFER_ID,
  OFFER_LISTS_FAILED,
  OFFER_LISTS_LOADING,
  keptAnswer,
  keptPage,
  offerAnswer,
  offerPage,
} from './offers.fixture.ts'
import type { Say, ScreenFixture, ScreenFixtures } from '../../testing/screen-fixture.ts'
import { ok } from '../../testing/answers.ts'

const FORBIDDEN = {
  status: 403,
  body: {
    code: 'manager-required',
    messages: { 'en-CA': english['manager-required'], 'fr-CA': french['manager-required'] },
    correlationId: 'c',
  },
}
const path = '/manager/program-offers'
const rows = (page: Page) => page.getByRole('table').getByRole('row')
const shown = async (page: Page): Promise<void> => {
  await rows(page).nth(1).waitFor()
}
/** The first offer, opened. */
const opened = async (page: Page): Promise<void> => {
  await rows(page).nth(1).getByRole('button').click()
  await page.getByRole('dialog').locator('h3, p').nth(1).waitFor()
}

/** The page with these answers in the place of those of a service that is well. */
function offers(
  answers: (say: Say) => Record<string, unknown>,
  act: (page: Page) => Promise<void> = shown,
): ScreenFixture {
  return {
    path,
    person: SAM,
    set: ({ state }, say) => {
      for (const [call, body] of Object.entries(answers(say))) state.answers[call] = ok(body)
    },
    act,
  }
}
const well = (say: Say) => ({
  'GET /api/manager/offers': offerPage(say),
  [`GET /api/manager/offers/${OFFER_ID}`]: offerAnswer(say),
})
const silent = (say: Say) => ({
  'GET /api/manager/offers': keptPage(say),
  'GET /api/manager/offer-lists': OFFER_LISTS_FAILED,
  [`GET /api/manager/offers/${OFFER_ID}`]: keptAnswer(say),
})

/** The manager's page of the region's offers. */
export const OFFERS: ScreenFixtures = {
  'program-offers': offers(well),
  'program-offers-filtered': offers(well, async (page) => {
    await shown(page)
    await page.getByRole('search').getByRole('combobox').nth(1).selectOption({ index: 1 })
    await page.getByRole('button', { name: /^(More filters|Plus de filtres)$/ }).click()
    await page.getByRole('search').getByRole('textbox').fill('x'.repeat(36))
    await page.getByRole('button', { name: /^(Clear filters|Effacer les filtres)$/ }).waitFor()
  }),
  'program-offers-open': offers(well, opened),
  'program-offers-warning': offers(
    (say) => ({
      ...well(say),
      [`GET /api/manager/offers/${OFFER_ID}`]: offerAnswer(say, {
        offer: null,
        warning: { code: 'err-expired', message: 'Offer is expired' },
      }),
    }),
    opened,
  ),
  'program-offers-silent': offers(silent),
  'program-offers-silent-open': offers(silent, opened),
  'program-offers-never': offers(
    (say) => ({
      ...silent(say),
      'GET /api/manager/offers': { ...keptPage(say), offers: [], total: 0, notApplied: [], fetchedAt: null },
    }),
    (page) => page.getByRole('alert').waitFor(),
  ),
  'program-offers-none': offers(
    (say) => ({ ...well(say), 'GET /api/manager/offers': offerPage(say, { offers: [], total: 0 }) }),
    (page) => page.getByRole('search').waitFor(),
  ),
  'program-offers-loading': offers(
    (say) => ({ ...well(say), 'GET /api/manager/offer-lists': OFFER_LISTS_LOADING }),
    shown,
  ),
  'program-offers-failed': {
    path,
    person: SAM,
    refused: true,
    set: ({ state }) => {
      state.answers['GET /api/manager/offers'] = FORBIDDEN
      state.answers['GET /api/manager/offer-lists'] = FORBIDDEN
    },
    act: (page) => page.getByRole('alert').nth(1).waitFor(),
  },
}
