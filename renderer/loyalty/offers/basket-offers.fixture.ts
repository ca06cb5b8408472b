import type { BasketOffer, BasketOffers } from '../../../contracts/loyalty/basket-offers.ts'
import type { Say } from '../../testing/screen-fixture.ts'

const id = (n: number): string => `7b0e5a10-0000-4000-8000-0000000001${String(n).padStart(2, '0')}`
export const PASTA = id(1)
export const COFFEE = id(2)
export const WINTER = id(3)
const AT = '2026-11-21T14:03:12.000Z'

const offerOf = (say: Say, n: number, over: Partial<BasketOffer>): BasketOffer => ({
  id: id(n),
  partner: 'Northstar',
  category: say('Grocery', 'Épicerie'),
  award: say('20 bonus miles', '20 milles en prime'),
  qualifier: say('Spend $40 on groceries', 'Dépensez 40 $ en épicerie'),
  description: null,
  endsOn: '2026-12-31',
  legalText: say(
    'Offer valid at participating Northstar locations.\nLimit of one per collector per day.',
    'Offre valable dans les établissements Northstar participants.\nLimite d’une par adhérent par jour.',
  ),
  standing: 'open',
  startsOn: '2026-11-01',
  ladder: [],
  reached: null,
  next: null,
  targeted: false,
  endingSoon: false,
  image: null,
  optIn: 'none',
  saved: false,
  changing: null,
  refused: null,
  refusedReference: null,
  coupon: 'none',
  ...over,
})

/** Earned by what is in the basket, with a higher tier in reach: three levels, a picture, a mark. */
export function earned(say: Say, over: Partial<BasketOffer> = {}): BasketOffer {
  const tier = (miles: number, dollars: number): { award: string; qualifier: string } => ({
    award: say(`${miles} bonus miles`, `${miles} milles en prime`),
    qualifier: say(`Spend $${dollars} or more on groceries`, `Dépensez ${dollars} $ ou plus en épicerie`),
  })
  return offerOf(say, 3, {
    standing: 'earned',
    award: say('Up to 150 bonus miles', 'Jusqu’à 150 milles en prime'),
    description: say(
      'Earn bonus miles on everything in the grocery aisles.',
      'Obtenez des milles en prime dans toute l’épicerie.',
    ),
    ladder: [
      { ...tier(50, 40), isReached: true },
      { ...tier(100, 80), isReached: false },
      { ...tier(150, 160), isReached: false },
    ],
    reached: { tier: 0, miles: 50, award: tier(50, 40).award },
    next: { tier: 1, miles: 100, award: tier(100, 80).award, missing: { unit: 'cents', amount: 37_55 }, near: false },
    image: '/milepost.svg',
    endingSoon: true,
    saved: true,
    ...over,
  })
}

/** One more piece gives it. */
export const nearly = (say: Say, over: Partial<BasketOffer> = {}): BasketOffer =>
  offerOf(say, 1, {
    standing: 'nearly',
    award: say('100 bonus miles', '100 milles en prime'),
    qualifier: say('Buy 3 bags of coffee', 'Achetez 3 sacs de café'),
    next: {
      tier: 0,
      miles: 100,
      award: say('100 bonus miles', '100 milles en prime'),
      missing: { unit: 'pieces', amount: 1 },
      near: true,
    },
    ...over,
  })

/** Earned as soon as the member has opted in. */
export const waiting = (say: Say, n: number, miles: number, over: Partial<BasketOffer> = {}): BasketOffer => {
  const award = say(`${miles} bonus miles`, `${miles} milles en prime`)
  return offerOf(say, n, {
    standing: 'opt-in-first',
    award,
    qualifier: say('Buy 2 bars of chocolate', 'Achetez 2 tablettes de chocolat'),
    reached: { tier: 0, miles, award },
    optIn: 'to-do',
    targeted: n === 2,
    ...over,
  })
}

const withCode = (say: Say, over: Partial<BasketOffer> = {}): BasketOffer => {
  const award = say('30 bonus miles', '30 milles en prime')
  return offerOf(say, 5, {
    standing: 'coupon-first',
    award,
    qualifier: say('Buy paper towels, with a code', 'Achetez des essuie-tout, avec un code'),
    reached: { tier: 0, miles: 30, award },
    coupon: 'to-apply',
    ...over,
  })
}

/** What earns nothing now, and why. */
const rest = (say: Say): BasketOffer[] => [
  offerOf(say, 7, {
    award: say('75 bonus miles', '75 milles en prime'),
    qualifier: say('Spend $100 in the store', 'Dépensez 100 $ en magasin'),
    next: {
      tier: 0,
      miles: 75,
      award: say('75 bonus miles', '75 milles en prime'),
      missing: { unit: 'cents', amount: 57_55 },
      near: false,
    },
  }),
  offerOf(say, 8, {
    standing: 'shown',
    award: say('3 times the miles', '3 fois les milles'),
    qualifier: say('On flowers', 'Sur les fleurs'),
  }),
  offerOf(say, 9, {
    standing: 'coming',
    startsOn: '2026-11-28',
    award: say('40 bonus miles', '40 milles en prime'),
    qualifier: say('Buy 2 laundry detergents', 'Achetez 2 détersifs à lessive'),
  }),
]

/** An answer of these offers; nobody has signed in. */
export const answerOf = (offers: readonly BasketOffer[], over: Partial<BasketOffers> = {}): BasketOffers => ({
  version: 3,
  offers: [...offers],
  fetchedAt: AT,
  stale: false,
  member: null,
  optInAll: null,
  ...over,
})

export const everything = (say: Say, over: Partial<BasketOffers> = {}): BasketOffers =>
  answerOf([earned(say), waiting(say, 2, 90), waiting(say, 4, 60), withCode(say), nearly(say), ...rest(say)], over)

/** The member has signed in, and one press opts into two offers. */
export const ofMember = (say: Say, over: Partial<BasketOffers> = {}): BasketOffers =>
  everything(say, {
    member: { state: 'ready', optedIn: 4, changing: 0 },
    optInAll: { offerIds: [id(2), id(4)], miles: 150 },
    ...over,
  })

/** That press is on its way to the program. */
export const optingIn = (say: Say): BasketOffers =>
  ofMember(say, {
    offers: [
      waiting(say, 2, 90, { changing: 'opt-in' }),
      waiting(say, 4, 60, { changing: 'opt-in' }),
      earned(say),
      nearly(say),
    ],
    member: { state: 'ready', optedIn: 4, changing: 2 },
    optInAll: null,
  })

/** The program has confirmed them. */
export const optedIn = (say: Say): BasketOffers =>
  ofMember(say, {
    offers: [
      waiting(say, 2, 90, { standing: 'earned', optIn: 'done' }),
      waiting(say, 4, 60, { standing: 'earned', optIn: 'done' }),
      earned(say),
      nearly(say),
    ],
    member: { state: 'ready', optedIn: 6, changing: 0 },
    optInAll: null,
  })

/** One of them was not taken. */
export const refusedOne = (say: Say): BasketOffers =>
  ofMember(say, {
    offers: [
      waiting(say, 2, 90, { refused: 'exclusive', refusedReference: '7d0c4b1e-5f0a-4a51-9c5f-2f0d7c0e9a11' }),
      earned(say),
      nearly(say),
    ],
    optInAll: null,
  })
