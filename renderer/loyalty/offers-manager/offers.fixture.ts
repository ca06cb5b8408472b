import { managed, type Localize, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'
import type { Page } from '@playwright/test'

const id = (n: number): string => `7b0e5a10-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`
const AT = '2026-11-21T14:03:12.000Z'
const TOTAL = 132

export const OFFER_ID = id(1)
export const OFFLINE = {
  cause: 'unreachable',
  code: 'ECONNREFUSED',
  correlationId: '1d5a2f77-0000-4000-8000-000000000001',
}

function offers(localize: Localize) {
  const groceries = localize('Grocery', 'Épicerie')
  const fuel = localize('Fuel', 'Carburant')
  const winter = { id: id(90), label: localize('Winter miles', 'Milles d’hiver') }
  const offer = (
    n: number,
    [partner, category]: readonly [string, string],
    [award, qualifier]: readonly [string, string],
    more: object = {},
  ) => ({
    id: id(n),
    partner,
    partnerId: id(partner === 'Northstar' ? 70 : 71),
    category,
    award,
    qualifier,
    displayDate: '2026-11-01T00:00:00',
    startDate: '2026-11-01T00:00:00',
    endDate: '2026-12-31T23:59:59',
    validity: 'usable',
    ...more,
  })
  const northstar = ['Northstar', groceries] as const
  return [
    offer(
      1,
      northstar,
      [
        localize('20 bonus miles', '20 milles en prime'),
        localize('Spend $40 or more on groceries', 'Dépensez 40 $ ou plus : épicerie'),
      ],
      { promotion: winter },
    ),
    offer(
      2,
      northstar,
      [localize('3 times the miles', '3 fois les milles'), localize('Buy coffee or tea', 'Achetez : café ou thé')],
      { endDate: '2026-11-23T23:59:59', validity: 'ends-soon' },
    ),
    offer(
      3,
      ['Harbour Fuel', fuel],
      [
        localize('10 bonus miles', '10 milles en prime'),
        localize('Fill 30 litres or more', 'Achetez 30 litres ou plus'),
      ],
    ),
    offer(
      4,
      northstar,
      [
        localize('50 bonus miles', '50 milles en prime'),
        localize('Buy 2 laundry detergents', 'Achetez 2 détersifs à lessive'),
      ],
      { startDate: '2026-11-28T00:00:00', validity: 'not-started', promotion: winter },
    ),
  ]
}

export function offerPage(localize: Localize, over: object = {}) {
  return {
    source: 'service',
    offers: offers(localize),
    total: TOTAL,
    facets: {
      partners: [
        { id: id(70), label: 'Northstar', count: 97 },
        { id: id(71), label: 'Harbour Fuel', count: 35 },
      ],
      categories: [
        {
          id: id(80),
          label: localize('Grocery', 'Épicerie'),
          count: 90,
          subcategories: [{ id: id(81), label: localize('Coffee and tea', 'Café et thé'), count: 12 }],
        },
        { id: id(82), label: localize('Fuel', 'Carburant'), count: 42 },
      ],
    },
    ...over,
  }
}

export const storedPage = (localize: Localize) =>
  offerPage(localize, {
    source: 'kept',
    facets: { partners: [{ id: id(70), label: 'Northstar', count: 2 }] },
    offers: offers(localize).slice(0, 2),
    total: 2,
    failure: OFFLINE,
    notApplied: ['category', 'type'],
    fetchedAt: AT,
  })

const detail = (localize: Localize) => ({
  ...offers(localize)[0],
  description: localize(
    'Earn bonus miles on everything in the grocery aisles.',
    'Obtenez des milles en prime dans toute l’épicerie.',
  ),
  programType: 'traditionalcore',
  massOffer: true,
  eventBased: false,
  tiers: [
    {
      award: localize('20 bonus miles', '20 milles en prime'),
      qualifier: localize('Spend $40 or more on groceries', 'Dépensez 40 $ ou plus : épicerie'),
    },
    {
      award: localize('60 bonus miles', '60 milles en prime'),
      qualifier: localize('Spend $80 or more on groceries', 'Dépensez 80 $ ou plus : épicerie'),
    },
    {
      award: localize('150 bonus miles', '150 milles en prime'),
      qualifier: localize('Spend $160 or more on groceries', 'Dépensez 160 $ ou plus : épicerie'),
    },
  ],
  mechanisms: [
    { type: 'optIn', label: localize('Opt in', 'S’inscrire') },
    { type: 'couponCode', label: localize('Coupon code', 'Code de bon'), value: 'MILE4711' },
  ],
  legalText: localize(
    'Offer valid at participating Northstar locations.\nCannot be combined with other offers. Limit of one per ' +
      'collector per day.',
    'Offre valable dans les établissements Northstar participants.\nNe peut être jumelée à une autre offre. Limite ' +
      'd’une par adhérent par jour.',
  ),
})

export const offerAnswer = (localize: Localize, over: object = {}) => ({
  source: 'service',
  offer: detail(localize),
  ...over,
})

export const storedAnswer = (localize: Localize) =>
  offerAnswer(localize, {
    source: 'kept',
    offer: {
      ...offers(localize)[0],
      promotion: null,
      description: detail(localize).description,
      legalText: detail(localize).legalText,
    },
    failure: OFFLINE,
    fetchedAt: AT,
  })

const list = (locale: 'en-CA' | 'fr-CA') => ({
  locale,
  count: 96,
  fetchedAt: AT,
  dueAt: '2026-11-21T14:18:12.000Z',
})
const NOW = '2026-11-21T14:12:40.000Z'
export const OFFER_LISTS = { at: NOW, lists: [list('en-CA'), list('fr-CA')] }
export const OFFER_LISTS_FAILED = {
  at: '2026-11-21T15:20:40.000Z',
  lists: [
    { ...list('en-CA'), failed: { ...OFFLINE, at: '2026-11-21T14:18:14.000Z' } },
    { locale: 'fr-CA', failed: { ...OFFLINE, at: '2026-11-21T14:18:14.000Z' } },
  ],
}
export const OFFER_LISTS_LOADING = {
  at: NOW,
  lists: [list('en-CA'), { ...list('fr-CA'), loading: true }],
}

const rows = (page: Page) => page.getByRole('table').getByRole('row')
const shown = async (page: Page): Promise<void> => {
  await rows(page).nth(1).waitFor()
}
const opened = async (page: Page): Promise<void> => {
  await rows(page).nth(1).getByRole('button').click()
  await page.getByRole('dialog').locator('h3, p').nth(1).waitFor()
}

const listed = (answers: ScreenFixture['answers'] = {}, act: (page: Page) => Promise<void> = shown): ScreenFixture =>
  managed('program-offers', { answers, act })
const serviceDown = (localize: Localize) => ({
  'GET /api/manager/offers': storedPage(localize),
  'GET /api/manager/offer-lists': OFFER_LISTS_FAILED,
  [`GET /api/manager/offers/${OFFER_ID}`]: storedAnswer(localize),
})

export const OFFERS: ScreenFixtures = {
  'program-offers': listed(),
  'program-offers-filtered': listed({}, async (page) => {
    await shown(page)
    await page.getByRole('search').getByRole('combobox').nth(1).selectOption({ index: 1 })
    await page.getByRole('button', { name: /^(More filters|Plus de filtres)$/ }).click()
    await page.getByRole('search').getByRole('textbox').fill('x'.repeat(36))
    await page.getByRole('button', { name: /^(Clear filters|Effacer les filtres)$/ }).waitFor()
  }),
  'program-offers-open': listed({}, opened),
  'program-offers-warning': listed(
    (localize) => ({
      [`GET /api/manager/offers/${OFFER_ID}`]: offerAnswer(localize, {
        offer: null,
        warning: { code: 'err-expired', message: 'Offer is expired' },
      }),
    }),
    opened,
  ),
  'program-offers-silent': listed(serviceDown),
  'program-offers-silent-open': listed(serviceDown, opened),
  'program-offers-never': listed(
    (localize) => ({
      ...serviceDown(localize),
      'GET /api/manager/offers': { ...storedPage(localize), offers: [], total: 0, notApplied: [], fetchedAt: null },
    }),
    (page) => page.getByRole('alert').waitFor(),
  ),
  'program-offers-none': listed(
    (localize) => ({ 'GET /api/manager/offers': offerPage(localize, { offers: [], total: 0 }) }),
    (page) => page.getByRole('search').waitFor(),
  ),
  'program-offers-loading': listed({ 'GET /api/manager/offer-lists': OFFER_LISTS_LOADING }),
  'program-offers-failed': managed('program-offers', {
    refusals: { 'GET /api/manager/offers': 'manager-required', 'GET /api/manager/offer-lists': 'manager-required' },
    act: (page) => page.getByRole('alert').nth(1).waitFor(),
  }),
}
