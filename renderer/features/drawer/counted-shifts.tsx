import { CircleAlert } from 'lucide-react'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { useWords } from '../../i18n/words.tsx'
import { useTerminal } from '../../state/terminal.ts'
import { Button } from '../../ui/button.tsx'
import styles from './drawer.module.css'
import { useDiffers, useOutcome } from './outcome.ts'
import { useShiftName } from './shift-name.ts'

/** Drawers that were counted and not closed: a day cannot be closed over one. */
export function CountedShifts({
  shifts,
  onClose,
}: {
  readonly shifts: readonly Shift[]
  readonly onClose: (shift: Shift) => void
}) {
  const { t, format } = useWords()
  const nameOf = useShiftName()
  const outcome = useOutcome()
  const differs = useDiffers()
  const person = useTerminal((state) => state.terminal?.signedIn)
  if (shifts.length === 0) return null
  /** The backend refuses the same. */
  const mayClose = ({ drawerOf }: Shift): boolean =>
    drawerOf === null || drawerOf.id === person?.id || person?.role !== 'cashier'
  return (
    <section className={styles['counted']} aria-label={t('shifts.waiting')}>
      <h3>
        <CircleAlert aria-hidden="true" />
        {t('shifts.waiting')}
      </h3>
      <ul>
        {shifts.map((shift) => (
          <li key={shift.id}>
            <span>
              <strong>{nameOf(shift)}</strong>
              {shift.countedAt !== null && ` · ${t('dayEnd.countedAt', { time: format.dateTime(shift.countedAt) })}`}
              {mayClose(shift) && shift.recount.length > 0 && ` · ${differs(shift.recount)}`}
              {mayClose(shift) && shift.result && ` · ${outcome(shift.result.cash.differenceCents)}`}
            </span>
            {mayClose(shift) ? (
              <Button aria-label={t('shifts.finish', { shift: nameOf(shift) })} onPress={() => onClose(shift)}>
                {t('dayEnd.close')}
              </Button>
            ) : (
              <span>{t('shifts.askSupervisor')}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
