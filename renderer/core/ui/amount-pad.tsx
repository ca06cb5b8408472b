import { Delete } from 'lucide-react'
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import { useWords } from '../i18n/words.tsx'
import { Button } from './button.tsx'
import { Keypad } from './keypad.tsx'
import { useFirstFocus } from './focus.ts'
import { DECIMAL_MARKS, eraseDigit, isRefused, typeDigits, type AmountEntry, type TypedAmount } from './typed-amount.ts'
import styles from './amount-pad.module.css'
import { eraseIn, focusedField, typeInto } from './text-field.ts'

const DOUBLE_ZERO = '00'
const NOTHING_TYPED: TypedAmount = { amount: 0, decimals: null }

export interface AmountPadProps {
  readonly label: string
  /** What was typed so far, in cents or hundredths of a percent; null while nothing was. */
  readonly typed: number | null
  readonly onType: (typed: number) => void
  /** How digits count before a decimal mark is typed; left out: from the right, as on a cash register. */
  readonly entry?: AmountEntry
  /** Stands there until something is typed: the first digit takes its place. */
  readonly proposed?: number
  /** How the amount is written; money where nothing else is said. */
  readonly write?: (amount: number) => string
  readonly hint?: string
  readonly wrong?: boolean
  readonly onEnter: () => void
  /** False where another field of the form is the one that is usually filled. */
  readonly autoFocus?: boolean
  /** What stands between the amount and its keys. */
  readonly children?: ReactNode
}

/**
 * The one way in which an amount is entered: typed from the right, as on a cash register, by touch and by keyboard
 * alike. Enter
 * on the amount confirms. To a screen reader it is one control with its name and its value.
 */
export function AmountPad({
  label,
  typed,
  onType,
  entry = 'register',
  proposed = 0,
  write,
  hint,
  wrong = false,
  onEnter,
  autoFocus = true,
  children,
}: AmountPadProps) {
  const { t, format } = useWords()
  const pad = useRef<HTMLDivElement>(null)
  const control = useRef<HTMLDivElement>(null)
  const hintId = useId()
  useFirstFocus(control, autoFocus)
  const amount = typed ?? proposed
  const mark = LANGUAGES[format.locale].paper.decimal
  const shown = (write ?? format.money)(amount)
  // Keys may come faster than the screen is drawn: each one builds on the one before it.
  const latest = useRef<TypedAmount | null>(null)
  const [refusedAt, setRefusedAt] = useState<number | null>(null)
  const isWrong = refusedAt !== null && refusedAt === typed
  const said = isWrong ? t('tender.keyRefused') : hint
  useLayoutEffect(() => {
    if ((latest.current?.amount ?? null) !== typed)
      latest.current = typed === null ? null : { amount: typed, decimals: null }
  }, [typed])
  const change = (next: TypedAmount): void => {
    latest.current = next
    setRefusedAt(isRefused(next) ? next.amount : null)
    onType(next.amount)
  }
  const add = (digits: string): void => change(typeDigits(latest.current ?? NOTHING_TYPED, digits, entry))
  const erase = (): void => change(eraseDigit(latest.current ?? { amount: proposed, decimals: null }, entry))
  // A key on the screen writes where the focus is: beside the amount a form may have a field of its own.
  const touch = (digits: string): void => {
    const field = focusedField()
    if (field) typeInto(field, digits)
    else add(digits)
  }
  const touchErase = (): void => {
    const field = focusedField()
    if (field) eraseIn(field)
    else erase()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- digits have buttons too
    <div
      ref={pad}
      role="group"
      tabIndex={-1}
      aria-label={label}
      className={`stack-2 ${styles['pad']}`}
      onKeyDown={(event) => {
        if (/^\d$/.test(event.key) || DECIMAL_MARKS.includes(event.key)) add(event.key)
        else if (event.key === 'Backspace') erase()
        else if (event.key === 'Enter' && (event.target === control.current || event.target === pad.current)) {
          // What it opens may take the focus at once: the browser would press the button there with the same key.
          event.preventDefault()
          if (latest.current === null || !isRefused(latest.current)) onEnter()
        }
      }}
    >
      <div
        ref={control}
        role="spinbutton"
        tabIndex={0}
        aria-label={label}
        aria-valuenow={amount}
        aria-valuetext={shown}
        aria-invalid={wrong || isWrong}
        {...(said === undefined ? {} : { 'aria-describedby': hintId })}
        className={`wrap baseline between round-m default-cursor ${styles['amount']}`}
      >
        <span className="text-s weight-600">{label}</span>
        <span className={`text-2xl weight-700 line-tight ${styles['shown']} figures`}>{shown}</span>
      </div>
      {said !== undefined && (
        <p
          id={hintId}
          className={`note ${styles['hint']}`}
          data-wrong={wrong || isWrong}
          role={wrong || isWrong ? 'alert' : undefined}
        >
          {said}
        </p>
      )}
      {children}
      <Keypad
        label={t('tender.keypad')}
        onDigit={touch}
        first={
          entry === 'whole' ? (
            <Button size="l" aria-label={t('tender.decimalMark')} preventFocusOnPress onPress={() => touch(mark)}>
              {mark}
            </Button>
          ) : (
            <Button size="l" aria-label={t('tender.doubleZero')} preventFocusOnPress onPress={() => touch(DOUBLE_ZERO)}>
              {DOUBLE_ZERO}
            </Button>
          )
        }
        last={
          <Button
            size="l"
            look="quiet"
            aria-label={t('tender.erase')}
            preventFocusOnPress
            icon={<Delete />}
            onPress={touchErase}
          />
        }
      />
    </div>
  )
}
