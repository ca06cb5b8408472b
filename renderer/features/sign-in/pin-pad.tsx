import { Delete, LogIn } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ApiProblem, lockedUntil } from '../../api/problem.ts'
import { useWords } from '../../i18n/words.tsx'
import { problemSaying, type Saying } from '../../stores/notices.ts'
import { signIn, type StaffMember } from '../../stores/terminal.ts'
import { Button } from '../../ui/button.tsx'
import { Keypad } from '../../ui/keypad.tsx'
import styles from './sign-in.module.css'

const SHORTEST_PIN = 4
const LONGEST_PIN = 8

/** The PIN as dots; the same keys by touch and by keyboard. It is forgotten as soon as it was refused. */
export function PinPad({ person, onSignedIn }: { readonly person: StaffMember; readonly onSignedIn?: () => void }) {
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
      onSignedIn?.()
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
