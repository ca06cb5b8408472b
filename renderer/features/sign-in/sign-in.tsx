import { useQuery } from '@tanstack/react-query'
import { Users } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { ApiProblem } from '../../api/problem.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { problemSaying } from '../../state/notices.ts'
import { useTerminal, type StaffMember } from '../../state/terminal.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/surface.tsx'
import { PeopleTiles } from './people-tiles.tsx'
import { SignInPad } from './sign-in-pad.tsx'
import styles from './sign-in.module.css'

/**
 * Who may sign in, and the pad for the PIN. `onShown`: called once, when they stand there; `children`: what is below
 * the names.
 */
export function SignIn({ onShown, children }: { readonly onShown: () => void; readonly children?: ReactNode }) {
  const words = useWords()
  const { t } = words
  const terminal = useTerminal((state) => state.terminal)
  const staff = useQuery({ queryKey: ['staff'], queryFn: api.staff })
  useEffect(() => {
    if (staff.isSuccess) onShown()
  }, [staff.isSuccess, onShown])
  const [chosen, setChosen] = useState<StaffMember | null>(null)
  // Tapping a name again begins again: an empty PIN, and the keyboard back on the pad.
  const [taps, setTaps] = useState(0)
  const choose = (person: StaffMember): void => {
    setChosen(person)
    setTaps((count) => count + 1)
  }
  return (
    <main className={styles['screen']} aria-label={t('app.mainLabel')}>
      <section className={styles['people']}>
        <h1>{t('signIn.title')}</h1>
        <p className={styles['place']}>
          {t('signIn.subtitle', { store: terminal?.store.name ?? '', lane: terminal?.lane ?? '' })}
        </p>
        {staff.isPending && <p role="status">{t('app.loading')}</p>}
        {staff.isError && (
          <div role="alert" className={styles['failed']}>
            <p>{staff.error instanceof ApiProblem ? problemSaying(staff.error)(words) : t('store.failed')}</p>
            <Button onPress={() => void staff.refetch()}>{t('app.tryAgain')}</Button>
          </div>
        )}
        {staff.data?.staff.length === 0 && (
          <Empty icon={<Users />} title={t('signIn.noStaffTitle')} text={t('signIn.noStaff')} />
        )}
        <PeopleTiles people={staff.data?.staff ?? []} chosen={chosen} onChoose={choose} />
        {children}
        {terminal?.mode === 'training' && <p className={styles['trainingPins']}>{t('signIn.trainingPins')}</p>}
      </section>
      <section className={styles['pin']} aria-label={t('signIn.pinPad')}>
        {chosen ? (
          <SignInPad key={`${chosen.id} ${taps}`} person={chosen} />
        ) : (
          <p className={styles['choose']}>{t('signIn.chooseSomeone')}</p>
        )}
      </section>
    </main>
  )
}
