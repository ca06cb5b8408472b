import type {
  ManagerOffer,
  ManagerOfferAnswer,
  ManagerOfferDetail,
  ManagerOfferPage,
  OfferFailure,
  OfferLists,
} from '../../../contracts/loyalty/offers.ts'
import type { Say } from '../../testing/screen-fixture.ts'

const id = (n: number): string => `7b0e5a10-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`
const AT = '2026-11-21T14:03:12.000Z'
const TOTAL = 132

export const OFFER_ID = id(1)
export const OFFLINE: OfferFailure = {
  cause: 'unreachable',
  code: 'ECONNREFUSED',
  correlationId: '1d5a2f77-0000-4000-8000-000000000001',
}

function offers(say: Say): ManagerOffer[] {
  const groceries = say('Grocery', 'Épicerie')
  const fuel = say('Fuel', 'Carburant')
  const winter = { id: id(90), label: say('Winter miles', 'Milles d’hiver') }
  const offer = (
    n: number,
    [partner, category]: readonly [string, string],
    [award, qualifier]: readonly [string, string],
    more: Partial<ManagerOffer> = {},
  ): ManagerOffer => ({
    id: id(n),
    partner,
    partnerId: id(partner === 'Northstar' ? 70 : 71),
    category,
    promotion: null,
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
        say('20 bonus miles', '20 milles en prime'),
        say('Spend $40 or more on groceries', 'Dépensez 40 $ ou plus : épicerie'),
      ],
      { promotion: winter },
    ),
    offer(
      2,
      northstar,
      [say('3 times the miles', '3 fois les milles'), say('Buy coffee or tea', 'Achetez : café ou thé')],
      { endDate: '2026-11-23T23:59:59', validity: 'ends-soon' },
    ),
    offer(
      3,
      ['Harbour Fuel', fuel],
      [say('10 bonus miles', '10 milles en prime'), say('Fill 30 litres or more', 'Achetez 30 litres ou plus')],
    ),
    offer(
      4,
      northstar,
      [say('50 bonus miles', '50 milles en prime'), say('Buy 2 laundry detergents', 'Achetez 2 détersifs à lessive')],
      { startDate: '2026-11-28T00:00:00', validity: 'not-started', promotion: winter },
    ),
  ]
}

export function offerPage(say: Say, over: Partial<ManagerOfferPage> = {}): ManagerOfferPage {
  return {
    source: 'service',
    offers: offers(say),
    total: TOTAL,
    offset: 0,
    facets: {
      partners: [
        { id: id(70), label: 'Northstar', count: 97 },
        { id: id(71), label: 'Harbour Fuel', count: 35 },
      ],
      categories: [
        {
          id: id(80),
          label: say('Grocery', 'Épicerie'),
          count: 90,
          subcategories: [{ id: id(81), label: say('Coffee and tea', 'Café et thé'), count: 12 }],
        },
        { id: id(82), label: say('Fuel', 'Carburant'), count: 42, subcategories: [] },
      ],
    },
    failure: null,
    notApplied: [],
    fetchedAt: null,
    ...over,
  }
}

/** The lane's own list, as it was an hour before the service went silent. */
export const keptPage = (say: Say): ManagerOfferPage =>
  offerPage(say, {
    source: 'kept',
    facets: { partners: [{ id: id(70), label: 'Northstar', count: 2 }], categories: null },
    offers: offers(say).slice(0, 2),
    total: 2,
    failure: OFFLINE,
    notApplied: ['category', 'type'],
    fetchedAt: AT,
  })

const detail = (say: Say): ManagerOfferDetail => ({
  ...(offers(say)[0] as ManagerOffer),
  description: say(
    'Earn bonus miles on everything in the grocery aisles.',
    'Obtenez des milles en prime dans toute l’épicerie.',
  ),
  programType: 'traditionalcore',
  massOffer: true,
  eventBased: false,
  tiers: [
    {
      award: say('20 bonus miles', '20 milles en prime'),
      qualifier: say('Spend $40 or more on groceries', 'Dépensez 40 $ ou plus : épicerie'),
    },
    {
      award: say('60 bonus miles', '60 milles en prime'),
      qualifier: say('Spend $80 or more on groceries', 'Dépensez 80 $ ou plus : épicerie'),
    },
    {
      award: say('150 bonus miles', '150 milles en prime'),
      qualifier: say('Spend $160 or more on groceries', 'Dépensez 160 $ ou plus : épicerie'),
    },
  ],
  mechanisms: [
    { type: 'optIn', label: say('Opt in', 'S’inscrire'), value: null },
    { type: 'couponCode', label: say('Coupon code', 'Code de bon'), value: 'MILE4711' },
  ],
  cardTypes: null,
  legalText: say(
    'Offer valid at participating Northstar locations.\nCannot be combined with other offers. Limit of one per ' +
      'collector per day.',
    'Offre valable dans les établissements Northstar participants.\nNe peut être jumelée à une autre offre. Limite ' +
      'd’une par adhérent par jour.',
  ),
})

export const offerAnswer = (say: Say, over: Partial<ManagerOfferAnswer> = {}): ManagerOfferAnswer => ({
  source: 'service',
  offer: detail(say),
  warning: null,
  failure: null,
  fetchedAt: null,
  ...over,
})

export const keptAnswer = (say: Say): ManagerOfferAnswer =>
  offerAnswer(say, {
    source: 'kept',
    offer: {
      ...detail(say),
      programType: null,
      massOffer: null,
      eventBased: null,
      tiers: null,
      mechanisms: null,
      promotion: null,
    },
    failure: OFFLINE,
    fetchedAt: AT,
  })

const list = (locale: 'en-CA' | 'fr-CA'): OfferLists['lists'][number] => ({
  locale,
  count: 96,
  fetchedAt: AT,
  dueAt: '2026-11-21T14:18:12.000Z',
  loading: false,
  failed: null,
})
const NOW = '2026-11-21T14:12:40.000Z'
export const OFFER_LISTS: OfferLists = { at: NOW, lists: [list('en-CA'), list('fr-CA')] }
export const OFFER_LISTS_FAILED: OfferLists = {
  at: '2026-11-21T15:20:40.000Z',
  lists: [
    { ...list('en-CA'), failed: { ...OFFLINE, at: '2026-11-21T14:18:14.000Z' } },
    {
      ...list('fr-CA'),
      count: 0,
      fetchedAt: null,
      dueAt: null,
      failed: { ...OFFLINE, at: '2026-11-21T14:18:14.000Z' },
    },
  ],
}
export const OFFER_LISTS_LOADING: OfferLists = {
  at: NOW,
  lists: [list('en-CA'), { ...list('fr-CA'), loading: true }],
}
