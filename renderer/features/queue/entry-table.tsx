import { ChevronRight } from 'lucide-react'
import type { z } from 'zod'
import type { QueueEntry } from '../../../contracts/api/queue.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { IconButton } from '../../ui/button.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import { Tag } from '../../ui/surface.tsx'
import styles from './queue.module.css'

export type Entry = z.infer<typeof QueueEntry>

/** `asOf`: when the entries were loaded (epoch ms), from which their age counts. */
export function EntryTable({
  label,
  entries,
  asOf,
  onOpen,
}: {
  readonly label: string
  readonly entries: readonly Entry[]
  readonly asOf: number
  readonly onOpen: (id: string) => void
}) {
  const { t, format } = useWords()
  const worth = useWorth()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['entries']}`} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t('queue.what')}</th>
            <th scope="col">{t('queue.state')}</th>
            <th scope="col">{t('queue.amount')}</th>
            <th scope="col">{t('queue.code')}</th>
            <th scope="col">{t('queue.age')}</th>
            <th scope="col">{t('queue.sale')}</th>
            <th scope="col">
              <span className="spoken">{t('queue.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={entry.id}>
              <th scope="row">{t(`queue.kind.${entry.kind}`)}</th>
              <td>
                {entry.resolution ? (
                  <Tag tone="ok">{t('queue.resolved')}</Tag>
                ) : (
                  <Tag tone={entry.attention ? 'warn' : 'neutral'}>{t(`queue.states.${entry.state}`)}</Tag>
                )}
                {entry.windowClosesAt && (
                  <small className={styles['until']}>
                    {t('queue.windowCloses', { time: format.dateTime(entry.windowClosesAt) })}
                  </small>
                )}
              </td>
              <td>{worth(entry)}</td>
              <td>{entry.responseCode ?? ''}</td>
              <td>{format.age(asOf - Date.parse(entry.createdAt))}</td>
              <td>{entry.saleId}</td>
              <td className={styles['open']}>
                <IconButton
                  icon={<ChevronRight />}
                  label={t('queue.openEntry', { kind: t(`queue.kind.${entry.kind}`), sale: entry.saleId })}
                  onPress={() => onOpen(entry.id)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

/** Dollars where there are any, else miles; nothing when neither is known. */
export function useWorth(): (entry: Pick<Entry, 'amountCents' | 'miles'>) => string {
  const { format } = useWords()
  const milesText = useMilesText()
  return ({ amountCents, miles }) =>
    amountCents === null ? (miles === null ? '' : milesText(miles)) : format.money(amountCents)
}
