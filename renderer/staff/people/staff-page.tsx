import { useQuery, useQueryClient } from '@tanstack/react-query'
import { LockKeyholeOpen, MonitorX, Pencil, RefreshCw, UserPlus } from 'lucide-react'
import { useState } from 'react'
import type { Person } from '../../../contracts/staff/session.ts'
import { showAnswer, storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { clearProblems, notify, report } from '../../core/state/notices.ts'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { ChangedElsewhere } from '../settings/setting-table.tsx'
import { Tag } from '../../core/ui/surface.tsx'
import { BadgeDialog, PersonDialog, PinDialog } from './person-dialog.tsx'
import { WaitingChangesList } from './waiting-changes.tsx'
import styles from './staff-page.module.css'

const PEOPLE = ['people']
const PIN_TEXTS = { own: 'staff.ready', temporary: 'staff.temporary', none: 'staff.noPin' } as const satisfies Record<
  Person['pin'],
  string
>
/** Interval of reloading the people: a PIN lock ends by itself, and another may begin in a second window. */
const LOOK_AGAIN_MS = 15_000

export function StaffPage() {
  const { t } = useI18n()
  const queries = useQueryClient()
  const staff = useQuery({ queryKey: PEOPLE, queryFn: storeApi.people, refetchInterval: LOOK_AGAIN_MS, gcTime: 0 })
  const { refetch } = staff
  const [editing, setEditing] = useState<Person | 'new' | null>(null)
  const [badgeOf, setBadgeOf] = useState<Person | null>(null)
  const [newPin, setNewPin] = useState<{ readonly name: string; readonly pin: string } | null>(null)
  return (
    <>
      <PageHead title={t('staff.title')} intro={t('staff.intro')}>
        <Button icon={<UserPlus />} look="primary" onPress={() => setEditing('new')}>
          {t('people.add')}
        </Button>
        <Button icon={<RefreshCw />} isDisabled={staff.isFetching} onPress={() => void refetch()}>
          {t('store.refresh')}
        </Button>
      </PageHead>
      <WaitingChangesList onDone={() => void refetch()} />
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
                  <span className="sr-only">{t('people.actions')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {staff.data.people.map((person) => (
                <Row key={person.id} person={person} onEdit={() => setEditing(person)} />
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
      <WindowsList />
      {editing && (
        <PersonDialog
          person={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
          onSaved={(people) => void showAnswer(queries, PEOPLE, { people })}
          onPin={({ name }, pin) => {
            setEditing(null)
            setNewPin({ name, pin })
            void refetch()
          }}
          onBadge={(person) => {
            setEditing(null)
            setBadgeOf(person)
          }}
        />
      )}
      {badgeOf && (
        <BadgeDialog
          person={badgeOf}
          onClose={() => setBadgeOf(null)}
          onSaved={(people) => void showAnswer(queries, PEOPLE, { people })}
        />
      )}
      {newPin && <PinDialog {...newPin} onClose={() => setNewPin(null)} />}
    </>
  )
}

function Row({ person, onEdit }: { readonly person: Person; readonly onEdit: () => void }) {
  const { t, format } = useI18n()
  const queries = useQueryClient()
  const [lifting, setLifting] = useState(false)
  const { id, name, lockedUntil, approvalsLockedUntil, mayNotApprove } = person
  const shut = lockedUntil !== null || approvalsLockedUntil !== null || mayNotApprove
  const lift = async (): Promise<void> => {
    setLifting(true)
    try {
      await storeApi.liftLock(id)
      await queries.refetchQueries({ queryKey: PEOPLE })
      clearProblems()
      notify('success', (i18n) => i18n.t('staff.lifted', { name }))
    } catch (error) {
      report(error)
    } finally {
      setLifting(false)
    }
  }
  return (
    <tr>
      <th scope="row" className="prose">
        {name}
      </th>
      <td>
        <span className={`gap-1 justify-start ${styles['changed']}`}>
          {t(`signIn.${person.role}`)}
          <ChangedElsewhere elsewhere={person.elsewhere} />
        </span>
      </td>
      <td>
        <span className={`wrap gap-1 ${styles['tags']}`}>
          {!person.active ? (
            <Tag tone="neutral">{t('people.left')}</Tag>
          ) : lockedUntil !== null ? (
            <Tag tone="danger">{t('staff.lockedUntil', { time: format.time(lockedUntil) })}</Tag>
          ) : (
            <Tag tone={person.pin === 'own' ? 'ok' : 'warn'}>{t(PIN_TEXTS[person.pin])}</Tag>
          )}
          {approvalsLockedUntil !== null && (
            <Tag tone="danger">{t('staff.asksLockedUntil', { time: format.time(approvalsLockedUntil) })}</Tag>
          )}
          {person.badge !== 'none' && (
            <Tag tone={person.badge === 'active' ? 'ok' : 'neutral'}>
              {t(person.badge === 'active' ? 'people.badge' : 'people.badgeInactive')}
            </Tag>
          )}
          {mayNotApprove && <Tag tone="danger">{t('staff.mayNotApprove')}</Tag>}
        </span>
      </td>
      <td className="right nowrap">
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
        <IconButton icon={<Pencil />} label={t('people.edit', { name })} onPress={onEdit} />
      </td>
    </tr>
  )
}

const WINDOWS = ['sessions']
/** Lists the windows with access to this terminal. A window that was ended needs a new link. */
export function WindowsList() {
  const { t, format } = useI18n()
  const queries = useQueryClient()
  const windows = useQuery({ queryKey: WINDOWS, queryFn: storeApi.sessions, refetchInterval: LOOK_AGAIN_MS, gcTime: 0 })
  const end = (id: string): void =>
    void storeApi.endSession(id).then((left) => showAnswer(queries, WINDOWS, left), report)
  return (
    <section aria-label={t('staff.windows')} className={pageStyles['section']}>
      <h3>{t('staff.windows')}</h3>
      {windows.isError && <LoadFailed error={windows.error} retry={() => void windows.refetch()} />}
      {windows.data && (
        <TableWrap>
          <table className={`${pageStyles['table']} ${styles['windows']}`} aria-label={t('staff.windows')}>
            <thead>
              <tr>
                <th scope="col">{t('staff.windowOpened')}</th>
                <th scope="col">{t('staff.name')}</th>
                <th scope="col">{t('staff.signedInAt')}</th>
                <th scope="col">
                  <span className="sr-only">{t('staff.endWindow')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {windows.data.sessions.map(({ id, staff, openedAt, signedInAt, here }) => (
                <tr key={id}>
                  <th scope="row">{format.dateTime(openedAt)}</th>
                  <td>{staff?.name ?? t('staff.nobody')}</td>
                  <td>{signedInAt === null ? '' : format.dateTime(signedInAt)}</td>
                  <td className="right nowrap">
                    {here ? (
                      t('staff.thisWindow')
                    ) : (
                      <Button
                        icon={<MonitorX />}
                        aria-label={t('staff.endWindowOf', { time: format.dateTime(openedAt) })}
                        onPress={() => end(id)}
                      >
                        {t('staff.endWindow')}
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableWrap>
      )}
    </section>
  )
}
