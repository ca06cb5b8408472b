/** Parses typed dollars, with a point or a comma, to cents; null if invalid. */
export function centsTyped(text: string): number | null {
  const match = /^(\d{1,6})(?:[.,](\d{1,2}))?$/.exec(text.trim().replace(/^\$\s?|\s?\$$/g, ''))
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : null
}

export const typedCents = (cents: number): string => (cents / 100).toFixed(2)
