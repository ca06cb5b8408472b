import { useQuery, useQueryClient } from '@tanstack/react-query'
import { MonitorX } from 'lucide-react'
import { showAnswer } from '../../api/answers.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { report } from '../../state/notices.ts'
import { Button } from '../../ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../ui/page.tsx'
import styles from './staff-page.module.css'

const WINDOWS = ['sessions']
const LOOK_AGAIN_MS = 15_000

/** The windows that may talk to this terminal: one that nobody knows is ended, and needs a new link. */
export function WindowsList() {
  const { t, format } = useWords()
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
                  <span className="spoken">{t('staff.endWindow')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {windows.data.sessions.map(({ id, staff, openedAt, signedInAt, here }) => (
                <tr key={id}>
                  <th scope="row">{format.dateTime(openedAt)}</th>
                  <td>{staff?.name ?? t('staff.nobody')}</td>
                  <td>{signedInAt === null ? '' : format.dateTime(signedInAt)}</td>
                  <td className={styles['act']}>
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
