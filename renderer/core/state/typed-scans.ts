import { api } from '../api/terminal-api.ts'
import { notify } from './notices.ts'
import { ringing } from '../../sales/sale-commands.ts'

let typed = 0
/** An item that comes by a scan now may be one whose keys the cashier saw typed, before whatever was pressed since. */
export const typedScanUnderWay = (): boolean => typed > 0

/** A scanner that types has read something: what it is, the terminal's program says, as for every scanner. */
export async function takeTypedScan(text: string | null): Promise<void> {
  if (text === null) return notify('warning', ({ t }) => t('sale.scanUnreadable'))
  typed += 1
  await ringing(() => api.typedLine(text))
  typed -= 1
}
