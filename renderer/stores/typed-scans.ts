import { api } from '../api/terminal-api.ts'
import { notify, report } from './notices.ts'
import { whileRinging } from './sale-commands.ts'

/** A scanner that types has read something: what it is, the terminal's program says, as for every scanner. */
export async function takeTypedScan(text: string | null): Promise<void> {
  if (text === null) return notify('warning', ({ t }) => t('sale.scanUnreadable'))
  try {
    await whileRinging(() => api.typedLine(text))
  } catch (error) {
    report(error)
  }
}
