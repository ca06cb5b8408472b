import { z } from 'zod'
import { LANGUAGES, LOCALES, perLocale } from '../i18n/languages.ts'

export const Locale = z.enum(LOCALES)
export type Locale = z.infer<typeof Locale>

export const Localized = z.object(perLocale(() => z.string()))
export type Localized = z.infer<typeof Localized>

/** Names of an item or an offer by language; languages may be missing. */
export const Names = z.partialRecord(Locale, z.string())
export type Names = z.infer<typeof Names>

/** Builds the schema of settings with one group per language; languages without `namesRequired` may be left out. */
export const eachLocale = <Schema extends z.ZodType>(schema: Schema) =>
  z.strictObject(
    perLocale((locale): Schema | z.ZodOptional<Schema> =>
      LANGUAGES[locale].namesRequired ? schema : schema.optional(),
    ),
  )
