import { Delete } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { ApiProblem, lockedUntil } from '../api/problem.ts'
import { useI18n } from '../i18n/i18n.ts'
import { problemText, type LazyText } from '../state/notices.ts'
import { Button } from './button.tsx'
import { Keypad } from './keypad.tsx'
import { useFirstFocus } from './focus.ts'
import styles from './pin-pad.module.css'

const SHORTEST_PIN = 4
const LONGEST_PIN = 8

/**
 * Shows a PIN as dots; it is entered by touch or keyboard and cleared after a rejection. `submit` throws ApiProblem,
 * which the pad shows. `title`: heading where the PIN is not the person's own; `note`: why the PIN is needed.
 */
export function PinPad({
  name,
  icon,
  texts,
  submit: send,
  title,
  note = '',
}: {
  readonly name: string
  readonly title?: string
  readonly note?: string
  readonly icon: ReactNode
  readonly texts: { readonly submit: string; readonly busy: string }
  readonly submit: (pin: string) => Promise<void>
}) {
  const i18n = useI18n()
  const { t } = i18n
  const [pin, setPin] = useState('')
  const [checking, setChecking] = useState(false)
  const [wrong, setWrong] = useState<LazyText | null>(null)
  const pad = useRef<HTMLDivElement>(null)
  useFirstFocus(pad)

  const add = (digit: string): void => {
    setWrong(null)
    setPin((known) => (known + digit).slice(0, LONGEST_PIN))
  }
  const erase = (): void => setPin((known) => known.slice(0, -1))
  const submit = async (): Promise<void> => {
    if (pin.length < SHORTEST_PIN || checking) return
    // Move the focus to the pad: the button, which is disabled while the PIN is checked, would lose it.
    pad.current?.focus()
    setChecking(true)
    try {
      await send(pin)
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      const until = lockedUntil(error)
      setWrong(
        () => (i18n: Parameters<LazyText>[0]) =>
          problemText(error)(i18n) +
          (until ? ` ${i18n.t('signIn.lockedUntil', { time: i18n.format.time(until) })}` : ''),
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
        {wrong?.(i18n) ?? note}
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
        {checking ? texts.busy : texts.submit}
      </Button>
    </div>
  )
}
