import type { CashMovement } from '../../../contracts/api/shifts.ts'
import { useWords } from '../../i18n/words.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import styles from './drawer.module.css'

/** Cash that came or went beside sales, newest first. */
export function MovementList({ movements }: { readonly movements: readonly CashMovement[] }) {
  const { t, format } = useWords()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['table']}`} aria-label={t('shifts.movements')}>
        <thead>
          <tr>
            <th scope="col">{t('shifts.at')}</th>
            <th scope="col">{t('shifts.what')}</th>
            <th scope="col" className={styles['amount']}>
              {t('shifts.amount')}
            </th>
            <th scope="col">{t('shifts.reason')}</th>
            <th scope="col">{t('shifts.by')}</th>
          </tr>
        </thead>
        <tbody>
          {movements.map(({ id, at, kind, amountCents, reason, staff, approvedBy }) => (
            <tr key={id}>
              <th scope="row">{format.time(at)}</th>
              <td>{t(`cash.kind.${kind}`)}</td>
              <td className={styles['amount']}>{kind === 'no-sale' ? '' : format.money(amountCents)}</td>
              <td className={styles['reason']}>{reason}</td>
              <td>
                {staff}
                {approvedBy !== null && (
                  <>
                    <br />
                    <small>{t('shifts.approvedBy', { name: approvedBy })}</small>
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}
