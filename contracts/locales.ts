import { z } from 'zod'

export const Locale = z.enum(['en-CA', 'fr-CA'])
export type Locale = z.infer<typeof Locale>

/** A text that people of both languages meet: item names, offer copy from the catalog. */
export const Bilingual = z.object({ 'en-CA': z.string(), 'fr-CA': z.string() })
export type Bilingual = z.infer<typeof Bilingual>

/** A text of somebody who is asked in one language at a time: what is known of it so far. */
export const Translated = z.partialRecord(Locale, z.string())
export type Translated = z.infer<typeof Translated>
