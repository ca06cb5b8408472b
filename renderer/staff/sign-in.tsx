import { useQuery } from '@tanstack/react-query'
import { CircleUserRound, LogIn, Users } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiProblem } from '../core/api/problem.ts'
import { api } from '../core/api/terminal-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { type LazyText, problemText } from '../core/state/notices.ts'
import { type StaffMember, signIn, useTerminal } from '../core/state/terminal.ts'
import { Button } from '../core/ui/button.tsx'
import { Empty } from '../core/ui/surface.tsx'
import styles from './sign-in.module.css'
import { Button as AriaButton } from 'react-aria-components'
import { PinPad } from '../core/ui/pin-pad.tsx'

/**
 * Sign-in screen: the names of people who may sign in, and the PIN pad. `onShown` is called once, when the names are
 * shown; `children` go below them.
 */
export function SignIn({ onShown, children }: { readonly onShown: () => void; readonly children?: ReactNode }) {
  const i18n = useI18n()
  const { t } = i18n
  const terminal = useTerminal((state) => state.terminal)
  const staff = useQuery({ queryKey: ['staff'], queryFn: api.staff })
  useEffect(() => {
    if (staff.isSuccess) onShown()
  }, [staff.isSuccess, onShown])
  const [chosen, setChosen] = useState<StaffMember | null>(null)
  // Number of taps on a name: each tap starts again with an empty PIN and the focus on the pad.
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
            <p>{staff.error instanceof ApiProblem ? problemText(staff.error)(i18n) : t('app.failed')}</p>
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

export function PeopleTiles({
  people,
  chosen,
  onChoose,
  autoFocus = false,
}: {
  readonly people: readonly StaffMember[]
  readonly chosen: StaffMember | null
  readonly onChoose: (person: StaffMember) => void
  readonly autoFocus?: boolean
}) {
  const { t } = useI18n()
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

/**
 * Step of a sign-in: asks for the PIN and, if another person set it, for a new PIN twice. `note`: why a new one is
 * required.
 */
type Step =
  | { readonly ask: 'pin' }
  | { readonly ask: 'new'; readonly pin: string; readonly note: LazyText }
  | { readonly ask: 'repeat'; readonly pin: string; readonly newPin: string }

/** Codes of problems that concern the new PIN, not the old one. */
const NEW_PIN_PROBLEMS = ['pin-change-required', 'pin-common', 'pin-not-new']

export function SignInPad({ person, onSignedIn }: { readonly person: StaffMember; readonly onSignedIn?: () => void }) {
  const i18n = useI18n()
  const { t } = i18n
  const [step, setStep] = useState<Step>({ ask: 'pin' })

  const enter = async (pin: string, newPin?: string): Promise<void> => {
    try {
      await signIn(person.id, pin, newPin)
    } catch (error) {
      if (!(error instanceof ApiProblem) || !NEW_PIN_PROBLEMS.includes(error.code)) throw error
      return setStep({ ask: 'new', pin, note: problemText(error) })
    }
    onSignedIn?.()
  }

  const pad = { name: person.name, icon: <LogIn />, texts: { submit: t('signIn.signIn'), busy: t('signIn.signingIn') } }
  switch (step.ask) {
    case 'pin':
      return <PinPad key="pin" {...pad} submit={(pin) => enter(pin)} />
    case 'new':
      return (
        <PinPad
          key="new"
          {...pad}
          title={t('signIn.newPin')}
          note={step.note(i18n)}
          texts={{ submit: t('signIn.next'), busy: t('signIn.signingIn') }}
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
            else setStep({ ask: 'new', pin: step.pin, note: (i18n) => i18n.t('signIn.notSame') })
          }}
        />
      )
  }
}
