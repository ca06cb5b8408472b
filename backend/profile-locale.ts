import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import type { Locale } from '../contracts/locales.ts'
import { localeIn } from '../contracts/profile-locale.ts'

/** The language of a store whose profile may be broken; null where the file does not say it, or is none. */
export function profileLocale(file: string): Locale | null {
  try {
    return localeIn(parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}
