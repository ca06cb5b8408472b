import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronRight, History } from 'lucide-react'
import type { CorrectionList } from '../../../contracts/api/queue.ts'
import { storeApi } from '../../api/store-api.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../ui/page.tsx'
import { Empty } from '../../ui/surface.tsx'
import styles from './queue.module.css'

type Correction = CorrectionList['corrections'][number]

/** What people ordered and settled: what, when, who and why. */
export function CorrectionsDialog({
  onClose,
  onOpen,
}: {
  readonly onClose: () => void
  readonly onOpen: (id: string) => void
}) {
  const { t } = useWords()
  const pages = useInfiniteQuery({
    queryKey: ['queue-corrections'],
    queryFn: ({ pageParam }) => storeApi.corrections(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: CorrectionList) => next ?? undefined,
    gcTime: 0,
  })
  const rows = pages.data?.pages.flatMap(({ corrections }) => corrections)
  return (
    <Dialog open onClose={onClose} size="l" title={t('queue.corrections')}>
      {pages.isPending && <p role="status">{t('app.loading')}</p>}
      {pages.isError && <LoadFailed error={pages.error} retry={() => void pages.refetch()} />}
      {rows?.length === 0 && (
        <Empty icon={<History />} title={t('queue.correctionsEmptyTitle')} text={t('queue.correctionsEmpty')} />
      )}
      {rows && rows.length > 0 && <Rows rows={rows} onOpen={onOpen} />}
      {pages.hasNextPage && (
        <div className={styles['more']}>
          <Button isDisabled={pages.isFetching} onPress={() => void pages.fetchNextPage()}>
            {t('queue.showMore')}
          </Button>
        </div>
      )}
    </Dialog>
  )
}

function Rows({ rows, onOpen }: { readonly rows: readonly Correction[]; readonly onOpen: (id: string) => void }) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} selectable`} aria-label={t('queue.corrections')}>
        <thead>
          <tr>
            <th scope="col">{t('queue.correctedAt')}</th>
            <th scope="col">{t('queue.what')}</th>
            <th scope="col">{t('queue.correctedBy')}</th>
            <th scope="col">{t('queue.sale')}</th>
            <th scope="col">{t('queue.correctedWhy')}</th>
            <th scope="col">
              <span className="spoken">{t('queue.open')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ number, at, by, what, operationId, saleId, note, miles, amountCents }) => (
            <tr key={number}>
              <td>{format.dateTime(at)}</td>
              <th scope="row">{t(`queue.correction.${what}`)}</th>
              <td>{by ?? ''}</td>
              <td>{saleId ?? ''}</td>
              <td>
                {[
                  miles === null ? '' : milesText(miles),
                  amountCents === null ? '' : format.money(amountCents),
                  note ?? '',
                ]
                  .filter((part) => part !== '')
                  .join(' · ')}
              </td>
              <td>
                {operationId && (
                  <IconButton
                    icon={<ChevronRight />}
                    label={t('queue.openCorrection', { sale: saleId ?? '' })}
                    onPress={() => onOpen(operationId)}
                  />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}
