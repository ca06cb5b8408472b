import { CircleAlert, CircleCheckBig, RotateCcw } from 'lucide-react'
import type { CountResult as Result, Shift } from '../../../contracts/api/shifts.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import styles from './drawer.module.css'
import { useOutcome } from './outcome.ts'

/** What a store does not count has a row only where something was expected. */
const rowsOf = ({ cash, cardSlips, cheques }: Result) =>
  [
    { what: 'cash', ...cash },
    { what: 'card-slips', ...cardSlips },
    { what: 'cheques', ...cheques },
  ].filter(
    ({ what, countedCents, expectedCents }) => what === 'cash' || countedCents !== null || expectedCents !== 0,
  ) as readonly ({ readonly what: 'cash' | 'card-slips' | 'cheques' } & Result['cash'])[]

/** What was counted beside what was expected: over or short in words, one recount, and the way on. */
export function CountResult({
  shift: { result },
  onRecount,
  onContinue,
}: {
  readonly shift: Pick<Shift, 'result'>
  readonly onRecount: () => void
  readonly onContinue: () => void
}) {
  const { t, format } = useWords()
  const outcome = useOutcome()
  if (!result) return null
  const rows = rowsOf(result)
  const differing = rows.filter(({ differenceCents }) => differenceCents !== 0)
  return (
    <>
      <p className={styles['verdict']} data-differs={differing.length > 0} role="status">
        {differing.length > 0 ? <CircleAlert aria-hidden="true" /> : <CircleCheckBig aria-hidden="true" />}
        {differing.length === 0
          ? t('shifts.balanced')
          : differing
              .map(({ what, differenceCents }) =>
                t('shifts.outcomeOf', { what: t(`shifts.step.${what}`), outcome: outcome(differenceCents) }),
              )
              .join(' · ')}
      </p>
      <TableWrap>
        <table className={`${pageStyles['table']} ${styles['table']}`} aria-label={t('shifts.step.result')}>
          <thead>
            <tr>
              <th scope="col">{t('shifts.what')}</th>
              <th scope="col" className={styles['amount']}>
                {t('shifts.expected')}
              </th>
              <th scope="col" className={styles['amount']}>
                {t('shifts.counted')}
              </th>
              <th scope="col" className={styles['amount']}>
                {t('shifts.difference')}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ what, expectedCents, countedCents, differenceCents }) => (
              <tr key={what}>
                <th scope="row">{t(`shifts.step.${what}`)}</th>
                <td className={styles['amount']}>{format.money(expectedCents)}</td>
                <td className={styles['amount']}>
                  {countedCents === null ? t('shifts.notCounted') : format.money(countedCents)}
                </td>
                <td className={styles['amount']}>
                  <strong>{countedCents === null ? '' : outcome(differenceCents)}</strong>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
      {(result.mayRecount || result.number > 1) && (
        <p>{t(result.mayRecount ? 'shifts.mayRecount' : 'shifts.recounted')}</p>
      )}
      <div className={styles['foot']}>
        {result.mayRecount && (
          <Button size="l" icon={<RotateCcw />} onPress={onRecount}>
            {t('shifts.recount')}
          </Button>
        )}
        <Button size="l" look="primary" autoFocus onPress={onContinue}>
          {t('shifts.continue')}
        </Button>
      </div>
    </>
  )
}
