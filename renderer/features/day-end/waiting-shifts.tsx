import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheckBig, Info } from 'lucide-react'
import { useState } from 'react'
import type { ZReportList } from '../../../contracts/api/day-end.ts'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, pageStyles } from '../../ui/page.tsx'
import { Tag } from '../../ui/surface.tsx'
import { CountDialog } from '../drawer/count-dialog.tsx'
import { useShiftName } from '../drawer/shift-name.ts'
import { SHIFTS } from '../drawer/use-current-shift.ts'
import styles from './day-end.module.css'

/** What a Z would take in, and what has to be counted or closed before it. */
export function WaitingShifts({ waiting }: { readonly waiting: ZReportList['waiting'] }) {
  const { t, format } = useWords()
  const nameOf = useShiftName()
  const shifts = useQuery({ queryKey: [SHIFTS, 'waiting'], queryFn: () => storeApi.shifts() })
  const [counting, setCounting] = useState<Shift | null>(null)
  const unclosed = shifts.data?.shifts.filter(({ state }) => state !== 'closed') ?? []
  return (
    <section className={styles['waiting']} aria-label={t('dayEnd.toClose')}>
      <p>
        {waiting.counted > 0 ? (
          <Tag tone="warn" icon={<CircleAlert />}>
            {t('dayEnd.closeFirst')}
          </Tag>
        ) : waiting.closed > 0 ? (
          <Tag tone="ok" icon={<CircleCheckBig />}>
            {t('dayEnd.ready', { count: waiting.closed })}
          </Tag>
        ) : (
          <Tag icon={<Info />}>{t('dayEnd.nothing')}</Tag>
        )}
      </p>
      {shifts.isError && <LoadFailed error={shifts.error} retry={() => void shifts.refetch()} />}
      {unclosed.length > 0 && (
        <ul className={pageStyles['wideCards']}>
          {unclosed.map((shift) => (
            <li key={shift.id}>
              <span>
                <strong>{nameOf(shift)}</strong>{' '}
                <Tag tone={shift.state === 'counted' ? 'warn' : 'neutral'}>{t(`dayEnd.state.${shift.state}`)}</Tag>
                <small>{t('dayEnd.opened', { time: format.dateTime(shift.openedAt), name: shift.openedBy })}</small>
              </span>
              <Button
                aria-label={t(shift.state === 'counted' ? 'shifts.finish' : 'dayEnd.countOf', {
                  shift: nameOf(shift),
                })}
                onPress={() => setCounting(shift)}
              >
                {t(shift.state === 'counted' ? 'dayEnd.close' : 'dayEnd.count')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {counting && <CountDialog key={counting.id} opened={counting} onClose={() => setCounting(null)} />}
    </section>
  )
}
