import { api } from '../api/terminal-api.ts'
import { notify } from './notices.ts'
import { ringing } from '../../sales/sale-commands.ts'

let typed = 0
/**
 * Whether a scan from a keyboard-wedge scanner is being sent. Keys pressed after such a scan were meant for the sale
 * with the scanned item, so the scan must not invalidate them.
 */
export const isTypedScanInFlight = (): boolean => typed > 0

/** Sends the text from a keyboard-wedge scanner to the backend, which interprets it like every scan. */
export async function sendTypedScan(text: string | null): Promise<void> {
  if (text === null) return notify('warning', ({ t }) => t('sale.scanUnreadable'))
  typed += 1
  await ringing(() => api.typedLine(text))
  typed -= 1
}
