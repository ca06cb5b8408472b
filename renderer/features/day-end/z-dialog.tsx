import { useQuery } from '@tanstack/react-query'
import { CircleCheckBig, Printer } from 'lucide-react'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useUnderWay } from '../../state/command-queue.ts'
import { reprint, zPaper } from '../../state/documents.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import drawerStyles from '../drawer/drawer.module.css'
import { ReceiptPaper } from '../receipt/receipt-paper.tsx'
import styles from './day-end.module.css'

/** A Z as it was printed. It never changes; printed again, it says that it is a copy. */
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
  const printing = useUnderWay('print')
  const paper = useQuery({ queryKey: ['z-receipt', number], queryFn: () => api.zReceipt(number) })
  const name = t('dayEnd.z', { number: String(number) })
  return (
    <Dialog open onClose={onClose} title={name}>
      {made && (
        <p className={drawerStyles['verdict']} role="status">
          <CircleCheckBig aria-hidden="true" />
          {t('dayEnd.made', { number: String(number) })}
        </p>
      )}
      {paper.isPending && <p role="status">{t('app.loading')}</p>}
      {paper.isError && <LoadFailed error={paper.error} retry={() => void paper.refetch()} />}
      {paper.data && (
        <div
          className={styles['paper']}
          role="region"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long paper scrolls
          tabIndex={0}
          aria-label={t('dayEnd.paper', { number: String(number) })}
        >
          <ReceiptPaper document={paper.data.document} />
        </div>
      )}
      <div className={styles['foot']}>
        <Button size="l" onPress={onClose}>
          {t('app.close')}
        </Button>
        <Button
          size="l"
          look="primary"
          autoFocus={!made}
          icon={<Printer />}
          isDisabled={printing}
          onPress={() => {
            onClose()
            void reprint(zPaper(number), 'z-report')
          }}
        >
          {t('dayEnd.reprint')}
        </Button>
      </div>
    </Dialog>
  )
}
