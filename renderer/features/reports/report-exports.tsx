import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { ReportExportRequest, ReportRange } from '../../../contracts/api/reports.ts'
import type { BreakdownKind } from '../../../contracts/report-kinds.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { clearProblems, notify, report } from '../../state/notices.ts'
import { Button } from '../../ui/button.tsx'
import { pageStyles } from '../../ui/page.tsx'
import { saveBlob } from '../../ui/save-file.ts'
import styles from './reports.module.css'

/** A file is ordered first, which writes it into the audit trail, and then fetched. */
function useExport() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (asked: ReportExportRequest) => {
      const { number, fileName } = await storeApi.orderReportExport(asked)
      saveBlob(fileName, await storeApi.reportExport(number))
    },
    onSuccess: () => {
      clearProblems()
      notify('success', (words) => words.t('reports.exported'))
    },
    onError: report,
    onSettled: () => queries.invalidateQueries({ queryKey: ['audit'] }),
  })
}

export function ReportExports({ run, by }: { readonly run: number; readonly by: BreakdownKind }) {
  const { t } = useWords()
  const { mutate, isPending } = useExport()
  return (
    <>
      <Button
        icon={<Download />}
        isDisabled={isPending}
        onPress={() => mutate({ of: 'report', run, by, format: 'csv' })}
      >
        {t('reports.exportCsv')}
      </Button>
      <Button
        icon={<Download />}
        isDisabled={isPending}
        onPress={() => mutate({ of: 'report', run, by, format: 'json' })}
      >
        {t('reports.exportJson')}
      </Button>
    </>
  )
}

/** The double entry of the Z reports of these days, for the store's books. */
export function AccountingExports({ range }: { readonly range: ReportRange }) {
  const { t } = useWords()
  const { mutate, isPending } = useExport()
  return (
    <section className={pageStyles['section']} aria-label={t('reports.accountingTitle')}>
      <h3>{t('reports.accountingTitle')}</h3>
      <p className={styles['about']}>{t('reports.accounting')}</p>
      <div className={styles['row']}>
        <Button
          icon={<Download />}
          isDisabled={isPending}
          onPress={() => mutate({ of: 'accounting', range, format: 'csv' })}
        >
          {t('reports.accountingCsv')}
        </Button>
        <Button
          icon={<Download />}
          isDisabled={isPending}
          onPress={() => mutate({ of: 'accounting', range, format: 'json' })}
        >
          {t('reports.accountingJson')}
        </Button>
      </div>
    </section>
  )
}
