/** Canadian notes, in cents. */
const NOTES = [5_00, 10_00, 20_00, 50_00, 100_00] as const
const MOST_SUGGESTED = 4

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

/** What is due of a sale, and what of it coins can make; in cents. */
export interface Due {
  readonly dueCents: number
  readonly cashDueCents: number
}

/**
 * What a sale is after so much more cash, as the next screen will say it. Cash that reaches the rounded due settles the
 * sale; less pays a part of it and rounds nothing: only the last cash rounds.
 */
export function afterCash(
  { dueCents, cashDueCents }: Due,
  receivedCents: number,
): Due & { readonly changeCents: number } {
  if (receivedCents >= cashDueCents) return { changeCents: receivedCents - cashDueCents, dueCents: 0, cashDueCents: 0 }
  return { changeCents: 0, dueCents: dueCents - receivedCents, cashDueCents: cashDueCents - receivedCents }
}
