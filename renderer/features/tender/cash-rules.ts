/** Canadian notes, in cents. */
const NOTES = [5_00, 10_00, 20_00, 50_00, 100_00] as const
const MOST_SUGGESTED = 4
/** Nobody pays more than this in cash at a lane; a longer number is a slip of the finger. */
export const MOST_CASH_CENTS = 9_999_999

/**
 * What a customer is likely to hand over for an amount due, in cents: the amount rounded up to each note in turn,
 * without the exact amount, the smallest first. 13.35 → 15, 20, 50, 100.
 */
export function suggestedCash(cashDueCents: number): number[] {
  const suggestions = new Set<number>()
  for (const note of NOTES) {
    const up = Math.ceil(cashDueCents / note) * note
    if (up > cashDueCents) suggestions.add(up)
  }
  return [...suggestions].sort((a, b) => a - b).slice(0, MOST_SUGGESTED)
}

/** Digits typed from the right, as on a till: "2", "20", "2000" → 20.00. */
export const typeDigits = (amountCents: number, digits: string): number => {
  const next = Number(`${amountCents}${digits}`)
  return next > MOST_CASH_CENTS ? amountCents : next
}

export const eraseDigit = (amountCents: number): number => Math.floor(amountCents / 10)

/**
 * An amount as a person writes it in either language ("43.35", "43,35 $", "1 200,5") in cents;
 * undefined when it is not one, or finer than a cent.
 */
export function parseMoney(text: string): number | undefined {
  const bare = text.replaceAll(/[\s\u00a0\u202f$]/g, '')
  const match = /^(\d{1,7})(?:[.,](\d{0,2}))?$/.exec(bare)
  if (!match) return undefined
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
}

/** The amount as it stands in a field to be edited: no sign, the language's decimal mark. */
export const editableMoney = (amountCents: number, locale: string): string =>
  `${Math.floor(amountCents / 100)}${locale === 'fr-CA' ? ',' : '.'}${String(amountCents % 100).padStart(2, '0')}`
