import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Activity } from 'lucide-react'
import { useEffect } from 'react'
import type { ConnectionStatus } from '../../../contracts/api/connection.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead } from '../../ui/page.tsx'
import { ConnectionHistory } from './connection-history.tsx'
import { ConnectionNow, LastCheck } from './connection-now.tsx'
import { ConnectionSteps } from './connection-steps.tsx'

/** How the program's services are reached: now, step by step when a manager asks, and over a year. */
export function ConnectionPage() {
  const { t } = useWords()
  const queries = useQueryClient()
  const echoes = useEvents((state) => state.echoCount)
  const steps = useEvents((state) => state.connectionCount)
  const status = useQuery({ queryKey: ['connection'], queryFn: storeApi.connection })
  const { refetch } = status
  useEffect(() => {
    void refetch()
  }, [echoes, steps, refetch])
  const start = useMutation({
    mutationFn: storeApi.checkConnection,
    onSuccess: (check) => {
      queries.setQueryData<ConnectionStatus>(['connection'], (known) => known && { ...known, check })
      void refetch()
    },
  })
  const check = status.data?.check ?? null
  const running = start.isPending || (check !== null && check.endedAt === null)
  return (
    <>
      <PageHead title={t('connection.title')} intro={t('connection.intro')}>
        <Button look="primary" size="l" icon={<Activity />} isDisabled={running} onPress={() => start.mutate()}>
          {t(running ? 'connection.running' : 'connection.run')}
        </Button>
      </PageHead>
      {start.isError && <LoadFailed error={start.error} retry={() => start.mutate()} />}
      {status.isError && <LoadFailed error={status.error} retry={() => void refetch()} />}
      {status.isPending && <p role="status">{t('app.loading')}</p>}
      {status.isSuccess && (
        <>
          <ConnectionNow status={status.data} />
          <ConnectionSteps check={check} />
          <ConnectionHistory />
          {status.data.latest && <LastCheck result={status.data.latest} />}
        </>
      )}
    </>
  )
}
