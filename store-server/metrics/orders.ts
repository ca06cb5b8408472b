import { statSync } from 'node:fs'
import { FIRST_LOCALE } from '../../contracts/i18n/languages.ts'
import type { Locale } from '../../contracts/locales.ts'
import { forgetScrapeToken, isScraped, makeScrapeToken } from '../../delivery/scrape-token.ts'
import { refused, translatorOf } from '../words.ts'

export const METRICS_ACTIONS = ['on', 'off', 'status'] as const
export type MetricsAction = (typeof METRICS_ACTIONS)[number]

/**
 * Lets somebody scrape the server, or nobody; a running one goes by it at once. The token is told once, alone on
 * standard output. Throws in words where there is no such folder, or it is another user's: what stands in it is then
 * not known, and what is made in it the server itself may not read, and would go on without a token.
 */
export function orderMetrics(
  { data, action }: { readonly data: string; readonly action: MetricsAction },
  locale: Locale = FIRST_LOCALE,
): void {
  needOwn(data)
  const say = translatorOf(locale)
  const was = isScraped(data)
  switch (action) {
    case 'on':
      process.stdout.write(`${makeScrapeToken(data)}\n`)
      process.stderr.write(`${was ? `${say('metrics.made')} ${say('metrics.replaced')}` : say('metrics.made')}\n`)
      return
    case 'off':
      forgetScrapeToken(data)
      process.stdout.write(`${say('metrics.ended')}\n`)
      return
    case 'status':
      process.stdout.write(`${say(was ? 'metrics.isOn' : 'metrics.isOff')}\n`)
  }
}

function needOwn(folder: string): void {
  if (process.getuid && ownerOf(folder) !== process.getuid())
    throw refused(['folderOfOther', 'folderOfOtherDo'], { folder })
}

function ownerOf(folder: string): number {
  try {
    return statSync(folder).uid
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    // The one around it is closed.
    if (code === 'EACCES') throw refused(['mayNotRead', 'folderOfOtherDo'], { file: folder }, { cause: error })
    throw code === 'ENOENT' || code === 'ENOTDIR' ? refused('metricsFolder', { folder }, { cause: error }) : error
  }
}
