import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ShieldAlert, ShieldCheck } from 'lucide-react'
import type { AuditVerdict, AuditVerification } from '../../../contracts/staff/audit.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import styles from './audit.module.css'

const KEY = ['audit-verification']
const LOOK_AGAIN_MS = 400

export function Verification() {
  const { t, format } = useI18n()
  const queries = useQueryClient()
  const state = useQuery({
    queryKey: KEY,
    queryFn: storeApi.auditVerification,
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? LOOK_AGAIN_MS : false),
    gcTime: 0,
  })
  const start = useMutation({
    mutationFn: storeApi.verifyAudit,
    onSuccess: (begun) => showAnswer<AuditVerification>(queries, KEY, begun),
  })
  const running = state.data?.state === 'running' || start.isPending
  return (
    <section
      className={`wrap middle between box pad-3-4 ${styles['verification']}`}
      aria-label={t('audit.verifyTitle')}
    >
      <div className={`wrap gap-2-3 middle min-width-0 text-s ${styles['verdict']}`} role="status">
        {state.data?.state === 'running' && (
          <>
            <p>{t('audit.progress', { read: format.miles(state.data.read), total: state.data.total })}</p>
            <progress
              aria-label={t('audit.verifying')}
              value={state.data.read}
              max={Math.max(state.data.total, state.data.read, 1)}
            />
          </>
        )}
        {state.data?.state === 'never' && <p>{t('audit.never')}</p>}
        {state.data?.state === 'done' && state.data.verdict && (
          <Verdict verdict={state.data.verdict} endedAt={state.data.endedAt ?? ''} />
        )}
        {state.isPending && <p>{t('app.loading')}</p>}
      </div>
      {(state.isError || start.isError) && (
        <LoadFailed error={state.error ?? start.error ?? new Error()} retry={() => void state.refetch()} />
      )}
      <Button icon={<ShieldCheck />} isDisabled={running} onPress={() => start.mutate()}>
        {t(running ? 'audit.verifying' : 'audit.verify')}
      </Button>
    </section>
  )
}

function Verdict({ verdict, endedAt }: { readonly verdict: AuditVerdict; readonly endedAt: string }) {
  const { t, format } = useI18n()
  const { entries, newestAt, broken, zReports, seconds } = verdict
  if (!broken)
    return (
      <>
        <Tag tone="ok" icon={<ShieldCheck />}>
          {t('audit.ok')}
        </Tag>
        <p>
          {newestAt === null
            ? t('audit.okEmpty')
            : [
                t('audit.okText', { count: entries, newest: format.dateTime(newestAt) }),
                ...(zReports === 0 ? [] : [t('audit.okZ', { count: zReports })]),
                t('audit.okTime', {
                  time: format.dateTime(endedAt),
                  seconds: format.miles(Math.max(1, Math.round(seconds))),
                }),
              ].join(' ')}
        </p>
      </>
    )
  const { cause, entry, intact } = broken
  return (
    <>
      <Tag tone="danger" icon={<ShieldAlert />}>
        {t('audit.broken')}
      </Tag>
      <p>
        {t(`audit.cause.${cause}`)}{' '}
        {entry === null
          ? t('audit.brokenSome', { count: entries })
          : intact === null
            ? t('audit.brokenFirst', { number: format.miles(entry) })
            : t('audit.brokenAt', {
                number: format.miles(entry),
                last: format.miles(intact.number),
                time: format.dateTime(intact.at),
              })}{' '}
        {t('audit.todo')} {t('audit.checkedAt', { time: format.dateTime(endedAt) })}
      </p>
    </>
  )
}
