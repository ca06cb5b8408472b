import { z } from 'zod'
import { LANGUAGES, LOCALES, perLocale } from '../i18n/languages.ts'

export const Locale = z.enum(LOCALES)
export type Locale = z.infer<typeof Locale>

/** What the program itself says to a person at the lane, in every language that it speaks. */
export const Localized = z.object(perLocale(() => z.string()))
export type Localized = z.infer<typeof Localized>

/**
 * The names of one thing, an item or an offer, in the languages that it has one in: whoever names it may know one
 * alone.
 */
export const Names = z.partialRecord(Locale, z.string())
export type Names = z.infer<typeof Names>

/** A group of settings with one for each language; some languages may be left out. */
export const eachLocale = <Schema extends z.ZodType>(schema: Schema) =>
  z.strictObject(
    perLocale((locale): Schema | z.ZodOptional<Schema> =>
      LANGUAGES[locale].namesRequired ? schema : schema.optional(),
    ),
  )
