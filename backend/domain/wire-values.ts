import { parseDollars, type Cents } from '../../contracts/money.ts'

/**
 * Values of the cash service's answers are "strings unless noted" (specification 3 §2.4). What is not a plain amount
 * is treated as not returned: a limit that was guessed from nonsense would be worse than none.
 */

/** A whole number from 0 to 999 999 999 999, e.g. "950"; undefined for anything else. */
export function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,12}(\.0{1,4})?$/.test(text.trim())) return undefined
  return Number.parseInt(text, 10)
}

/** A dollar amount also as people write one: "$10.00", "10.00 CAD", "40.000". The first group is the figure. */
const WRITTEN_AMOUNT = /^(?:CAD\s*)?\$?\s*(-?\d{1,9}(?:\.\d{1,6})?)\s*(?:CAD)?$/i

/** A dollar amount of 0 or more in whole cents, e.g. "40.00" → 4000; undefined for anything else. */
export function dollarAmount(text: string | undefined): Cents | undefined {
  const figure = text === undefined ? undefined : WRITTEN_AMOUNT.exec(text.trim())?.[1]
  const amount = figure === undefined ? undefined : parseDollars(figure.replace(/(\.\d\d)0+$/, '$1'))
  return amount === undefined || amount < 0 || Object.is(amount, -0) ? undefined : amount
}
