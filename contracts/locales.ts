import { z } from 'zod'

export const Locale = z.enum(['en-CA', 'fr-CA'])
export type Locale = z.infer<typeof Locale>

/** A text that people of both languages meet: item names, offer copy from the catalog. */
export const Bilingual = z.object({ 'en-CA': z.string(), 'fr-CA': z.string() })
export type Bilingual = z.infer<typeof Bilingual>
