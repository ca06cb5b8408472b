import { existsSync } from 'node:fs'
import { forgetScrapeToken, isScraped, makeScrapeToken } from '../delivery/scrape-token.ts'
import { TerminalRefused } from '../electron/refused.ts'
import type { Say } from './words.ts'

/**
 * Lets somebody scrape the lane, or nobody; a running terminal goes by it at once. The token is told once, alone on
 * standard output. Answers an exit code, null for another word. Throws TerminalRefused in words.
 */
export function orderMetrics(dataFolder: string, action: string | undefined, say: Say): number | null {
  if (!existsSync(dataFolder)) throw new TerminalRefused(say('metrics.noFolder', { folder: dataFolder }), 2)
  switch (action) {
    case 'on': {
      const replaced = isScraped(dataFolder)
      console.log(makeScrapeToken(dataFolder))
      console.error(say(replaced ? 'metrics.replaced' : 'metrics.on'))
      return 0
    }
    case 'off':
      forgetScrapeToken(dataFolder)
      console.log(say('metrics.off'))
      return 0
    case 'status':
      console.log(say(isScraped(dataFolder) ? 'metrics.isOn' : 'metrics.isOff'))
      return 0
    default:
      return null
  }
}
