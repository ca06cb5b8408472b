import { useQuery } from '@tanstack/react-query'
import { CircleCheckBig, RefreshCw } from 'lucide-react'
import { useEffect } from 'react'
import { api } from '../../api/terminal-api.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../stores/events.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead, pageStyles } from '../../ui/page.tsx'
import { Empty, Tag } from '../../ui/surface.tsx'

const LOOK_AT = new Set(['escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated'])

export function QueuePage() {
  const { t, format } = useWords()
  const milesText = useMilesText()
  const changes = useEvents((state) => state.queueCount)
  const queue = useQuery({ queryKey: ['queue'], queryFn: api.queue })
  const { refetch } = queue
  useEffect(() => { void refetch() }, [changes, refetch])
  const summary = queue.data?.summary
  return (
    <>
      <PageHead title={t('queue.title')} intro={t('queue.intro')}>
        <Button icon={<RefreshCw />} isDisabled={queue.isFetching} onPress={() => void refetch()}>{t('store.refresh')}</Button>
      </PageHead>
      {queue.isPending && <p role="status">{t('app.loading')}</p>}
      {queue.isError && <LoadFailed error={queue.error} retry={() => void refetch()} />}
      {summary && (
        <dl className={pageStyles['cards']} aria-label={t('queue.summary')}>
          {(['waiting', 'sending', 'attention'] as const).map((part) => (
            <div key={part} className={pageStyles['card']}><dt>{t(`queue.${part}`)}</dt><dd className={`${pageStyles['figure']} figures`}>{summary[part]}</dd></div>
          ))}
        </dl>
      )}
      {queue.data?.entries.length === 0 && <Empty icon={<CircleCheckBig />} title={t('queue.emptyTitle')} text={t('queue.empty')} />}
      {queue.data && queue.data.entries.length > 0 && (
        <div className={`${pageStyles['tableWrap']} ${pageStyles['section']}`}>
          <table className={pageStyles['table']} aria-label={t('queue.title')}>
            <thead>
              <tr>
                <th scope="col">{t('queue.what')}</th><th scope="col">{t('queue.state')}</th><th scope="col">{t('queue.amount')}</th>
                <th scope="col">{t('queue.code')}</th><th scope="col">{t('queue.attempts')}</th><th scope="col">{t('queue.since')}</th><th scope="col">{t('queue.sale')}</th>
              </tr>
            </thead>
            <tbody>
              {queue.data.entries.map((entry) => (
                <tr key={entry.id}>
                  <th scope="row">{t(`queue.kind.${entry.kind}`)}</th>
                  <td><Tag tone={LOOK_AT.has(entry.state) ? 'warn' : 'neutral'}>{t(`queue.states.${entry.state}`)}</Tag></td>
                  <td>{entry.amountCents === null ? entry.miles === null ? '' : milesText(entry.miles) : format.money(entry.amountCents)}</td>
                  <td>{entry.responseCode ?? ''}</td>
                  <td>{entry.attempts}</td>
                  <td>{format.dateTime(entry.createdAt)}</td>
                  <td className={pageStyles['mono']}>{entry.saleId}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
