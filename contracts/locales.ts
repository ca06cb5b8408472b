import { z } from 'zod'
import { LOCALES } from './names.ts'

export const Locale = z.enum(LOCALES)
export type Locale = z.infer<typeof Locale>

/** What the program itself says to a person at the lane, in every language that it speaks. */
export const Bilingual = z.object({ 'en-CA': z.string(), 'fr-CA': z.string() }) satisfies z.ZodType<
  Record<Locale, string>
>
export type Bilingual = z.infer<typeof Bilingual>

/**
 * The names of one thing, an item or an offer, in the languages that it has one in: whoever names it may know one
 * alone.
 */
export const Names = z.partialRecord(Locale, z.string())
export type Names = z.infer<typeof Names>

/** A text in every language, each as `say` says it. */
export const inEveryLocale = (say: (locale: Locale) => string): Bilingual =>
  Bilingual.parse(Object.fromEntries(Locale.options.map((locale) => [locale, say(locale)])))
