import { useQuery } from '@tanstack/react-query'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { reprint } from '../../state/documents.ts'
import { SHIFTS } from '../drawer/use-current-shift.ts'
import { PaperDialog } from './paper-dialog.tsx'

/** A day or a month as its paper says it. Printed a second time, it says that it is a copy. */
export function ClosingDialog({ period, onClose }: { readonly period: string; readonly onClose: () => void }) {
  const { t, format } = useWords()
  // Before its first paper it is in the language of whoever asks.
  const paper = useQuery({
    queryKey: [SHIFTS, 'closing', period, format.locale],
    queryFn: () => storeApi.closingPaper(period),
  })
  const name = t('dayEnd.closing.paper', { period: format.date(period) })
  return (
    <PaperDialog
      title={format.date(period)}
      paper={paper}
      paperId={paper.data?.id}
      label={name}
      file={() => storeApi.closingPdf(period)}
      fileName={name}
      onPrint={({ id }) => void reprint(id, 'closing')}
      onClose={onClose}
    />
  )
}
