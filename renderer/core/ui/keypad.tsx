import type { ReactNode } from 'react'
import { useI18n } from '../i18n/i18n.ts'
import { Button } from './button.tsx'
import styles from './keypad.module.css'
import { keepFocus } from './text-field.ts'

const DIGITS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const

export function Keypad({
  label,
  onDigit,
  first,
  last,
}: {
  readonly label: string
  readonly onDigit: (digit: string) => void
  readonly first?: ReactNode
  readonly last?: ReactNode
}) {
  const { t } = useI18n()
  const digit = (value: string) => (
    <Button
      key={value}
      size="l"
      aria-label={t('tender.digit', { digit: value })}
      preventFocusOnPress
      onPress={() => onDigit(value)}
    >
      {value}
    </Button>
  )
  return (
    <div className={styles['keypad']} role="group" aria-label={label} ref={keepFocus}>
      {DIGITS.map(digit)}
      {first ?? <span />}
      {digit('0')}
      {last ?? <span />}
    </div>
  )
}
