import { Charge } from '../catalog/charges.ts'
import { cents } from './money.ts'
import type { Region } from './regions.ts'

const deposit = (
  id: string,
  english: string,
  french: string,
  each: number,
  more: { readonly back?: number; readonly changes?: readonly (readonly [from: string, each: number])[] } = {},
): Charge => ({
  id,
  kind: 'deposit',
  names: Charge.shape.names.parse({ 'en-CA': english, 'fr-CA': french }),
  cents: cents(each),
  ...(more.back === undefined ? {} : { refundCents: cents(more.back) }),
  changes: (more.changes ?? []).map(([from, amount]) => ({ from, cents: cents(amount) })),
})

/** Alberta Depot (ABCRC), Container types and refunds: 10 ¢ up to 1 L, 25 ¢ above; Beverage Container Recycling Reg. */
const ALBERTA = [
  deposit('ab-small', 'Deposit up to 1 L', 'Consigne jusqu’à 1 L', 10),
  deposit('ab-large', 'Deposit over 1 L', 'Consigne plus de 1 L', 25),
]
/** BC Recycling Regulation (B.C. Reg. 449/2004): 10 ¢ for every size since October 2020, milk since February 2022. */
const BRITISH_COLUMBIA = [deposit('bc-drink', 'Deposit', 'Consigne', 10)]
/** SARCAN, Deposit beverage containers. */
const SASKATCHEWAN = [
  deposit('sk-can', 'Deposit can', 'Consigne canette', 10),
  deposit('sk-carton', 'Deposit carton', 'Consigne carton', 5),
  deposit('sk-plastic-small', 'Deposit plastic under 1 L', 'Consigne plastique moins de 1 L', 10),
  deposit('sk-plastic-large', 'Deposit plastic 1 L or more', 'Consigne plastique 1 L ou plus', 25),
  deposit('sk-glass-small', 'Deposit glass up to 300 mL', 'Consigne verre jusqu’à 300 mL', 10),
  deposit('sk-glass-medium', 'Deposit glass 301–999 mL', 'Consigne verre 301 à 999 mL', 20),
  deposit('sk-glass-large', 'Deposit glass 1 L or more', 'Consigne verre 1 L ou plus', 40),
  deposit('sk-beer-refillable', 'Deposit refillable beer', 'Consigne bière réutilisable', 5),
]
/** Manitoba Liquor Marts, Container deposits: beer only, 10 ¢ under 2 L and 20 ¢ from 2 L. */
const MANITOBA = [
  deposit('mb-beer-small', 'Deposit beer under 2 L', 'Consigne bière moins de 2 L', 10),
  deposit('mb-beer-large', 'Deposit beer 2 L or more', 'Consigne bière 2 L ou plus', 20),
]
/** Ontario Deposit Return Program (Bag it Back), O. Reg. 391/18: alcohol in containers of more than 100 mL. */
const ONTARIO = [
  deposit('on-small', 'Deposit up to 630 mL, can to 1 L', 'Consigne jusqu’à 630 mL, canette 1 L', 10),
  deposit('on-large', 'Deposit over 630 mL, can over 1 L', 'Consigne plus de 630 mL, canette 1 L', 20),
]
/**
 * Québec, CQLR c. Q-2, r. 16.1 (Consignaction, FAQ for retailers): water in plastic has a deposit from 1 March 2025,
 * wine glass and cartons from 1 March 2027; the others had one before.
 */
const QUEBEC = [
  deposit('qc-plastic-metal', 'Deposit plastic, metal', 'Consigne plastique, métal', 10),
  deposit('qc-water', 'Deposit plastic water', 'Consigne eau, plastique', 0, { changes: [['2025-03-01', 10]] }),
  deposit('qc-glass-small', 'Deposit glass under 500 mL', 'Consigne verre moins de 500 mL', 10),
  deposit('qc-glass-large', 'Deposit glass 500 mL to 2 L', 'Consigne verre 500 mL à 2 L', 25),
  deposit('qc-wine-glass', 'Deposit wine glass', 'Consigne verre, vin', 0, { changes: [['2027-03-01', 25]] }),
  deposit('qc-carton', 'Deposit carton', 'Consigne carton', 0, { changes: [['2027-03-01', 10]] }),
]
/** New Brunswick, Beverage Containers Act, General Regulation 99-66: half is paid back. */
const NEW_BRUNSWICK = [
  deposit('nb-small', 'Deposit up to 500 mL', 'Consigne jusqu’à 500 mL', 10, { back: 5 }),
  deposit('nb-drink', 'Deposit over 500 mL', 'Consigne plus de 500 mL', 10, { back: 5 }),
  deposit('nb-liquor-large', 'Deposit liquor over 500 mL', 'Consigne alcool plus de 500 mL', 20, { back: 10 }),
]
/** Nova Scotia, Beverage Container Program (Divert NS): half is paid back; liquor over 500 mL 20 ¢. */
const NOVA_SCOTIA = [
  deposit('ns-drink', 'Deposit', 'Consigne', 10, { back: 5 }),
  deposit('ns-liquor-large', 'Deposit liquor over 500 mL', 'Consigne alcool plus de 500 mL', 20, { back: 10 }),
]
/** Prince Edward Island, Beverage Containers Act: half is paid back. */
const PRINCE_EDWARD_ISLAND = [
  deposit('pe-drink', 'Deposit', 'Consigne', 10, { back: 5 }),
  deposit('pe-liquor-large', 'Deposit liquor over 500 mL', 'Consigne alcool plus de 500 mL', 20, { back: 10 }),
]
/** Newfoundland and Labrador, MMSB, Retailers. */
const NEWFOUNDLAND = [
  deposit('nl-drink', 'Deposit', 'Consigne', 8, { back: 5 }),
  deposit('nl-liquor', 'Deposit liquor', 'Consigne alcool', 20, { back: 10 }),
]

/**
 * Deposits of the regions. The amounts of fees change every year and differ by program, so the profile or a manager
 * adds them. An id names its region: an item of a chain can list the deposits of several regions, of which only those
 * of the store's region apply.
 */
export const REGION_DEPOSITS: Readonly<Record<Region, readonly Charge[]>> = {
  BC: BRITISH_COLUMBIA,
  AB: ALBERTA,
  SK: SASKATCHEWAN,
  MB: MANITOBA,
  ON: ONTARIO,
  TB: ONTARIO,
  QC: QUEBEC,
  NB: NEW_BRUNSWICK,
  NS: NOVA_SCOTIA,
  PE: PRINCE_EDWARD_ISLAND,
  NL: NEWFOUNDLAND,
  NT: [],
  NU: [],
  YT: [],
  ZZ: [],
}
