import { CircleCheckBig } from 'lucide-react'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './drawer.module.css'
import { useShiftName } from './shift-name.ts'

/** The drawer is closed: what a person still does with the cash. */
export function Closed({ shift, onDone }: { readonly shift: Shift; readonly onDone: () => void }) {
  const { t, format } = useWords()
  const nameOf = useShiftName()
  const leftCents = shift.leftCents ?? 0
  const countedCents = shift.result?.cash.countedCents ?? 0
  return (
    <>
      <p className={styles['verdict']} role="status">
        <CircleCheckBig aria-hidden="true" />
        {t('shifts.closedNow', { shift: nameOf(shift) })}
      </p>
      <dl className={`${styles['after']} figures`}>
        <div>
          <dt>{t('shifts.putInSafe')}</dt>
          <dd>{format.money(countedCents - leftCents)}</dd>
        </div>
        <div>
          <dt>{t('shifts.left')}</dt>
          <dd>{format.money(leftCents)}</dd>
        </div>
      </dl>
      <Button size="l" look="primary" wide autoFocus onPress={onDone}>
        {t('shifts.done')}
      </Button>
    </>
  )
}
