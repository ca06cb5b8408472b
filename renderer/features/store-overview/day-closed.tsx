import type { StoreDayReport } from '../../../contracts/api/store-overview.ts'
import { useWords } from '../../i18n/words.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import dayStyles from '../day-end/day-end.module.css'
import { OpenCell } from '../day-end/open-cell.tsx'
import { useOutcome } from '../drawer/outcome.ts'
import queueStyles from '../queue/queue.module.css'

type Z = StoreDayReport['zs'][number]

/** The Z reports of a day, by lane. */
export function ZTable({ zs, onOpen }: { readonly zs: readonly Z[]; readonly onOpen: (z: Z) => void }) {
  const { t, format } = useWords()
  const outcome = useOutcome()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${queueStyles['entries']}`} aria-label={t('wholeStore.day.zs')}>
        <thead>
          <tr>
            <th scope="col">{t('wholeStore.lane')}</th>
            <th scope="col">{t('dayEnd.zNumber')}</th>
            <th scope="col">{t('dayEnd.zAt')}</th>
            <th scope="col">{t('dayEnd.zBy')}</th>
            <th scope="col" className={dayStyles['right']}>
              {t('dayEnd.zSales')}
            </th>
            <th scope="col" className={dayStyles['right']}>
              {t('dayEnd.total')}
            </th>
            <th scope="col">{t('shifts.difference')}</th>
            <th scope="col">
              <span className="spoken">{t('dayEnd.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {zs.map((z) => (
            <tr key={`${z.stream} ${z.number}`}>
              <th scope="row">{z.lane}</th>
              <td>{t('dayEnd.z', { number: String(z.number) })}</td>
              <td>{format.dateTime(z.at)}</td>
              <td className={`${queueStyles['folds']} words`}>{z.closedBy}</td>
              <td className={dayStyles['right']}>{format.miles(z.sales)}</td>
              <td className={dayStyles['right']}>{format.money(z.totalCents)}</td>
              <td className={queueStyles['folds']}>{outcome(z.differenceCents)}</td>
              <OpenCell
                label={t('wholeStore.day.openZ', { number: String(z.number), lane: z.lane })}
                onOpen={() => onOpen(z)}
              />
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

/** The closed shifts of a day, by lane. */
export function ShiftTable({ shifts }: Pick<StoreDayReport, 'shifts'>) {
  const { t, format } = useWords()
  const outcome = useOutcome()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${queueStyles['entries']}`} aria-label={t('wholeStore.day.shifts')}>
        <thead>
          <tr>
            <th scope="col">{t('wholeStore.lane')}</th>
            <th scope="col">{t('dayEnd.shift')}</th>
            <th scope="col">{t('shifts.since')}</th>
            <th scope="col">{t('dayEnd.closed')}</th>
            <th scope="col">{t('dayEnd.zBy')}</th>
            <th scope="col">{t('shifts.difference')}</th>
          </tr>
        </thead>
        <tbody>
          {shifts.map(({ stream, id, lane, drawerOf, openedAt, closedAt, closedBy, differenceCents }) => (
            <tr key={`${stream} ${id}`}>
              <th scope="row">{lane}</th>
              <td className={`${queueStyles['folds']} words`}>
                {drawerOf === null
                  ? t('shifts.number', { number: String(id) })
                  : t('shifts.numberOf', { number: String(id), name: drawerOf })}
              </td>
              <td>{format.dateTime(openedAt)}</td>
              <td>{format.dateTime(closedAt)}</td>
              <td className={`${queueStyles['folds']} words`}>{closedBy}</td>
              <td className={queueStyles['folds']}>{differenceCents === null ? '' : outcome(differenceCents)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}
