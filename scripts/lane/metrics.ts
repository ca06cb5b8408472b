import path from 'node:path'
import { FIRST_LOCALE, localeNamed } from '../../contracts/i18n/languages.ts'
import { orderMetrics } from '../../launcher/metrics-orders.ts'
import { wordsOf } from '../../launcher/words.ts'
import { readArgs } from '../command-line.ts'

/** `metrics on`, `off`, `status` of a lane; null where the words are none. Throws TerminalRefused. */
export function metricsOfLane(args: readonly string[]): number | null {
  const { values, positionals } = readArgs({
    args: [...args],
    allowPositionals: true,
    options: { data: { type: 'string' }, language: { type: 'string' } },
  })
  const locale = values.language === undefined ? FIRST_LOCALE : localeNamed(values.language)
  if (!values.data || locale === undefined || positionals.length !== 1) return null
  return orderMetrics(path.resolve(values.data), positionals[0], wordsOf(locale))
}
