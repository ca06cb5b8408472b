import { useQuery } from '@tanstack/react-query'
import { CircleUserRound, Delete, LogIn, Users } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Button as AriaButton } from 'react-aria-components'
import { ApiProblem, lockedUntil } from '../../api/problem.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { problemSaying, type Saying } from '../../stores/notices.ts'
import { signIn, useTerminal, type StaffMember } from '../../stores/terminal.ts'
import { Button } from '../../ui/button.tsx'
import { Keypad } from '../../ui/keypad.tsx'
import { Empty } from '../../ui/surface.tsx'
import styles from './sign-in.module.css'

const SHORTEST_PIN = 4
const LONGEST_PIN = 8

export function SignIn() {
  const words = useWords()
  const { t } = words
  const terminal = useTerminal((state) => state.terminal)
  const staff = useQuery({ queryKey: ['staff'], queryFn: api.staff })
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
        <p className={styles['place']}>{t('signIn.subtitle', { store: terminal?.store.name ?? '', lane: terminal?.lane ?? '' })}</p>
        {staff.isPending && <p role="status">{t('app.loading')}</p>}
        {staff.isError && (
          <div role="alert" className={styles['failed']}>
            <p>{staff.error instanceof ApiProblem ? problemSaying(staff.error)(words) : t('store.failed')}</p>
            <Button onPress={() => void staff.refetch()}>{t('app.tryAgain')}</Button>
          </div>
        )}
        {staff.data?.staff.length === 0 && <Empty icon={<Users />} title={t('signIn.noStaffTitle')} text={t('signIn.noStaff')} />}
        <div className={styles['tiles']} role="group" aria-label={t('signIn.staffLabel')}>
          {staff.data?.staff.map((person) => (
            <AriaButton key={person.id} className={styles['tile'] ?? ''} aria-pressed={chosen?.id === person.id} onPress={() => choose(person)}>
              <CircleUserRound aria-hidden="true" />
              <span><strong>{person.name}</strong><span>{t(person.role === 'manager' ? 'signIn.manager' : 'signIn.cashier')}</span></span>
            </AriaButton>
          ))}
        </div>
        {terminal?.mode === 'training' && <p className={styles['trainingPins']}>{t('signIn.trainingPins')}</p>}
      </section>
      <section className={styles['pin']} aria-label={t('signIn.pinPad')}>
        {chosen ? <PinPad key={`${chosen.id} ${taps}`} person={chosen} /> : <p className={styles['choose']}>{t('signIn.chooseSomeone')}</p>}
      </section>
    </main>
  )
}

/** The PIN as dots; the same keys by touch and by keyboard. It is forgotten as soon as it was refused. */
function PinPad({ person }: { readonly person: StaffMember }) {
  const words = useWords()
  const { t } = words
  const [pin, setPin] = useState('')
  const [checking, setChecking] = useState(false)
  const [wrong, setWrong] = useState<Saying | null>(null)
  const pad = useRef<HTMLDivElement>(null)
  useEffect(() => pad.current?.focus(), [])

  const add = (digit: string): void => {
    setWrong(null)
    setPin((known) => (known + digit).slice(0, LONGEST_PIN))
  }
  const erase = (): void => setPin((known) => known.slice(0, -1))
  const submit = async (): Promise<void> => {
    if (pin.length < SHORTEST_PIN || checking) return
    setChecking(true)
    try {
      await signIn(person.id, pin)
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      const until = lockedUntil(error)
      setWrong(() => (said: Parameters<Saying>[0]) =>
        problemSaying(error)(said) + (until ? ` ${said.t('signIn.lockedUntil', { time: said.format.time(until) })}` : ''))
      setPin('')
      setChecking(false)
      pad.current?.focus()
    }
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the pad takes typed digits while it has the focus; each has its button too
    <div
      ref={pad}
      role="group"
      tabIndex={-1}
      aria-label={t('signIn.pinFor', { name: person.name })}
      className={styles['pad']}
      onKeyDown={(event) => {
        if (/^\d$/.test(event.key)) add(event.key)
        else if (event.key === 'Backspace') erase()
        else if (event.key === 'Enter' && event.target === pad.current) void submit()
      }}
    >
      <h2>{t('signIn.pinFor', { name: person.name })}</h2>
      <div className={styles['dots']} role="status" aria-label={t('signIn.pinDigits', { count: pin.length })}>
        {Array.from({ length: Math.max(SHORTEST_PIN, pin.length) }, (_, index) => <span key={index} data-filled={index < pin.length} />)}
      </div>
      <p className={styles['wrong']} role="alert">{wrong?.(words)}</p>
      <Keypad
        label={t('signIn.pinPad')}
        onDigit={add}
        last={<Button size="l" look="quiet" aria-label={t('signIn.eraseDigit')} icon={<Delete />} onPress={erase} />}
      />
      <Button look="primary" size="xl" wide icon={<LogIn />} isDisabled={pin.length < SHORTEST_PIN || checking} onPress={() => void submit()}>
        {t(checking ? 'signIn.signingIn' : 'signIn.signIn')}
      </Button>
    </div>
  )
}
