import { useQuery } from '@tanstack/react-query'
import { CircleUserRound, LogIn, Users } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiProblem } from '../core/api/problem.ts'
import { api } from '../core/api/terminal-api.ts'
import { useWords } from '../core/i18n/words.tsx'
import { type Saying, problemSaying } from '../core/state/notices.ts'
import { type StaffMember, signIn, useTerminal } from '../core/state/terminal.ts'
import { Button } from '../core/ui/button.tsx'
import { Empty } from '../core/ui/surface.tsx'
import styles from './sign-in.module.css'
import { Button as AriaButton } from 'react-aria-components'
import { PinPad } from '../core/ui/pin-pad.tsx'

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
    <main
      className={`grid middle min-height-0 full-height scroll pad-6 ${styles['screen']}`}
      aria-label={t('app.mainLabel')}
    >
      <section className={styles['people']}>
        <h1>{t('signIn.title')}</h1>
        <p className={`dim ${styles['place']}`}>
          {t('signIn.subtitle', { store: terminal?.store.name ?? '', lane: terminal?.lane ?? '' })}
        </p>
        {staff.isPending && <p role="status">{t('app.loading')}</p>}
        {staff.isError && (
          <div role="alert" className={`row-3 round-m pad-4 ${styles['failed']}`}>
            <p>{staff.error instanceof ApiProblem ? problemSaying(staff.error)(words) : t('store.failed')}</p>
            <Button onPress={() => void staff.refetch()}>{t('app.tryAgain')}</Button>
          </div>
        )}
        {staff.data?.staff.length === 0 && (
          <Empty icon={<Users />} title={t('signIn.noStaffTitle')} text={t('signIn.noStaff')} />
        )}
        <PeopleTiles people={staff.data?.staff ?? []} chosen={chosen} onChoose={choose} />
        {children}
        {terminal?.mode === 'training' && (
          <p className={`text-s ink round-m surface-1 pad-3-4 ${styles['trainingPins']}`}>{t('signIn.trainingPins')}</p>
        )}
      </section>
      <section className={`grid middle panel pad-5 ${styles['pin']}`} aria-label={t('signIn.pinPad')}>
        {chosen ? (
          <SignInPad key={`${chosen.id} ${taps}`} person={chosen} />
        ) : (
          <p className={`text-l dim center ${styles['choose']}`}>{t('signIn.chooseSomeone')}</p>
        )}
      </section>
    </main>
  )
}

/** One tile a person; the chosen one is marked. */
export function PeopleTiles({
  people,
  chosen,
  onChoose,
  autoFocus = false,
}: {
  readonly people: readonly StaffMember[]
  readonly chosen: StaffMember | null
  readonly onChoose: (person: StaffMember) => void
  /** The first name takes the focus. */
  readonly autoFocus?: boolean
}) {
  const { t } = useWords()
  return (
    <div className={`stack-3 ${styles['tiles']}`} role="group" aria-label={t('signIn.staffLabel')}>
      {people.map((person, index) => (
        <AriaButton
          key={person.id}
          className={`row-3 panel ink pad-4 ${styles['tile']}`}
          autoFocus={autoFocus && index === 0}
          aria-pressed={chosen?.id === person.id}
          onPress={() => onChoose(person)}
        >
          <CircleUserRound aria-hidden="true" />
          <span>
            <strong>{person.name}</strong>
            <span>{t(person.role === 'manager' ? 'signIn.manager' : 'signIn.cashier')}</span>
          </span>
        </AriaButton>
      ))}
    </div>
  )
}

/** The PIN; and where somebody else has set it, one of the person's own, typed twice. `note`: why it is asked for. */
type Step =
  | { readonly ask: 'pin' }
  | { readonly ask: 'new'; readonly pin: string; readonly note: Saying }
  | { readonly ask: 'repeat'; readonly pin: string; readonly newPin: string }

/** Said of the new PIN, not of the one that it takes the place of. */
const OF_THE_NEW_PIN = ['pin-change-required', 'pin-common', 'pin-not-new']

/** The pad on which somebody signs in. */
export function SignInPad({ person, onSignedIn }: { readonly person: StaffMember; readonly onSignedIn?: () => void }) {
  const words = useWords()
  const { t } = words
  const [step, setStep] = useState<Step>({ ask: 'pin' })

  const enter = async (pin: string, newPin?: string): Promise<void> => {
    try {
      await signIn(person.id, pin, newPin)
    } catch (error) {
      if (!(error instanceof ApiProblem) || !OF_THE_NEW_PIN.includes(error.code)) throw error
      return setStep({ ask: 'new', pin, note: problemSaying(error) })
    }
    onSignedIn?.()
  }

  const pad = { name: person.name, icon: <LogIn />, words: { submit: t('signIn.signIn'), busy: t('signIn.signingIn') } }
  switch (step.ask) {
    case 'pin':
      return <PinPad key="pin" {...pad} submit={(pin) => enter(pin)} />
    case 'new':
      return (
        <PinPad
          key="new"
          {...pad}
          title={t('signIn.newPin')}
          note={step.note(words)}
          words={{ submit: t('signIn.next'), busy: t('signIn.signingIn') }}
          submit={(newPin) => {
            setStep({ ask: 'repeat', pin: step.pin, newPin })
            return Promise.resolve()
          }}
        />
      )
    case 'repeat':
      return (
        <PinPad
          key="repeat"
          {...pad}
          title={t('signIn.repeatPin')}
          submit={async (again) => {
            if (again === step.newPin) await enter(step.pin, step.newPin)
            else setStep({ ask: 'new', pin: step.pin, note: (said) => said.t('signIn.notSame') })
          }}
        />
      )
  }
}
