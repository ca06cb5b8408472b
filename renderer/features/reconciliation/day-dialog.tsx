import type { ReconciliationDay, ReconciliationReport } from '../../../contracts/api/reconciliation.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { ReportDialog, type ReportSource } from './report-dialog.tsx'
import { ReportTable } from './report-table.tsx'
import { SentForm } from './sent-form.tsx'

const SOURCE: ReportSource<ReconciliationReport> = {
  queryKey: ['reconciliation'],
  preview: storeApi.reconciliationDay,
  make: storeApi.exportReconciliation,
  original: storeApi.originalReport,
}

/** The report of a day of this lane, and whether it was sent. */
export function DayDialog({ day, onClose }: { readonly day: ReconciliationDay; readonly onClose: () => void }) {
  const { t } = useWords()
  const { businessDay, state } = day
  return (
    <ReportDialog day={day} about={t(`reconciliation.about.${state}`)} source={SOURCE} hasJson onClose={onClose}>
      {(report) => (
        <>
          {(state === 'exported' || state === 'sent') && <SentForm day={businessDay} isSent={state === 'sent'} />}
          <ReportTable report={report} label={t('reconciliation.title')} ofStore={false} />
        </>
      )}
    </ReportDialog>
  )
}
