import { useQuery } from '@tanstack/react-query'
import { Printer } from 'lucide-react'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useUnderWay } from '../../state/command-queue.ts'
import { reprint } from '../../state/documents.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed } from '../../ui/page.tsx'
import { ReceiptPaper } from '../receipt/receipt-paper.tsx'
import { CallTraces } from './call-traces.tsx'
import dayStyles from '../day-end/day-end.module.css'

/** The receipt of a sale that was found, and its traces; printed again, it says that it is a copy. */
export function SaleDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t } = useWords()
  const printing = useUnderWay('print')
  const paper = useQuery({ queryKey: ['receipt', id], queryFn: () => api.receipt(id) })
  return (
    <Dialog open onClose={onClose} title={`${t('journalSearch.kinds.sale')} ${id}`}>
      {paper.isPending && <p role="status">{t('after.receiptLoading')}</p>}
      {paper.isError && <LoadFailed error={paper.error} retry={() => void paper.refetch()} />}
      {paper.data && (
        <div
          className={dayStyles['paper']}
          role="region"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long paper scrolls
          tabIndex={0}
          aria-label={t('after.receiptPaper')}
        >
          <ReceiptPaper document={paper.data.document} />
          <CallTraces receipt={id} />
        </div>
      )}
      <div className={dayStyles['foot']}>
        <Button size="l" onPress={onClose}>
          {t('app.close')}
        </Button>
        <Button
          size="l"
          look="primary"
          autoFocus
          icon={<Printer />}
          isDisabled={printing}
          onPress={() => {
            onClose()
            void reprint(id)
          }}
        >
          {t('journalSearch.reprint')}
        </Button>
      </div>
    </Dialog>
  )
}
