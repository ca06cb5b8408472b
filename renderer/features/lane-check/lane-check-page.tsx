import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Stethoscope } from 'lucide-react'
import { useEffect } from 'react'
import type { LaneCheck, LastLaneCheck } from '../../../contracts/api/lane-check.ts'
import { storeApi } from '../../api/store-api.ts'
import type { Words } from '../../i18n/message-key.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents } from '../../state/events.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead } from '../../ui/page.tsx'
import { Empty } from '../../ui/surface.tsx'
import { CheckedParts } from './checked-parts.tsx'
import styles from './lane-check.module.css'

/** A check of the whole lane, started by hand: each part as it ends, and what is to do about it. */
export function LaneCheckPage() {
  const { t, format } = useWords()
  const queries = useQueryClient()
  const news = useEvents((state) => state.laneCheckCount)
  const last = useQuery({ queryKey: ['lane-check'], queryFn: storeApi.laneCheck })
  const { refetch } = last
  useEffect(() => {
    void refetch()
  }, [news, refetch])
  const start = useMutation({
    mutationFn: storeApi.checkLane,
    onSuccess: (begun) => {
      queries.setQueryData<LastLaneCheck>(['lane-check'], begun)
      void refetch()
    },
  })
  const check = last.data?.check ?? null
  const running = start.isPending || (check !== null && check.endedAt === null)
  return (
    <>
      <PageHead title={t('laneCheck.title')} intro={t('laneCheck.intro')}>
        <Button look="primary" size="l" icon={<Stethoscope />} isDisabled={running} onPress={() => start.mutate()}>
          {t(running ? 'laneCheck.running' : 'laneCheck.run')}
        </Button>
      </PageHead>
      {start.isError && <LoadFailed error={start.error} retry={() => start.mutate()} />}
      {last.isError && <LoadFailed error={last.error} retry={() => void refetch()} />}
      {last.isPending && <p role="status">{t('app.loading')}</p>}
      {last.isSuccess && (
        // One region that is there before it speaks: how far the check is, and how it ended.
        <p role="status" className={styles['sum']}>
          {check !== null && sumOf(t, check)}
          {check !== null &&
            check.endedAt !== null &&
            ` ${t('laneCheck.checkedAt', { time: format.dateTime(check.endedAt) })}`}
        </p>
      )}
      {last.isSuccess && check === null && (
        <Empty icon={<Stethoscope />} title={t('laneCheck.notRun')} text={t('laneCheck.notRunHelp')} />
      )}
      {check && <CheckedParts check={check} />}
    </>
  )
}

function sumOf(t: Words, { parts, endedAt }: LaneCheck): string {
  const count = (...states: readonly LaneCheck['parts'][number]['state'][]): number =>
    parts.filter(({ state }) => states.includes(state)).length
  return endedAt === null
    ? t('laneCheck.progress', { done: parts.length - count('running'), all: parts.length })
    : t('laneCheck.ended', { wrong: count('wrong'), attention: count('attention') })
}
