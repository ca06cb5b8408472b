import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import type { Queue } from '../../../contracts/loyalty/queue.ts'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button } from '../../core/ui/button.tsx'
import { Dialog } from '../../core/ui/dialog.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import styles from './queue.module.css'

const LOOK_AGAIN_MS = 1_000

export function BulkSendAgain({ queue }: { readonly queue: Pick<Queue, 'sendable' | 'bulk'> }) {
  const { t, format } = useI18n()
  const queries = useQueryClient()
  const [asking, setAsking] = useState(false)
  const running = queue.bulk !== null && queue.bulk.endedAt === null
  // Polls, because no event reports the progress between two operations.
  useQuery({
    queryKey: ['queue-bulk'],
    queryFn: async () => {
      await queries.invalidateQueries({ queryKey: ['queue'] })
      return Date.now()
    },
    enabled: running,
    refetchInterval: running ? LOOK_AGAIN_MS : false,
    gcTime: 0,
  })
  const sending = useMutation({
    mutationFn: storeApi.sendAllAgain,
    onSuccess: () => {
      setAsking(false)
      void queries.invalidateQueries({ queryKey: ['queue'] })
    },
  })
  const { bulk, sendable } = queue
  if (bulk === null && sendable === 0) return null
  return (
    <section className={`row-3 wraps ${styles['bulk']}`} aria-label={t('queue.bulk')}>
      <div role="status">
        {bulk && (
          <p className="figures">
            {t(running ? 'queue.bulkGoing' : 'queue.bulkDone', {
              sent: format.miles(bulk.sent),
              total: format.miles(bulk.total),
            })}{' '}
            {bulk.skipped > 0 && t('queue.bulkSkipped', { count: bulk.skipped })}
          </p>
        )}
      </div>
      {running && bulk && <progress aria-label={t('queue.bulk')} value={bulk.sent + bulk.skipped} max={bulk.total} />}
      {!running && sendable > 0 && (
        <Button icon={<RotateCw />} onPress={() => setAsking(true)}>
          {t('queue.bulkOrder', { count: sendable })}
        </Button>
      )}
      {asking && (
        <Dialog
          open
          role="alertdialog"
          onClose={() => setAsking(false)}
          title={t('queue.bulkOrder', { count: sendable })}
        >
          <p>{t('queue.bulkIntro')}</p>
          {sending.isError && <LoadFailed error={sending.error} retry={() => sending.mutate()} />}
          <div className="stack-3 foot">
            <Button size="l" autoFocus isDisabled={sending.isPending} onPress={() => setAsking(false)}>
              {t('queue.back')}
            </Button>
            <Button size="l" look="primary" isDisabled={sending.isPending} onPress={() => sending.mutate()}>
              {sending.isPending ? t('queue.ordering') : t('queue.bulkConfirm')}
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  )
}
