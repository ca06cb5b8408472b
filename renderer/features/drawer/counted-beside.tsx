import type { CountedThing, CountResult } from '../../../contracts/api/shifts.ts'
import { useWords } from '../../i18n/words.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import styles from './drawer.module.css'
import { useOutcome } from './outcome.ts'

/** What a store does not count has a row only where something was expected. */
export function rowsOf({ cash, cardSlips, cheques }: CountResult) {
  const rows: readonly ({ readonly what: CountedThing } & CountResult['cash'])[] = [
    { what: 'cash', ...cash },
    { what: 'card-slips', ...cardSlips },
    { what: 'cheques', ...cheques },
  ]
  return rows.filter(
    ({ what, countedCents, expectedCents }) => what === 'cash' || countedCents !== null || expectedCents !== 0,
  )
}

/** A final count beside what was expected. */
export function CountedBeside({ result }: { readonly result: CountResult }) {
  const { t, format } = useWords()
  const outcome = useOutcome()
  return (
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
          {rowsOf(result).map(({ what, expectedCents, countedCents, differenceCents }) => (
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
  )
}
