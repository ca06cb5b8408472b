import { api } from '../api/terminal-api.ts'
import { notify } from './notices.ts'
import { ringing } from '../../sales/sale-commands.ts'

let typed = 0
/** Whether an item scanned now may come from a keyboard-wedge scanner, whose keys precede later key presses. */
export const isTypedScanInFlight = (): boolean => typed > 0

/** Sends the text from a keyboard-wedge scanner to the backend, which interprets it like every scan. */
export async function sendTypedScan(text: string | null): Promise<void> {
  if (text === null) return notify('warning', ({ t }) => t('sale.scanUnreadable'))
  typed += 1
  await ringing(() => api.typedLine(text))
  typed -= 1
}
