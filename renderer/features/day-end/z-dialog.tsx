import { useQuery } from '@tanstack/react-query'
import { CircleCheckBig } from 'lucide-react'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { reprint, zPaper } from '../../state/documents.ts'
import drawerStyles from '../drawer/drawer.module.css'
import { PaperDialog } from './paper-dialog.tsx'

/** A Z as its paper says it. It never changes; printed again, it says that it is a copy. */
export function ZDialog({
  number,
  made,
  onClose,
}: {
  readonly number: number
  /** It was made just now, and its paper is on the way. */
  readonly made: boolean
  readonly onClose: () => void
}) {
  const { t } = useWords()
  const paper = useQuery({ queryKey: ['z-receipt', number], queryFn: () => storeApi.zReceipt(number) })
  const words = { number: String(number) }
  const name = t('dayEnd.z', words)
  return (
    <PaperDialog
      title={name}
      paper={paper}
      paperId={zPaper(number)}
      label={t('dayEnd.paper', words)}
      file={() => storeApi.zPdf(number)}
      fileName={name}
      isPrintFocused={!made}
      onPrint={() => void reprint(zPaper(number), 'z-report')}
      onClose={onClose}
    >
      {made && (
        <p className={drawerStyles['verdict']} role="status">
          <CircleCheckBig aria-hidden="true" />
          {t('dayEnd.made', words)}
        </p>
      )}
    </PaperDialog>
  )
}
