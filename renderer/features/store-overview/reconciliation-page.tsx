import { useQuery } from '@tanstack/react-query'
import { CalendarCheck2 } from 'lucide-react'
import { useState } from 'react'
import type { StoreReconciliationDays } from '../../../contracts/store/overview.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Empty, Tag } from '../../ui/surface.tsx'
import { DayTable } from '../reconciliation/day-table.tsx'
import { StoreReportDialog } from './report-dialog.tsx'
import { READ_AGAIN_MS, StorePage, useHasStore } from './store-page.tsx'

type Day = StoreReconciliationDays['days'][number]
const TONES = { open: 'neutral', due: 'warn', exported: 'ok' } as const satisfies Record<Day['state'], string>

/** The approvals that came on a retry at any lane, day by day, in one report for the program's operator. */
export function StoreReconciliationPage() {
  const { t } = useWords()
  const hasStore = useHasStore()
  const [openDay, setOpenDay] = useState<Day['businessDay'] | null>(null)
  const days = useQuery({
    queryKey: ['store', 'reconciliation'],
    queryFn: storeApi.storeReconciliation,
    enabled: hasStore === true,
    refetchInterval: READ_AGAIN_MS,
  })
  const open = days.data?.days.find(({ businessDay }) => businessDay === openDay)
  return (
    <>
      <StorePage title={t('wholeStore.reconciliation.title')} intro={t('wholeStore.reconciliation.intro')} query={days}>
        {(told) =>
          told.days.length === 0 ? (
            <Empty
              icon={<CalendarCheck2 />}
              title={t('reconciliation.emptyTitle')}
              text={t('wholeStore.reconciliation.empty')}
            />
          ) : (
            <DayTable
              days={told.days}
              stateOf={({ state }) => <Tag tone={TONES[state]}>{t(`wholeStore.reconciliation.states.${state}`)}</Tag>}
              onOpen={setOpenDay}
            />
          )
        }
      </StorePage>
      {/* Beside the page: a report that was made stays to be saved, also when the store is away by then. */}
      {open && <StoreReportDialog day={open} onClose={() => setOpenDay(null)} />}
    </>
  )
}
