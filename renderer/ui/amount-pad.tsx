import { Delete } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useWords } from '../i18n/words.tsx'
import { Button } from './button.tsx'
import { Keypad } from './keypad.tsx'
import styles from './amount-pad.module.css'

const DOUBLE_ZERO = '00'

export interface AmountPadProps {
  readonly label: string
  /** The amount as it is shown: money, or a percentage. */
  readonly shown: string
  readonly hint: string
  readonly wrong: boolean
  readonly onDigits: (digits: string) => void
  readonly onErase: () => void
  readonly onEnter: () => void
}

/** An amount typed from the right, as on a till, by touch and by keyboard; Enter on the pad itself confirms. */
export function AmountPad({ label, shown, hint, wrong, onDigits, onErase, onEnter }: AmountPadProps) {
  const { t } = useWords()
  const pad = useRef<HTMLDivElement>(null)
  useEffect(() => pad.current?.focus(), [])
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the pad takes typed digits while it has the focus; each has its button too
    <div
      ref={pad}
      role="group"
      tabIndex={-1}
      aria-label={label}
      className={styles['pad']}
      onKeyDown={(event) => {
        if (/^\d$/.test(event.key)) onDigits(event.key)
        else if (event.key === 'Backspace') onErase()
        else if (event.key === 'Enter' && event.target === pad.current) onEnter()
      }}
    >
      <output aria-label={label} className={`${styles['shown']} figures`}>{shown}</output>
      <p className={styles['hint']} data-wrong={wrong} role={wrong ? 'alert' : undefined}>{hint}</p>
      <Keypad
        label={t('tender.keypad')}
        onDigit={onDigits}
        first={<Button size="l" aria-label={t('tender.doubleZero')} preventFocusOnPress onPress={() => onDigits(DOUBLE_ZERO)}>{DOUBLE_ZERO}</Button>}
        last={<Button size="l" look="quiet" aria-label={t('tender.erase')} preventFocusOnPress icon={<Delete />} onPress={onErase} />}
      />
    </div>
  )
}
