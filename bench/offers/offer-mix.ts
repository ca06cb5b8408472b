import { itemAt } from '../checkout/items.ts'

/** Id of the store’s partner. The reference services have only the benchmark’s offers for this partner. */
export const PARTNER_ID = 'be9c0000-0000-4000-8000-000000000001'
/** Collector numbers, one for each lane: parallel calls of one collector are an error (specification 3 §4.2 rule 5). */
export const COLLECTORS = ['89000000001', '89000000002'] as const

const DAY_MS = 86_400_000
const DEPARTMENTS = 12
const CATEGORIES = 60
const PROMOTIONS = 10
const OFFER_CATEGORIES = 20
const MATCHES = 200
/** Number of basket lines whose SKUs occur in the matches of offers to items. */
const LINES_NAMED = 150
/** Reward mechanisms of ten offers, as frequent as in the training data. */
const MECHANISMS = [
  'noAction',
  'noAction',
  'optIn',
  'noAction',
  'couponCode',
  'noAction',
  'optIn',
  'noAction',
  'couponCode',
  'button',
] as const

const uuid = (kind: string, index: number): string => `${kind}-0000-4000-8000-${String(index).padStart(12, '0')}`
const offerId = (index: number): string => uuid('0ffe4000', index)
const promotionId = (index: number): string => uuid('94000000', index)
const categoryId = (index: number): string => uuid('ca7e0000', index)

/** Returns the department and category of an item, so that every offer and match covers a part of each basket. */
export const placeOf = (index: number): { readonly department: string; readonly category: string } => ({
  department: `d${index % DEPARTMENTS}`,
  category: `c${index % CATEGORIES}`,
})

/**
 * Generates offers in the import format of the reference services. Their dates are around `nowMs`: some begin later,
 * some end soon.
 */
export const offersToImport = (count: number, nowMs: number): object[] =>
  Array.from({ length: count }, (_, index) => offerToImport(index, nowMs))

function offerToImport(index: number, nowMs: number): object {
  const type = index % 5 < 3 ? 'spend' : 'buy'
  const mechanism = MECHANISMS[index % MECHANISMS.length] ?? 'noAction'
  const tiers = tiersOf(index, type)
  const startDate = dateAt(nowMs + (index % 15 === 14 ? 2 : -5) * DAY_MS)
  return {
    id: offerId(index),
    partnerId: PARTNER_ID,
    partnerLabel: 'Northstar Bench',
    partnerSlug: 'northstar-bench',
    categoryId: categoryId(index % OFFER_CATEGORIES),
    promotionId: index % 3 === 0 ? promotionId(index % PROMOTIONS) : null,
    type,
    programType: index % 20 === 19 ? 'cardlinked' : 'traditionalcore',
    availability: ['in-store'],
    regions: ['ON'],
    displayDate: dateAt(nowMs - 5 * DAY_MS),
    startDate,
    endDate: dateAt(nowMs + (index % 10 === 3 ? 2.5 : 30) * DAY_MS),
    displayPriority: 1 + (index % 50),
    tiers,
    mechanism: { type: mechanism, value: mechanism === 'couponCode' ? `BENCH${index}` : null },
    copy: { 'en-US': copyOf(index, type, tiers, false), 'fr-CA': copyOf(index, type, tiers, true) },
  }
}

interface Tier {
  readonly awardValue: number
  readonly qualifierValue: number
}

/**
 * Generates one, two or three tiers, in dollars or pieces that a basket of a hundred lines reaches, nearly reaches or
 * misses.
 */
function tiersOf(index: number, type: 'buy' | 'spend'): Tier[] {
  const first = type === 'spend' ? 20 + (index % 40) * 25 : 1 + (index % 12)
  return Array.from({ length: [3, 2, 1, 1][index % 4] ?? 1 }, (_, tier) => ({
    awardValue: (10 + (index % 30) * 5) * (tier + 1),
    qualifierValue: first * (tier + 1),
  }))
}

function copyOf(index: number, type: 'buy' | 'spend', tiers: readonly Tier[], french: boolean): object {
  const award = ({ awardValue }: Tier): string => (french ? `Obtenez ${awardValue} milles` : `Get ${awardValue} miles`)
  const qualifier = ({ qualifierValue }: Tier): string => {
    if (type === 'spend') return french ? `à l’achat de ${qualifierValue} $` : `when you spend $${qualifierValue}`
    return french ? `à l’achat de ${qualifierValue} articles` : `when you buy ${qualifierValue} items`
  }
  const words = tiers.map((tier) => ({ awardLong: award(tier), qualifierLong: qualifier(tier) }))
  const sentence = french
    ? `Offre numéro ${index} sur les articles choisis, en magasin, une fois par compte. `
    : `Offer number ${index} on selected items, in the store, once for each account. `
  return {
    awardShort: words[0]?.awardLong ?? '',
    qualifierShort: words[0]?.qualifierLong ?? '',
    description: sentence,
    legalText: sentence.repeat(5),
    categoryLabel: french ? 'Épicerie' : 'Grocery',
    tiers: words,
  }
}

/** Formats a local date-time of the store without its time zone (specification 1 §2.2). */
const dateAt = (ms: number): string =>
  new Date(ms).toLocaleString('sv-SE', { timeZone: 'America/Toronto' }).replace(' ', 'T')

/** Returns the profile’s matches of offers to items: by category, by promotion, and by offer. */
export function matchesOfProfile(offers: number): object[] {
  const ids = [
    // Offers of the other half of the categories are matched by their id, by promotion, or not at all.
    ...Array.from({ length: OFFER_CATEGORIES / 2 }, (_, index) => categoryId(index)),
    ...Array.from({ length: PROMOTIONS }, (_, index) => promotionId(index)),
    ...Array.from({ length: offers }, (_, index) => index)
      .filter((index) => index % 3 !== 2)
      .map(offerId),
  ]
  return ids.slice(0, MATCHES).map((id, index) => ({ id, ...countedBy(index) }))
}

function countedBy(index: number): object {
  switch (index % 3) {
    case 0:
      return { departments: [`d${index % DEPARTMENTS}`, `d${(index + 5) % DEPARTMENTS}`] }
    case 1:
      return { categories: Array.from({ length: 4 }, (_, at) => `c${(index + at * 7) % CATEGORIES}`) }
    default:
      return {
        skus: Array.from({ length: 20 }, (_, at) => itemAt(basketItem((index * 3 + at * 11) % LINES_NAMED)).sku),
      }
  }
}

/** Returns the index of a basket line’s item. Over the lines, all departments and categories occur. */
export const basketItem = (line: number): number => line * 7

/** Minimum catalog size for the matches and for a basket of this number of lines. */
export const itemsFor = (lines: number): number => basketItem(Math.max(lines, LINES_NAMED))

export const statesOfMember = (offers: number): [string, { optedIn: boolean; saved: boolean }][] =>
  Array.from({ length: Math.floor(offers / 3) }, (_, index) => [
    offerId(index * 3),
    { optedIn: index % 2 === 0, saved: index % 3 === 0 },
  ])
