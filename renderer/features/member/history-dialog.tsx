import { lazy, Suspense } from 'react'
import { BehindStoreWords } from '../../i18n/store-words.tsx'
import { useWords } from '../../i18n/words.tsx'
import { needed } from '../../loading/parts.ts'
import { closeHistory, useMemberHistory } from '../../state/member-history.ts'
import { Dialog } from '../../ui/dialog.tsx'

// Nobody waits for it on the way to the sale.
const HistoryPanel = lazy(() => needed(() => import('../history-panel/history-panel.tsx')))

/** The history of the member who has signed in, over the screen. */
export function HistoryDialog() {
  const { t } = useWords()
  const { saleId, shown } = useMemberHistory()
  const isOpen = saleId !== null && shown !== null
  return (
    <Dialog open={isOpen} onClose={closeHistory} title={t('memberHistory.title')} size="l">
      {isOpen && (
        <BehindStoreWords>
          <Suspense fallback={<p role="status">{t('memberHistory.loading')}</p>}>
            <HistoryPanel saleId={saleId} shown={shown} />
          </Suspense>
        </BehindStoreWords>
      )}
    </Dialog>
  )
}
