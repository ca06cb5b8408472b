import { Delete } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { ApiProblem, lockedUntil } from '../api/problem.ts'
import { useWords } from '../i18n/words.tsx'
import { problemSaying, type Saying } from '../state/notices.ts'
import { Button } from './button.tsx'
import { Keypad } from './keypad.tsx'
import { useFirstFocus } from './focus.ts'
import styles from './pin-pad.module.css'

const SHORTEST_PIN = 4
const LONGEST_PIN = 8

/**
 * The PIN of a person as dots; the same keys by touch and by keyboard. It is forgotten as soon as it was refused.
 * `submit` throws ApiProblem: the pad says it where the eyes are. `title`: where it is not the person's PIN that is
 * asked for, and `note` why.
 */
export function PinPad({
  name,
  icon,
  words: said,
  submit: send,
  title,
  note = '',
}: {
  readonly name: string
  readonly title?: string
  readonly note?: string
  readonly icon: ReactNode
  readonly words: { readonly submit: string; readonly busy: string }
  readonly submit: (pin: string) => Promise<void>
}) {
  const words = useWords()
  const { t } = words
  const [pin, setPin] = useState('')
  const [checking, setChecking] = useState(false)
  const [wrong, setWrong] = useState<Saying | null>(null)
  const pad = useRef<HTMLDivElement>(null)
  useFirstFocus(pad)

  const add = (digit: string): void => {
    setWrong(null)
    setPin((known) => (known + digit).slice(0, LONGEST_PIN))
  }
  const erase = (): void => setPin((known) => known.slice(0, -1))
  const submit = async (): Promise<void> => {
    if (pin.length < SHORTEST_PIN || checking) return
    // The button is disabled while the PIN is checked and would lose the focus.
    pad.current?.focus()
    setChecking(true)
    try {
      await send(pin)
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      const until = lockedUntil(error)
      setWrong(
        () => (speaking: Parameters<Saying>[0]) =>
          problemSaying(error)(speaking) +
          (until ? ` ${speaking.t('signIn.lockedUntil', { time: speaking.format.time(until) })}` : ''),
      )
      setPin('')
      setChecking(false)
      pad.current?.focus()
    }
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- digits have buttons too
    <div
      ref={pad}
      role="group"
      tabIndex={-1}
      aria-label={title ?? t('signIn.pinFor', { name })}
      className={styles['pad']}
      onKeyDown={(event) => {
        if (/^\d$/.test(event.key)) add(event.key)
        else if (event.key === 'Backspace') erase()
        else if (event.key === 'Enter' && event.target === pad.current) void submit()
      }}
    >
      <h2>{title ?? t('signIn.pinFor', { name })}</h2>
      <div className={styles['dots']} role="status" aria-label={t('signIn.pinDigits', { count: pin.length })}>
        {Array.from({ length: Math.max(SHORTEST_PIN, pin.length) }, (_, index) => (
          <span key={index} data-filled={index < pin.length} />
        ))}
      </div>
      <p className={styles[wrong ? 'wrong' : 'note']} role="alert">
        {wrong?.(words) ?? note}
      </p>
      <Keypad
        label={t('signIn.pinPad')}
        onDigit={add}
        last={<Button size="l" look="quiet" aria-label={t('signIn.eraseDigit')} icon={<Delete />} onPress={erase} />}
      />
      <Button
        look="primary"
        size="xl"
        wide
        icon={icon}
        isDisabled={pin.length < SHORTEST_PIN || checking}
        onPress={() => void submit()}
      >
        {checking ? said.busy : said.submit}
      </Button>
    </div>
  )
}
