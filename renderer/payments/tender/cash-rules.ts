const NOTES = [5_00, 10_00, 20_00, 50_00, 100_00] as const
const MAX_SUGGESTIONS = 4

/**
 * Returns likely amounts of cash for an amount due, in cents: the amount rounded up to each note, without the exact
 * amount, ascending. $13.35 gives $15, $20, $50 and $100.
 */
export function suggestedCash(cashDueCents: number): number[] {
  const suggestions = new Set<number>()
  for (const note of NOTES) {
    const up = Math.ceil(cashDueCents / note) * note
    if (up > cashDueCents) suggestions.add(up)
  }
  return [...suggestions].sort((a, b) => a - b).slice(0, MAX_SUGGESTIONS)
}

/** Amount due of a sale, and its cash-rounded amount; in cents. */
export interface Due {
  readonly dueCents: number
  readonly cashDueCents: number
}

/**
 * Returns the amount due after a cash payment, as on the next screen. Cash that reaches the rounded amount completes
 * the sale. A smaller payment rounds nothing, because only the last cash payment is rounded.
 */
export function afterCash(
  { dueCents, cashDueCents }: Due,
  receivedCents: number,
): Due & { readonly changeCents: number } {
  if (receivedCents >= cashDueCents) return { changeCents: receivedCents - cashDueCents, dueCents: 0, cashDueCents: 0 }
  return { changeCents: 0, dueCents: dueCents - receivedCents, cashDueCents: cashDueCents - receivedCents }
}
