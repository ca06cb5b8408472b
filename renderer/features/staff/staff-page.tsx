import { useQuery, useQueryClient } from '@tanstack/react-query'
import { LockKeyholeOpen, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import type { z } from 'zod'
import type { StaffLock } from '../../../contracts/api/session.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { clearProblems, notify, report } from '../../state/notices.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, PageHead, TableWrap, pageStyles } from '../../ui/page.tsx'
import { Tag } from '../../ui/surface.tsx'
import { WindowsList } from './windows-list.tsx'
import styles from './staff-page.module.css'

type Person = z.infer<typeof StaffLock>
const LOCKS = ['staff-locks']
const PIN_WORDS = { own: 'staff.ready', temporary: 'staff.temporary', none: 'staff.noPin' } as const satisfies Record<
  Person['pin'],
  string
>
/** A lock ends by itself, and another may begin at the sign-in screen of a second window. */
const LOOK_AGAIN_MS = 15_000

/** Who works at this lane, and whose PIN is locked: a manager lets them try again at once. */
export function StaffPage() {
  const { t } = useWords()
  const staff = useQuery({ queryKey: LOCKS, queryFn: api.staffLocks, refetchInterval: LOOK_AGAIN_MS, gcTime: 0 })
  const { refetch } = staff
  return (
    <>
      <PageHead title={t('staff.title')} intro={t('staff.intro')}>
        <Button icon={<RefreshCw />} isDisabled={staff.isFetching} onPress={() => void refetch()}>
          {t('store.refresh')}
        </Button>
      </PageHead>
      {staff.isPending && <p role="status">{t('app.loading')}</p>}
      {staff.isError && <LoadFailed error={staff.error} retry={() => void refetch()} />}
      {staff.data && (
        <TableWrap>
          <table className={`${pageStyles['table']} ${styles['table']}`} aria-label={t('staff.title')}>
            <thead>
              <tr>
                <th scope="col">{t('staff.name')}</th>
                <th scope="col">{t('staff.role')}</th>
                <th scope="col">{t('staff.pin')}</th>
                <th scope="col">
                  <span className="spoken">{t('staff.liftLock')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {staff.data.staff.map((person) => (
                <Row key={person.id} person={person} />
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
      <WindowsList />
    </>
  )
}

function Row({ person }: { readonly person: Person }) {
  const { t, format } = useWords()
  const queries = useQueryClient()
  const [lifting, setLifting] = useState(false)
  const { id, name, lockedUntil, approvalsLockedUntil, mayNotApprove } = person
  const shut = lockedUntil !== null || approvalsLockedUntil !== null || mayNotApprove
  const lift = async (): Promise<void> => {
    setLifting(true)
    try {
      queries.setQueryData(LOCKS, await api.liftLock(id))
      clearProblems()
      notify('success', (words) => words.t('staff.lifted', { name }))
    } catch (error) {
      report(error)
    } finally {
      setLifting(false)
    }
  }
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{t(`signIn.${person.role}`)}</td>
      <td>
        <span className={styles['tags']}>
          {lockedUntil !== null ? (
            <Tag tone="danger">{t('staff.lockedUntil', { time: format.time(lockedUntil) })}</Tag>
          ) : (
            <Tag tone={person.pin === 'own' ? 'ok' : 'warn'}>{t(PIN_WORDS[person.pin])}</Tag>
          )}
          {approvalsLockedUntil !== null && (
            <Tag tone="danger">{t('staff.asksLockedUntil', { time: format.time(approvalsLockedUntil) })}</Tag>
          )}
          {mayNotApprove && <Tag tone="danger">{t('staff.mayNotApprove')}</Tag>}
        </span>
      </td>
      <td className={styles['act']}>
        {shut && (
          <Button
            icon={<LockKeyholeOpen />}
            isDisabled={lifting}
            aria-label={t('staff.liftLockOf', { name })}
            onPress={() => void lift()}
          >
            {t('staff.liftLock')}
          </Button>
        )}
      </td>
    </tr>
  )
}
