const LONGEST = 4

/** The number of coins or notes that was typed; null for what is no whole number of at most four digits. */
export function piecesTyped(text: string): string | null {
  const digits = text.trim()
  return /^\d*$/.test(digits) && digits.length <= LONGEST ? digits : null
}
