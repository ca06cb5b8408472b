import { useQuery } from '@tanstack/react-query'
import type { StoreDayReport } from '../../../contracts/day/store-overview.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import styles from '../day-end/day-end.module.css'
import { SavePdf } from '../day-end/day-end-dialogs.tsx'
import { ReceiptPaper } from '../../payments/receipt/receipt-paper.tsx'

/** A Z report of any lane as that lane printed it. Only its own lane can reprint it; here it can be saved as a file. */
export function StoreZDialog({
  z: { stream, number, lane },
  onClose,
}: {
  readonly z: Pick<StoreDayReport['zs'][number], 'stream' | 'number' | 'lane'>
  readonly onClose: () => void
}) {
  const { t } = useI18n()
  const texts = { number: String(number), lane }
  const paper = useQuery({
    queryKey: ['store', 'z', stream, number],
    queryFn: () => storeApi.storeZ(stream, number),
  })
  return (
    <Dialog open onClose={onClose} title={t('wholeStore.day.zOf', texts)}>
      {paper.isPending && <p role="status">{t('app.loading')}</p>}
      {paper.isError && <LoadFailed error={paper.error} retry={() => void paper.refetch()} />}
      {paper.data && (
        <div
          className={`scroll round-m surface-3 pad-3 ${styles['paper']}`}
          role="region"
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long paper scrolls
          tabIndex={0}
          aria-label={t('wholeStore.day.paper', texts)}
        >
          <ReceiptPaper document={paper.data.document} />
        </div>
      )}
      <div className={`wrap-3 ${styles['row']}`}>
        <Button size="l" onPress={onClose}>
          {t('app.close')}
        </Button>
        <SavePdf size="l" load={() => storeApi.storeZPdf(stream, number)} name={t('wholeStore.day.zOf', texts)} />
      </div>
    </Dialog>
  )
}
