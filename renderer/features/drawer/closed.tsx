import { CircleCheckBig } from 'lucide-react'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { useWords } from '../../i18n/words.tsx'
import { shiftPaper } from '../../state/documents.ts'
import { Button } from '../../ui/button.tsx'
import { PrintOf, usePrintOf } from './print-of.tsx'
import { CountedBeside } from './counted-beside.tsx'
import styles from './drawer.module.css'
import { useShiftName } from './shift-name.ts'

/** The drawer is closed: what a person still does with the cash. */
export function Closed({ shift, onDone }: { readonly shift: Shift; readonly onDone: () => void }) {
  const { t, format } = useWords()
  const nameOf = useShiftName()
  const print = usePrintOf(shiftPaper(shift.id), 'queued')
  const { result } = shift
  const leftCents = shift.leftCents ?? 0
  const countedCents = shift.countedCents ?? 0
  return (
    <>
      <p className={styles['verdict']} role="status">
        <CircleCheckBig aria-hidden="true" />
        {t('shifts.closedNow', { shift: nameOf(shift) })}
      </p>
      <dl className={`${styles['after']} figures`}>
        <div>
          <dt>{t('shifts.putInSafe')}</dt>
          <dd>{format.money(Math.max(0, countedCents - shift.takenCents - leftCents))}</dd>
        </div>
        <div>
          <dt>{t('shifts.left')}</dt>
          <dd>{format.money(leftCents)}</dd>
        </div>
      </dl>
      <PrintOf print={print} todo={t('cash.slipTodo')} />
      {/* Closed without the recount: nobody was told before. */}
      {result?.number === 1 && result.needsReason && <CountedBeside result={result} />}
      <Button size="l" look="primary" wide autoFocus onPress={onDone}>
        {t('shifts.done')}
      </Button>
    </>
  )
}
