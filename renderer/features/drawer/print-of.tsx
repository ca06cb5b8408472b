import type { PrintState } from '../../../contracts/receipt.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { Tag } from '../../ui/surface.tsx'
import { toneOfPrint } from '../receipt/voucher-documents.tsx'

/** Where a paper is: as the printer told last, else as it was answered. */
export const usePrintOf = (id: string | undefined, answered: PrintState | null): PrintState | null =>
  useEvents(({ prints }) => (id === undefined ? undefined : prints[id])) ?? answered

/** Where a paper is, and what is left to do; nothing of one that was never asked for. */
export function PrintOf({ print, todo }: { readonly print: PrintState | null; readonly todo?: string }) {
  const { t } = useWords()
  if (print === null) return null
  const left = print === 'failed' || print === 'unknown' ? (todo ?? t(`after.printTodo.${print}`)) : ''
  return (
    <p role="status">
      <Tag tone={toneOfPrint(print)}>{t(`after.print.${print}`)}</Tag> {left}
    </p>
  )
}
