import type { StoreReconciliation, StoreReconciliationDays } from '../../../contracts/store/overview.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Tag } from '../../core/ui/surface.tsx'
import { ReportDialog, type ReportSource, ReportTable } from '../../loyalty/reconciliation-dialog.tsx'
import { useNamedLanes } from './lanes-page.tsx'

type Day = StoreReconciliationDays['days'][number]

const SOURCE: ReportSource<StoreReconciliation> = {
  queryKey: ['store', 'reconciliation'],
  preview: storeApi.storeReconciliationDay,
  make: storeApi.exportStoreReconciliation,
  original: storeApi.storeReconciliationOriginal,
}

export function StoreReportDialog({ day, onClose }: { readonly day: Day; readonly onClose: () => void }) {
  const { t } = useI18n()
  return (
    <ReportDialog day={day} about={t(`wholeStore.reconciliation.about.${day.state}`)} source={SOURCE} onClose={onClose}>
      {(report, isMade) => (
        <>
          <Missing lanes={report.missing} isMade={isMade} />
          <ReportTable report={report} label={t('wholeStore.reconciliation.title')} ofStore />
        </>
      )}
    </ReportDialog>
  )
}

function Missing({ lanes, isMade }: { readonly lanes: readonly string[]; readonly isMade: boolean }) {
  const { t } = useI18n()
  const named = useNamedLanes()
  if (lanes.length === 0)
    return (
      <p>
        <Tag tone="ok">{t('wholeStore.reconciliation.complete')}</Tag>
      </p>
    )
  const texts = { lanes: named(lanes) }
  return <p>{t(isMade ? 'wholeStore.reconciliation.missing' : 'wholeStore.reconciliation.missingYet', texts)}</p>
}
