import { Region } from '../../../contracts/core/regions.ts'
import { localDateTime } from '../clock.ts'
import type { OfferCopy, OfferLanguage, StoredOffer } from '../offers/offers.sql.ts'
import { PROGRAM_TIME_ZONE } from '../program.ts'
import {
  SEED_CATEGORIES,
  SEED_OFFER_PARTNERS,
  SEED_PROMOTIONS,
  type SeedOfferPartner,
  type SeedProduct,
  type SeedText,
} from './offer-partners.ts'

const DAY_MS = 86_400_000
const SHOWN = 240
const ENDED = 12
const COMING = 12
const TARGETED = 24
const CHOSEN = ['80000000011', '80000000077']

type Timing = 'live' | 'ended' | 'coming'

/**
 * Generates offers. Their ids and texts depend only on the seed; dates are relative to `now`, so that a data folder
 * stays current.
 */
export function makeOffers(seed: number, now: number): StoredOffer[] {
  const random = createRandom(seed)
  const ids = {
    partners: SEED_OFFER_PARTNERS.map(() => random.uuid()),
    categories: SEED_CATEGORIES.map((category) => ({
      id: random.uuid(),
      subs: category.subs.map(() => random.uuid()),
    })),
    promotions: SEED_PROMOTIONS.map(() => random.uuid()),
  }
  const plan: { timing: Timing; mass: boolean }[] = [
    ...Array.from({ length: SHOWN }, () => ({ timing: 'live' as const, mass: true })),
    ...Array.from({ length: TARGETED }, () => ({ timing: 'live' as const, mass: false })),
    ...Array.from({ length: ENDED }, () => ({ timing: 'ended' as const, mass: true })),
    ...Array.from({ length: COMING }, () => ({ timing: 'coming' as const, mass: true })),
  ]
  return [
    ...plan.map(({ timing, mass }, index) => makeOffer(random, ids, index, timing, mass, now)),
    optInOffer(ids, now),
  ]
}

/** An offer of the store's own partner that requires an opt-in, and for which the issuance service gives miles. */
export const OPT_IN_OFFER = {
  id: 'c0ffee00-0000-4000-8000-000000000002',
  sku: '1010',
  pieces: 2,
  miles: 100,
} as const

function optInOffer(ids: Ids, now: number): StoredOffer {
  const [partner] = SEED_OFFER_PARTNERS
  const [partnerId] = ids.partners
  const product = partner?.products.find(({ en }) => en === 'whole bean coffee')
  if (!partner || partnerId === undefined || !product) throw new Error('the seed has a partner who sells coffee')
  const category = ids.categories[partner.category]
  const type = 'buy'
  const tiers = [{ awardValue: OPT_IN_OFFER.miles, qualifierValue: OPT_IN_OFFER.pieces }]
  const facts = { partner, product, type, tiers, promotionIndex: null, mechanism: 'optIn' } as const
  const startDate = dateOf(now, -7, '00:00:00')
  return {
    id: OPT_IN_OFFER.id,
    partnerId,
    partnerLabel: partner.name,
    partnerSlug: partner.slug,
    partnerPriority: 1,
    categoryId: category?.id ?? partnerId,
    subCategoryId: product.sub === null ? null : (category?.subs[product.sub] ?? null),
    promotionId: null,
    type,
    programType: 'traditionalcore',
    cardTypes: [],
    availability: ['in-store'],
    regions: [...Region.options],
    popularity: Object.fromEntries(Region.options.map((region) => [region, 500])),
    displayDate: startDate,
    startDate,
    endDate: dateOf(now, 30, '23:59:59'),
    massOffer: true,
    eligible: [],
    experiment: null,
    eventBasedOffer: false,
    displayPriority: 25,
    tiers,
    mechanism: { type: 'optIn', value: null },
    copy: { 'en-US': copyOf(facts, 'en-US'), 'fr-CA': copyOf(facts, 'fr-CA') },
  }
}

const dateOf = (now: number, day: number, time: string): string =>
  `${localDateTime(now + day * DAY_MS, PROGRAM_TIME_ZONE).slice(0, 10)}T${time}`

interface Ids {
  readonly partners: readonly string[]
  readonly categories: readonly { readonly id: string; readonly subs: readonly string[] }[]
  readonly promotions: readonly string[]
}

function makeOffer(
  random: Random,
  ids: Ids,
  index: number,
  timing: Timing,
  massOffer: boolean,
  now: number,
): StoredOffer {
  const partnerIndex = index % SEED_OFFER_PARTNERS.length
  const partner = SEED_OFFER_PARTNERS[partnerIndex] as SeedOfferPartner
  const product = random.pick(partner.products)
  const type = random.pick(['buy', 'spend'])
  const promotionIndex = random.below(4) === 0 ? random.below(SEED_PROMOTIONS.length) : null
  const mechanism = random.pick(['noAction', 'noAction', 'optIn', 'button', 'couponCode'])
  const first = {
    awardValue: 5 * (1 + random.below(10)),
    qualifierValue: type === 'buy' ? 1 + random.below(3) : 10 * (2 + random.below(9)),
  }
  const tiers =
    random.below(4) === 0
      ? [first, { awardValue: first.awardValue * 3, qualifierValue: first.qualifierValue * 2 }]
      : [first]
  const couponCode = mechanism === 'couponCode' ? `MILE${1000 + random.below(9000)}` : null
  const id = random.uuid()
  const { start, end } = daysOf(timing, random)
  const startDate = dateOf(now, start, '00:00:00')
  const copyFor = (language: OfferLanguage): OfferCopy =>
    copyOf({ partner, product, type, tiers, promotionIndex, mechanism }, language)
  const category = ids.categories[partner.category]
  const programType = partner.online
    ? random.pick(['traditionalcore', 'traditionalcore', 'cardlinked', 'loyaltyshops', 'bankpreapp'])
    : 'traditionalcore'
  return {
    id,
    partnerId: ids.partners[partnerIndex] ?? id,
    partnerLabel: partner.name,
    partnerSlug: partner.slug,
    partnerPriority: partnerIndex + 1,
    categoryId: category?.id ?? id,
    subCategoryId: product.sub === null ? null : (category?.subs[product.sub] ?? null),
    promotionId: promotionIndex === null ? null : (ids.promotions[promotionIndex] ?? null),
    type,
    programType,
    cardTypes:
      programType === 'cardlinked'
        ? random.pick([['credit'], ['credit', 'debit'], ['debit'], ['prepaid']] as const)
        : [],
    availability: partner.online
      ? random.pick([['online'], ['in-store'], ['online', 'in-store']] as const)
      : ['in-store'],
    regions: regionsOf(random),
    popularity: Object.fromEntries(Region.options.map((region) => [region, random.below(1_000)])),
    displayDate: startDate,
    startDate,
    endDate: dateOf(now, end, '23:59:59'),
    massOffer,
    eligible: massOffer ? [] : CHOSEN,
    experiment: random.below(6) === 0 ? random.pick(['A', 'B']) : null,
    eventBasedOffer: random.below(8) === 0,
    displayPriority: 1 + random.below(50),
    tiers,
    mechanism: {
      type: mechanism,
      value: couponCode ?? (mechanism === 'button' ? `https://www.miles.example/go/${id}` : null),
    },
    copy: { 'en-US': copyFor('en-US'), 'fr-CA': copyFor('fr-CA') },
  }
}

function daysOf(timing: Timing, random: Random): { start: number; end: number } {
  const length = 7 + random.below(60)
  switch (timing) {
    case 'live':
      return { start: -random.below(21) - 1, end: length }
    case 'ended':
      return { start: -length - 10, end: -2 }
    case 'coming':
      return { start: 3, end: 3 + length }
  }
}

function regionsOf(random: Random): Region[] {
  if (random.below(2) === 0) return [...Region.options]
  const wanted = new Set<Region>()
  const count = 2 + random.below(5)
  while (wanted.size < count) wanted.add(Region.options[random.below(Region.options.length)] ?? 'ON')
  return Region.options.filter((region) => wanted.has(region))
}

interface CopyFacts {
  readonly partner: SeedOfferPartner
  readonly product: SeedProduct
  readonly type: 'buy' | 'spend'
  readonly mechanism: string
  readonly tiers: readonly { readonly awardValue: number; readonly qualifierValue: number }[]
  readonly promotionIndex: number | null
}

function copyOf(
  { partner, product, type, mechanism, tiers, promotionIndex }: CopyFacts,
  language: OfferLanguage,
): OfferCopy {
  const english = language === 'en-US'
  const textOf = (text: SeedText | undefined): string => (english ? text?.en : text?.fr) ?? ''
  const what = english ? product.en : product.fr
  const award = (miles: number): string => (english ? `${miles} bonus miles` : `${miles} milles en prime`)
  const qualifier = (value: number): string => {
    if (type === 'spend')
      return english ? `Spend $${value} or more on ${what}` : `Dépensez ${value} $ ou plus : ${what}`
    return english
      ? `Buy ${what}${value > 1 ? ` ${value} times` : ''}`
      : `Achetez${value > 1 ? ` ${value} fois` : ''} : ${what}`
  }
  const [first] = tiers
  const category = SEED_CATEGORIES[partner.category]
  const sub = product.sub === null ? undefined : category?.subs[product.sub]
  return {
    awardShort: award(first?.awardValue ?? 0),
    qualifierShort: qualifier(first?.qualifierValue ?? 0),
    description: english
      ? `Earn ${award(first?.awardValue ?? 0)} at ${partner.name} when you choose ${what}.`
      : `Obtenez ${award(first?.awardValue ?? 0)} chez ${partner.name} à l’achat choisi : ${what}.`,
    legalText: english
      ? `Offer valid at participating ${partner.name} locations.\nCannot be combined with other offers. Limit of ` +
        'one per collector per day.'
      : `Offre valable dans les établissements ${partner.name} participants.\nNe peut être jumelée à une autre ` +
        'offre. Limite d’une par adhérent par jour.',
    categoryLabel: textOf(category?.label),
    subCategoryLabel: sub ? textOf(sub) : null,
    promotionLabel: promotionIndex === null ? null : textOf(SEED_PROMOTIONS[promotionIndex]),
    mechanismLabel:
      mechanism === 'button'
        ? english
          ? 'Shop now'
          : 'Magasiner'
        : mechanism === 'couponCode'
          ? english
            ? 'Coupon code'
            : 'Code de bon'
          : mechanism === 'optIn'
            ? english
              ? 'Opt in'
              : 'S’inscrire'
            : null,
    ctaLabel: mechanism === 'button' ? (english ? 'Shop now' : 'Magasiner') : null,
    tiers: tiers.map((tier) => ({ awardLong: award(tier.awardValue), qualifierLong: qualifier(tier.qualifierValue) })),
  }
}

/** A seeded random generator (mulberry32), which gives identical data on every machine. */
export interface Random {
  below(limit: number): number
  pick<const Choices extends readonly [unknown, ...unknown[]]>(choices: Choices): Choices[number]
  uuid(): string
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    pick: (choices) => choices[below(choices.length)] ?? choices[0],
    uuid() {
      const hex = Array.from({ length: 32 }, () => below(16).toString(16))
      hex[12] = '4'
      hex[16] = (8 + below(4)).toString(16)
      const text = hex.join('')
      return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`
    },
  }
}
