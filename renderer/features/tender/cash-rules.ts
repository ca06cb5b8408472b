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
