import { api } from '../api/terminal-api.ts'
import { notify } from './notices.ts'
import { ringing } from '../../sales/sale-commands.ts'

let typed = 0
/** An item scanned now may come from a scanner that types, with its keys before the later presses. */
export const isTypedScanInFlight = (): boolean => typed > 0

/** Sends the text of a scanner that types to the backend, which interprets it like every scan. */
export async function sendTypedScan(text: string | null): Promise<void> {
  if (text === null) return notify('warning', ({ t }) => t('sale.scanUnreadable'))
  typed += 1
  await ringing(() => api.typedLine(text))
  typed -= 1
}
