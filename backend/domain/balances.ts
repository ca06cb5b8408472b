import type { CashResponse } from '../../contracts/central/cash.ts'
import { miles, type Miles } from '../../contracts/miles.ts'
import type { Cents } from '../../contracts/money.ts'
import { hidesBalances } from './response-codes.ts'
import { dollarAmount, wholeNumber } from './wire-values.ts'

/**
 * Balances after an INQUIRE or a REDEEM. They go on paper and nowhere else (specification 3 §4.5 rule 4); only what
 * remains available may be shown on a screen.
 */
export interface Balances {
  readonly responseCode: string
  readonly cashMiles?: Miles | undefined
  readonly dreamMiles?: Miles | undefined
  readonly availableCashMiles?: Miles | undefined
  readonly availableCents?: Cents | undefined
}

/**
 * The balances of an answer; null when its code hides them (0001, 0005, a code that is not known) or it carries none.
 */
export function balancesOf(response: CashResponse): Balances | null {
  // mutant: private-balances-kept
  if (hidesBalances(response.responseCode)) return null
  const toMiles = (text: string | undefined): Miles | undefined => {
    const value = wholeNumber(text)
    return value === undefined ? undefined : miles(value)
  }
  const balances: Balances = {
    responseCode: response.responseCode.trim(),
    cashMiles: toMiles(response.cashBalance),
    dreamMiles: toMiles(response.dreamBalance),
    availableCashMiles: toMiles(response.availableCashBalance),
    availableCents: dollarAmount(response.availableDollarAmount),
  }
  return holdsAny(balances) ? balances : null
}

export const holdsAny = (balances: Balances): boolean =>
  [balances.cashMiles, balances.dreamMiles, balances.availableCashMiles, balances.availableCents].some(
    (value) => value !== undefined,
  )
