import { BasketOffer, BasketOffers } from '../../../contracts/loyalty/basket-offers.ts'
import { open, press, type Localize, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'
import type { Page } from '@playwright/test'
import { withMember } from '../../testing/sales.ts'
import { exampleOf, type Named } from '../../testing/answers.ts'

const id = (n: number): string => `7b0e5a10-0000-4000-8000-0000000001${String(n).padStart(2, '0')}`
export const COFFEE = id(2)
export const WINTER = id(3)
const AT = '2026-11-21T14:03:12.000Z'

type Given = Named<BasketOffer>
const offerOf = (localize: Localize, n: number, over: Given): BasketOffer =>
  exampleOf(BasketOffer, {
    id: id(n),
    partner: 'Northstar',
    category: localize('Grocery', 'Épicerie'),
    award: localize('20 bonus miles', '20 milles en prime'),
    qualifier: localize('Spend $40 on groceries', 'Dépensez 40 $ en épicerie'),
    endsOn: '2026-12-31',
    legalText: localize(
      'Offer valid at participating Northstar locations.\nLimit of one per collector per day.',
      'Offre valable dans les établissements Northstar participants.\nLimite d’une par adhérent par jour.',
    ),
    standing: 'open',
    startsOn: '2026-11-01',
    optIn: 'none',
    coupon: 'none',
    ...over,
  })

export function earned(localize: Localize, over: Given = {}): BasketOffer {
  const tier = (miles: number, dollars: number): { award: string; qualifier: string } => ({
    award: localize(`${miles} bonus miles`, `${miles} milles en prime`),
    qualifier: localize(`Spend $${dollars} or more on groceries`, `Dépensez ${dollars} $ ou plus en épicerie`),
  })
  return offerOf(localize, 3, {
    standing: 'earned',
    award: localize('Up to 150 bonus miles', 'Jusqu’à 150 milles en prime'),
    description: localize(
      'Earn bonus miles on everything in the grocery aisles.',
      'Obtenez des milles en prime dans toute l’épicerie.',
    ),
    ladder: [{ ...tier(50, 40), isReached: true }, { ...tier(100, 80) }, { ...tier(150, 160) }],
    reached: { tier: 0, miles: 50, award: tier(50, 40).award },
    next: { tier: 1, miles: 100, award: tier(100, 80).award, missing: { unit: 'cents', amount: 37_55 } },
    image: '/milepost.svg',
    endingSoon: true,
    saved: true,
    ...over,
  })
}

export const nearly = (localize: Localize, over: Given = {}): BasketOffer =>
  offerOf(localize, 1, {
    standing: 'nearly',
    award: localize('100 bonus miles', '100 milles en prime'),
    qualifier: localize('Buy 3 bags of coffee', 'Achetez 3 sacs de café'),
    next: {
      tier: 0,
      miles: 100,
      award: localize('100 bonus miles', '100 milles en prime'),
      missing: { unit: 'pieces', amount: 1 },
      near: true,
    },
    ...over,
  })

export const waiting = (localize: Localize, n: number, miles: number, over: Given = {}): BasketOffer => {
  const award = localize(`${miles} bonus miles`, `${miles} milles en prime`)
  return offerOf(localize, n, {
    standing: 'opt-in-first',
    award,
    qualifier: localize('Buy 2 bars of chocolate', 'Achetez 2 tablettes de chocolat'),
    reached: { tier: 0, miles, award },
    optIn: 'to-do',
    targeted: n === 2,
    ...over,
  })
}

const withCode = (localize: Localize, over: Given = {}): BasketOffer => {
  const award = localize('30 bonus miles', '30 milles en prime')
  return offerOf(localize, 5, {
    standing: 'coupon-first',
    award,
    qualifier: localize('Buy paper towels, with a code', 'Achetez des essuie-tout, avec un code'),
    reached: { tier: 0, miles: 30, award },
    coupon: 'to-apply',
    ...over,
  })
}

const rest = (localize: Localize): BasketOffer[] => [
  offerOf(localize, 7, {
    award: localize('75 bonus miles', '75 milles en prime'),
    qualifier: localize('Spend $100 in the store', 'Dépensez 100 $ en magasin'),
    next: {
      tier: 0,
      miles: 75,
      award: localize('75 bonus miles', '75 milles en prime'),
      missing: { unit: 'cents', amount: 57_55 },
    },
  }),
  offerOf(localize, 8, {
    standing: 'shown',
    award: localize('3 times the miles', '3 fois les milles'),
    qualifier: localize('On flowers', 'Sur les fleurs'),
  }),
  offerOf(localize, 9, {
    standing: 'coming',
    startsOn: '2026-11-28',
    award: localize('40 bonus miles', '40 milles en prime'),
    qualifier: localize('Buy 2 laundry detergents', 'Achetez 2 détersifs à lessive'),
  }),
]

export const answerOf = (offers: readonly BasketOffer[], over: Named<BasketOffers> = {}): BasketOffers =>
  exampleOf(BasketOffers, { version: 3, offers, fetchedAt: AT, ...over })

export const everything = (localize: Localize, over: Named<BasketOffers> = {}): BasketOffers =>
  answerOf(
    [
      earned(localize),
      waiting(localize, 2, 90),
      waiting(localize, 4, 60),
      withCode(localize),
      nearly(localize),
      ...rest(localize),
    ],
    over,
  )

export const ofMember = (localize: Localize, over: Named<BasketOffers> = {}): BasketOffers =>
  everything(localize, {
    member: { state: 'ready', optedIn: 4 },
    optInAll: { offerIds: [id(2), id(4)], miles: 150 },
    ...over,
  })

export const optingIn = (localize: Localize): BasketOffers =>
  ofMember(localize, {
    offers: [
      waiting(localize, 2, 90, { changing: 'opt-in' }),
      waiting(localize, 4, 60, { changing: 'opt-in' }),
      earned(localize),
      nearly(localize),
    ],
    member: { state: 'ready', optedIn: 4, changing: 2 },
    optInAll: null,
  })

export const optedIn = (localize: Localize): BasketOffers =>
  ofMember(localize, {
    offers: [
      waiting(localize, 2, 90, { standing: 'earned', optIn: 'done' }),
      waiting(localize, 4, 60, { standing: 'earned', optIn: 'done' }),
      earned(localize),
      nearly(localize),
    ],
    member: { state: 'ready', optedIn: 6 },
    optInAll: null,
  })

export const refusedOne = (localize: Localize): BasketOffers =>
  ofMember(localize, {
    offers: [
      waiting(localize, 2, 90, { refused: 'exclusive', refusedReference: '7d0c4b1e-5f0a-4a51-9c5f-2f0d7c0e9a11' }),
      earned(localize),
      nearly(localize),
    ],
    optInAll: null,
  })

const PATH = '/api/sales/01K9TRAINLANE01/offers'
const SIGNED_IN = {
  'GET /api/member-session': { offered: true, session: { state: 'signed-in', saleId: withMember().id, at: AT } },
}

const offers = (
  answer: (localize: Localize) => BasketOffers,
  act: ScreenFixture['act'] = shown,
  more: object = {},
): ScreenFixture => ({
  sale: withMember(),
  answers: (localize) => ({ [`GET ${PATH}`]: answer(localize), ...more }),
  act,
})
// The line is located by structure, because pictures also use a pseudo-language.
const line = (page: Page) => page.locator('section > [role="group"] > button:has(strong)')

async function shown(page: Page): Promise<void> {
  await line(page).first().waitFor()
}
const opened =
  (steps = 0) =>
  async (page: Page): Promise<void> => {
    await shown(page)
    await open('Control+f')(page)
    await page.getByRole('dialog').getByRole('option').first().waitFor()
    await press(...Array.from({ length: steps }, () => 'ArrowDown'))(page)
  }
const dialog = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+f')
  await page.getByRole('dialog').getByRole('heading', { level: 2 }).nth(1).waitFor()
}
const cards = async (page: Page): Promise<void> => {
  await page.locator('main section li').first().waitFor()
}
const display = (answer: (localize: Localize) => BasketOffers, more: object = {}): ScreenFixture => ({
  ...offers(answer, cards, more),
  path: '/customer',
})

export const BASKET_OFFERS: ScreenFixtures = {
  'offers-line-earned': offers((localize) => answerOf([earned(localize)])),
  'offers-line-nearly': offers((localize) => answerOf([earned(localize), nearly(localize)])),
  'offers-line-sign-in': offers((localize) =>
    answerOf([earned(localize), waiting(localize, 2, 90), waiting(localize, 4, 60)]),
  ),
  'offers-line-opt-in': offers(ofMember, shown, SIGNED_IN),
  'offers-line-opting-in': offers(optingIn, shown, SIGNED_IN),
  'offers-line-nothing': offers((localize) => answerOf(everything(localize).offers.slice(-3))),
  'offers-panel': offers(everything, opened()),
  'offers-panel-code': offers(everything, opened(3)),
  'offers-panel-stale': offers((localize) => everything(localize, { stale: true }), opened()),
  'offers-panel-empty': offers(() => answerOf([]), dialog),
  'offers-panel-never': offers(() => answerOf([], { fetchedAt: null, stale: true }), dialog),
  'offers-panel-loading': {
    sale: withMember(),
    act: async (page, terminal) => {
      await page.route('**/offers?*', () => undefined)
      terminal.push({ type: 'sale-changed', cause: 'scan', sale: { ...withMember(), id: '01K9TRAINLANE02' as never } })
      await page.keyboard.press('Control+f')
      await page.getByRole('dialog').getByRole('status').waitFor()
    },
  },
  'offers-panel-failed': {
    sale: withMember(),
    refusals: { [`GET ${PATH}`]: 'manager-required' },
    act: async (page) => {
      await page.keyboard.press('Control+f')
      await page.getByRole('dialog').getByRole('alert').waitFor()
    },
  },
  'offers-panel-member-loading': offers(
    (localize) => everything(localize, { member: { state: 'loading' } }),
    opened(1),
    SIGNED_IN,
  ),
  'offers-panel-member': offers(ofMember, opened(1), SIGNED_IN),
  'offers-panel-member-failed': offers(
    (localize) => ofMember(localize, { member: { state: 'failed' } }),
    opened(1),
    SIGNED_IN,
  ),
  'offers-panel-opting-in': offers(optingIn, opened(), SIGNED_IN),
  'offers-panel-opted-in': offers(optedIn, opened(), SIGNED_IN),
  'offers-panel-refused': offers(refusedOne, opened(), SIGNED_IN),
  'offers-panel-legal': offers(everything, async (page) => {
    await opened()(page)
    await page.getByRole('dialog').getByRole('heading', { level: 4 }).getByRole('button').click()
  }),
  'customer-offers': display(everything),
  'customer-offers-opting-in': display(optingIn, SIGNED_IN),
  'customer-offers-opted-in': display(optedIn, SIGNED_IN),
}
