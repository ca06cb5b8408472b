import { CircleAlert, CircleCheckBig, RotateCcw } from 'lucide-react'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { CountedBeside, rowsOf } from './counted-beside.tsx'
import styles from './drawer.module.css'
import { useDiffers, useOutcome } from './outcome.ts'

/** What a committed count came to: while a recount is left, only of what it is; then all of it, and the way on. */
export function CountResult({
  shift: { recount, result },
  onRecount,
  onContinue,
}: {
  readonly shift: Pick<Shift, 'recount' | 'result'>
  readonly onRecount: () => void
  readonly onContinue: () => void
}) {
  const { t } = useWords()
  const outcome = useOutcome()
  const differs = useDiffers()
  const mayRecount = recount.length > 0
  const differing = result ? rowsOf(result).filter(({ differenceCents }) => differenceCents !== 0) : []
  const off = mayRecount || differing.length > 0
  return (
    <>
      <p className={styles['verdict']} data-differs={off} role="status">
        {off ? <CircleAlert aria-hidden="true" /> : <CircleCheckBig aria-hidden="true" />}
        {mayRecount
          ? differs(recount)
          : !off
            ? t('shifts.balanced')
            : differing
                .map(({ what, differenceCents }) =>
                  t('shifts.outcomeOf', { what: t(`shifts.step.${what}`), outcome: outcome(differenceCents) }),
                )
                .join(' · ')}
      </p>
      {result && <CountedBeside result={result} />}
      {mayRecount && <p>{t('shifts.mayRecount')}</p>}
      {result && result.number > 1 && <p>{t('shifts.recounted')}</p>}
      <div className={styles['foot']}>
        {mayRecount && (
          <Button size="l" look="primary" autoFocus icon={<RotateCcw />} onPress={onRecount}>
            {t('shifts.recount')}
          </Button>
        )}
        <Button size="l" {...(mayRecount ? {} : { look: 'primary', autoFocus: true })} onPress={onContinue}>
          {t('shifts.continue')}
        </Button>
      </div>
    </>
  )
}
