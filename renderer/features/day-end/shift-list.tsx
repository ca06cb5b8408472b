import { Inbox, Printer } from 'lucide-react'
import type { OwedDocument } from '../../../contracts/api/earlier-sales.ts'
import type { Shift } from '../../../contracts/api/shifts.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useUnderWay } from '../../state/command-queue.ts'
import { reprint, shiftPaper } from '../../state/documents.ts'
import { IconButton } from '../../ui/button.tsx'
import { Empty, Tag } from '../../ui/surface.tsx'
import { useOutcome } from '../drawer/outcome.ts'
import { useShiftName } from '../drawer/shift-name.ts'
import { RECEIPT_TONES, useOwedDocuments } from '../receipt/owed-documents.tsx'
import queueStyles from '../queue/queue.module.css'
import styles from './day-end.module.css'
import { PagedTable } from './paged-table.tsx'
import { usePages } from './pages.ts'

const TONES = { open: 'neutral', counted: 'warn', closed: 'ok' } as const satisfies Record<Shift['state'], string>

/** Every shift of the lane with its over or short, newest first. */
export function ShiftList() {
  const { t } = useWords()
  const owed = useOwedDocuments().data?.documents
  const pages = usePages('shifts', storeApi.shifts, ({ shifts }) => shifts.at(-1)?.id)
  return (
    <PagedTable
      pages={pages}
      rowsOf={({ shifts }) => shifts}
      label={t('dayEnd.views.shifts')}
      columns={[
        { words: t('dayEnd.shift') },
        { words: t('shifts.since') },
        { words: t('dayEnd.closed') },
        { words: t('shifts.difference') },
        { words: t('dayEnd.inZ') },
        { words: t('dayEnd.reprint'), as: 'spoken' },
      ]}
      empty={<Empty icon={<Inbox />} title={t('dayEnd.shiftsEmptyTitle')} text={t('dayEnd.shiftsEmpty')} />}
    >
      {(shift) => <Row key={shift.id} shift={shift} owed={owed?.find(({ id }) => id === shiftPaper(shift.id))} />}
    </PagedTable>
  )
}

function Row({ shift, owed }: { readonly shift: Shift; readonly owed: OwedDocument | undefined }) {
  const { t, format } = useWords()
  const nameOf = useShiftName()
  const outcome = useOutcome()
  const printing = useUnderWay('print')
  const { id, state, openedAt, closedAt, closedBy, result, reason, zNumber } = shift
  return (
    <tr>
      <th scope="row" className={queueStyles['folds']}>
        {nameOf(shift)}
        {owed && (
          <>
            {' '}
            <Tag tone={RECEIPT_TONES[owed.receipt]}>{t(`earlier.receipt.${owed.receipt}`)}</Tag>
          </>
        )}
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
