import { Inbox, Printer } from 'lucide-react'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useUnderWay } from '../../state/command-queue.ts'
import { reprint, shiftPaper } from '../../state/documents.ts'
import { IconButton } from '../../ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../ui/page.tsx'
import { Empty, Tag } from '../../ui/surface.tsx'
import { useOutcome } from '../drawer/outcome.ts'
import { useShiftName } from '../drawer/shift-name.ts'
import queueStyles from '../queue/queue.module.css'
import styles from './day-end.module.css'
import { MoreButton } from './more-button.tsx'
import { usePages } from './pages.ts'

const TONES = { open: 'neutral', counted: 'warn', closed: 'ok' } as const satisfies Record<Shift['state'], string>

/** Every shift of the lane with its over or short, newest first. */
export function ShiftList() {
  const { t } = useWords()
  const pages = usePages('shifts', api.shifts, ({ shifts }) => shifts.at(-1)?.id)
  const shifts = pages.data?.flatMap((page) => page.shifts)
  return (
    <>
      {pages.isPending && <p role="status">{t('app.loading')}</p>}
      {pages.isError && <LoadFailed error={pages.error} retry={() => void pages.refetch()} />}
      {shifts?.length === 0 && (
        <div className={styles['nothing']}>
          <Empty icon={<Inbox />} title={t('dayEnd.shiftsEmptyTitle')} text={t('dayEnd.shiftsEmpty')} />
        </div>
      )}
      {shifts && shifts.length > 0 && (
        <TableWrap>
          <table className={`${pageStyles['table']} ${queueStyles['entries']}`} aria-label={t('dayEnd.views.shifts')}>
            <thead>
              <tr>
                <th scope="col">{t('dayEnd.shift')}</th>
                <th scope="col">{t('shifts.since')}</th>
                <th scope="col">{t('dayEnd.closed')}</th>
                <th scope="col">{t('shifts.difference')}</th>
                <th scope="col">{t('dayEnd.inZ')}</th>
                <th scope="col">
                  <span className="spoken">{t('dayEnd.reprint')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shifts.map((shift) => (
                <Row key={shift.id} shift={shift} />
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
      <MoreButton pages={pages} />
    </>
  )
}

function Row({ shift }: { readonly shift: Shift }) {
  const { t, format } = useWords()
  const nameOf = useShiftName()
  const outcome = useOutcome()
  const printing = useUnderWay('print')
  const { id, state, openedAt, closedAt, closedBy, result, reason, zNumber } = shift
  return (
    <tr>
      <th scope="row" className={queueStyles['folds']}>
        {nameOf(shift)}
      </th>
      <td>{format.dateTime(openedAt)}</td>
      <td className={queueStyles['folds']}>
        {closedAt === null ? (
          <Tag tone={TONES[state]}>{t(`dayEnd.state.${state}`)}</Tag>
        ) : (
          <>
            {format.dateTime(closedAt)}
            <br />
            <small>{closedBy}</small>
          </>
        )}
      </td>
      <td className={queueStyles['folds']}>
        {result && outcome(result.cash.differenceCents)}
        {reason !== null && (
          <>
            <br />
            <small>{reason}</small>
          </>
        )}
      </td>
      <td>{zNumber ?? ''}</td>
      <td className={styles['act']}>
        {state === 'closed' && (
          <IconButton
            icon={<Printer />}
            label={t('dayEnd.reprintOf', { shift: nameOf(shift) })}
            isDisabled={printing}
            onPress={() => void reprint(shiftPaper(id), 'shift')}
          />
        )}
      </td>
    </tr>
  )
}
