import type { Region } from '../../../contracts/core/regions.ts'
import type { EarningRule } from '../issuance/earning.ts'
import { OPT_IN_OFFER } from './offers.ts'
import type { SwitchAnswer } from '../program.ts'

export interface SeedSponsor {
  readonly code: string
  readonly nameEn: string
  readonly nameFr: string
  readonly state: 'active' | 'expired'
  readonly locationRequired: boolean
  readonly switchAnswer?: SwitchAnswer
}

/** Sponsors of the seed data. The switch answers every cash call of the last three, for tests. */
export const SEED_SPONSORS: readonly SeedSponsor[] = [
  { code: 'NRTH', nameEn: 'Northstar Markets', nameFr: 'Marchés Northstar', state: 'active', locationRequired: true },
  { code: 'RIVR', nameEn: 'Riverbend Fuels', nameFr: 'Carburants Riverbend', state: 'active', locationRequired: false },
  {
    code: 'OLDE',
    nameEn: 'Olde Mill Hardware',
    nameFr: 'Quincaillerie Vieux-Moulin',
    state: 'expired',
    locationRequired: false,
  },
  {
    code: 'SLOW',
    nameEn: 'Slow Switch Tests',
    nameFr: 'Essais de lenteur',
    state: 'active',
    locationRequired: false,
    switchAnswer: '0008',
  },
  {
    code: 'DOWN',
    nameEn: 'Scheduled Outage Tests',
    nameFr: 'Essais de panne prévue',
    state: 'active',
    locationRequired: false,
    switchAnswer: '0092',
  },
  {
    code: 'FAIL',
    nameEn: 'Server Error Tests',
    nameFr: 'Essais d’erreur',
    state: 'active',
    locationRequired: false,
    switchAnswer: '0096',
  },
]

export interface SeedLocation {
  readonly code: string
  readonly storeId: string | null
  readonly region: Region
  readonly timeZone: string
  readonly city: string
  readonly active: boolean
}

/** Northstar's stores: one per region, among them the training store and the example store, and a closed one. */
export const SEED_LOCATIONS: readonly SeedLocation[] = [
  { code: 'N101', storeId: 'TRAIN-001', region: 'ON', timeZone: 'America/Toronto', city: 'Toronto', active: true },
  { code: 'Q417', storeId: '4417', region: 'QC', timeZone: 'America/Toronto', city: 'Montréal', active: true },
  { code: 'B201', storeId: null, region: 'BC', timeZone: 'America/Vancouver', city: 'Vancouver', active: true },
  { code: 'A301', storeId: null, region: 'AB', timeZone: 'America/Edmonton', city: 'Calgary', active: true },
  { code: 'S351', storeId: null, region: 'SK', timeZone: 'America/Regina', city: 'Regina', active: true },
  { code: 'M381', storeId: null, region: 'MB', timeZone: 'America/Winnipeg', city: 'Winnipeg', active: true },
  { code: 'T151', storeId: null, region: 'TB', timeZone: 'America/Toronto', city: 'Thunder Bay', active: true },
  { code: 'K501', storeId: null, region: 'NB', timeZone: 'America/Moncton', city: 'Moncton', active: true },
  { code: 'H551', storeId: null, region: 'NS', timeZone: 'America/Halifax', city: 'Halifax', active: true },
  { code: 'P571', storeId: null, region: 'PE', timeZone: 'America/Halifax', city: 'Charlottetown', active: true },
  { code: 'L601', storeId: null, region: 'NL', timeZone: 'America/St_Johns', city: "St. John's", active: true },
  { code: 'W701', storeId: null, region: 'NT', timeZone: 'America/Yellowknife', city: 'Yellowknife', active: true },
  { code: 'U751', storeId: null, region: 'NU', timeZone: 'America/Iqaluit', city: 'Iqaluit', active: true },
  { code: 'Y801', storeId: null, region: 'YT', timeZone: 'America/Whitehorse', city: 'Whitehorse', active: true },
  { code: 'Z999', storeId: null, region: 'ZZ', timeZone: 'America/Toronto', city: 'Automated tests', active: true },
  { code: 'X900', storeId: null, region: 'ON', timeZone: 'America/Toronto', city: 'Hamilton (closed)', active: false },
]

export interface SeedIssuanceOffer {
  readonly code: string
  readonly offerId: string
  readonly descriptionEn: string
  readonly descriptionFr: string
  readonly rule: EarningRule
  readonly expired?: true
  /** Partner-calculated miles must be multiples of this number. */
  readonly unitMiles?: number
  readonly maxMiles?: number
}

/** Northstar's issuance offers. SKUs and departments are those of the catalogs in `stores/`. */
export const SEED_ISSUANCE_OFFERS: readonly SeedIssuanceOffer[] = [
  {
    code: 'NRBASE',
    offerId: 'NRBASE',
    descriptionEn: '1 mile for every $5',
    descriptionFr: '1 mille par tranche de 5 $',
    rule: { kind: 'base', miles: 1, perCents: 500 },
  },
  {
    code: 'NRCOFFEE',
    offerId: 'COFFEE-5',
    descriptionEn: '5 bonus miles on coffee beans',
    descriptionFr: '5 milles en prime sur le café en grains',
    rule: { kind: 'item', sku: '1010', miles: 5 },
  },
  {
    code: 'NROPTIN',
    offerId: 'COFFEE-100',
    descriptionEn: '100 bonus miles on two bags of coffee, once opted in',
    descriptionFr: '100 milles en prime sur deux sacs de café, après inscription',
    rule: {
      kind: 'opt-in',
      optIn: OPT_IN_OFFER.id,
      sku: OPT_IN_OFFER.sku,
      pieces: OPT_IN_OFFER.pieces,
      miles: OPT_IN_OFFER.miles,
    },
  },
  {
    code: 'NRMAPLE',
    offerId: 'MAPLE-3',
    descriptionEn: '3 bonus miles on maple syrup',
    descriptionFr: '3 milles en prime sur le sirop d’érable',
    rule: { kind: 'item', sku: '1011', miles: 3 },
  },
  {
    code: 'NRHOUSE',
    offerId: 'HOUSE-2',
    descriptionEn: '2 bonus miles for every $10 of household goods',
    descriptionFr: '2 milles en prime par 10 $ d’articles ménagers',
    rule: { kind: 'department', departmentId: 'household', miles: 2, perCents: 1_000 },
  },
  {
    code: 'NRORGANIC',
    offerId: 'ORGANIC-1',
    descriptionEn: '1 bonus mile for every $5 of organic products',
    descriptionFr: '1 mille en prime par 5 $ de produits biologiques',
    rule: { kind: 'category', categoryId: 'organic', miles: 1, perCents: 500 },
  },
  {
    code: 'NRBONUS10',
    offerId: 'BONUS10',
    descriptionEn: '10 bonus miles with the coupon',
    descriptionFr: '10 milles en prime avec le bon',
    rule: { kind: 'coupon', coupon: 'BONUS10', miles: 10, minimumCents: 2_000 },
  },
  {
    code: 'NRENDED',
    offerId: 'ENDED',
    descriptionEn: 'An offer that has ended',
    descriptionFr: 'Une offre terminée',
    rule: { kind: 'base', miles: 1, perCents: 100 },
    expired: true,
  },
  {
    code: 'NRUNIT25',
    offerId: 'UNIT-25',
    descriptionEn: 'Partner bonus in steps of 25 miles',
    descriptionFr: 'Prime du partenaire par tranche de 25 milles',
    rule: { kind: 'partner' },
    unitMiles: 25,
  },
  {
    code: 'NRVAR500',
    offerId: 'VAR-500',
    descriptionEn: 'Partner bonus of up to 500 miles',
    descriptionFr: 'Prime du partenaire jusqu’à 500 milles',
    rule: { kind: 'partner' },
    maxMiles: 500,
  },
]
