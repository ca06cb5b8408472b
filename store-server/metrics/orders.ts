import { existsSync, statSync } from 'node:fs'
import { forgetScrapeToken, isScraped, makeScrapeToken } from '../../delivery/scrape-token.ts'

export const METRICS_ACTIONS = ['on', 'off', 'status'] as const
export type MetricsAction = (typeof METRICS_ACTIONS)[number]

const MADE = 'This is the token: it is shown this once and kept nowhere.\n'
const REPLACED = `${MADE.trimEnd()} The one before opens nothing any more.\n`

/**
 * Lets somebody scrape the server, or nobody; a running one goes by it at once. The token is told once, alone on
 * standard output. Throws in words where there is no such folder.
 */
export function orderMetrics({ data, action }: { readonly data: string; readonly action: MetricsAction }): void {
  if (!existsSync(data)) throw new Error(`${data} is not there. Name the folder of the server: --data FOLDER`)
  const was = isScraped(data)
  switch (action) {
    case 'on':
      needOwn(data)
      process.stdout.write(`${makeScrapeToken(data)}\n`)
      process.stderr.write(was ? REPLACED : MADE)
      return
    case 'off':
      forgetScrapeToken(data)
      process.stdout.write('Off: nobody reads the metrics, and lanes tell theirs no more.\n')
      return
    case 'status':
      process.stdout.write(was ? 'On: whoever has the token reads the metrics.\n' : 'Off: nobody reads the metrics.\n')
  }
}

/** What another user makes in the folder the server itself may not read, and would go on without a token. */
function needOwn(data: string): void {
  if (process.getuid && statSync(data).uid !== process.getuid())
    throw new Error(`${data} belongs to another user. Run this as the server does: sudo -u USER npm run store -- …`)
}
