import { useQuery } from '@tanstack/react-query'
import { CalendarCheck2, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead } from '../../ui/page.tsx'
import { Views } from '../../ui/views.tsx'
import { SHIFTS, useShiftChanges } from '../drawer/use-current-shift.ts'
import { CloseDayDialog } from './close-day-dialog.tsx'
import { ClosingList } from './closing-list.tsx'
import { ShiftList } from './shift-list.tsx'
import { WaitingShifts } from './waiting-shifts.tsx'
import { XSummary } from './x-summary.tsx'
import { ZDialog } from './z-dialog.tsx'
import { ZList } from './z-list.tsx'

const VIEWS = ['x', 'z', 'day', 'month', 'shifts'] as const
type View = (typeof VIEWS)[number]

/** The end of the lane's day: totals so far, what is still to be closed, and the Z reports. */
export function DayEndPage() {
  const { t } = useWords()
  const [view, setView] = useState<View>('x')
  const [closing, setClosing] = useState(false)
  const [opened, setOpened] = useState<{ readonly number: number; readonly made: boolean } | null>(null)
  const x = useQuery({ queryKey: [SHIFTS, 'x'], queryFn: storeApi.xReport })
  const day = useQuery({ queryKey: [SHIFTS, 'day'], queryFn: () => storeApi.zReports() })
  useShiftChanges()
  const waiting = day.data?.waiting
  const again = (): void => {
    void x.refetch()
    void day.refetch()
  }
  return (
    <>
      <PageHead title={t('dayEnd.title')} intro={t('dayEnd.intro')}>
        <Button icon={<RefreshCw />} isDisabled={x.isFetching || day.isFetching} onPress={again}>
          {t('store.refresh')}
        </Button>
        <Button
          look="primary"
          icon={<CalendarCheck2 />}
          isDisabled={!waiting || waiting.closed === 0 || waiting.counted > 0}
          onPress={() => setClosing(true)}
        >
          {t('dayEnd.closeDay')}
        </Button>
      </PageHead>
      {day.isPending && <p role="status">{t('app.loading')}</p>}
      {day.isError && <LoadFailed error={day.error} retry={again} />}
      {waiting && <WaitingShifts waiting={waiting} />}
      <Views
        label={t('dayEnd.view')}
        views={VIEWS}
        words={(one) => t(`dayEnd.views.${one}`)}
        view={view}
        onChange={setView}
      />
      {view === 'x' && (
        <>
          {x.isPending && <p role="status">{t('app.loading')}</p>}
          {x.isError && <LoadFailed error={x.error} retry={again} />}
          {x.data && <XSummary report={x.data} />}
        </>
      )}
      {view === 'z' && <ZList onOpen={(number) => setOpened({ number, made: false })} />}
      {(view === 'day' || view === 'month') && <ClosingList key={view} span={view} />}
      {view === 'shifts' && <ShiftList />}
      {closing && day.data && (
        <CloseDayDialog
          day={day.data}
          onClose={() => setClosing(false)}
          onMade={(number) => {
            setClosing(false)
            setView('z')
            setOpened({ number, made: true })
          }}
        />
      )}
      {opened && <ZDialog number={opened.number} made={opened.made} onClose={() => setOpened(null)} />}
    </>
  )
}
