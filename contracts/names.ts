/** The languages that the program speaks; the first is the one that a name is looked for in first. */
export const LOCALES = ['en-CA', 'fr-CA'] as const

/** The name in this language, else in the first that has one; empty where none has. */
export function nameIn(
  names: Readonly<Partial<Record<(typeof LOCALES)[number], string | undefined>>>,
  locale: (typeof LOCALES)[number],
): string {
  const first = LOCALES.find((other) => names[other] !== undefined)
  return names[locale] ?? (first && names[first]) ?? ''
}
