import { Delete } from 'lucide-react'
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import { useI18n } from '../i18n/i18n.ts'
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
  readonly typed: number | null
  readonly onType: (typed: number) => void
  /** How digits before a decimal mark are read; by default from the right, as on a cash register. */
  readonly entry?: AmountEntry
  /** Amount shown until typing starts: the first digit replaces it. */
  readonly proposed?: number
  readonly write?: (amount: number) => string
  readonly hint?: string
  readonly wrong?: boolean
  readonly onEnter: () => void
  /** Whether the pad takes the focus when it appears; false where another field of the form should have the focus. */
  readonly autoFocus?: boolean
  readonly children?: ReactNode
}

/**
 * The screens' only control for amounts, by touch and keyboard; by default digits are typed from the right, as on a
 * cash register. Enter confirms. Screen readers see one control with name and value.
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
  const { t, format } = useI18n()
  const pad = useRef<HTMLDivElement>(null)
  const control = useRef<HTMLDivElement>(null)
  const hintId = useId()
  useFirstFocus(control, autoFocus)
  const amount = typed ?? proposed
  const shown = (write ?? format.money)(amount)
  const { add, erase, isNowRefused, isWrong } = useTyping({ typed, onType, entry, proposed })
  const message = isWrong ? t('tender.keyRefused') : hint
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
          // Enter may open an element that takes the focus at once, and the browser would press its button with the
          // same key.
          event.preventDefault()
          if (!isNowRefused()) onEnter()
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
        {...(message === undefined ? {} : { 'aria-describedby': hintId })}
        className={`wrap baseline between round-m default-cursor ${styles['amount']}`}
      >
        <span className="text-s weight-600">{label}</span>
        <span className={`text-2xl weight-700 line-tight ${styles['shown']} figures`}>{shown}</span>
      </div>
      {message !== undefined && (
        <p
          id={hintId}
          className={`note ${styles['hint']}`}
          data-wrong={wrong || isWrong}
          role={wrong || isWrong ? 'alert' : undefined}
        >
          {message}
        </p>
      )}
      {children}
      <AmountKeys entry={entry} onDigits={add} onErase={erase} />
    </div>
  )
}

function useTyping({
  typed,
  onType,
  entry,
  proposed,
}: Pick<AmountPadProps, 'typed' | 'onType'> & { readonly entry: AmountEntry; readonly proposed: number }) {
  // Keys may arrive faster than renders, so each key builds on the latest amount.
  const latest = useRef<TypedAmount | null>(null)
  const [refusedAt, setRefusedAt] = useState<number | null>(null)
  useLayoutEffect(() => {
    if ((latest.current?.amount ?? null) !== typed)
      latest.current = typed === null ? null : { amount: typed, decimals: null }
  }, [typed])
  const change = (next: TypedAmount): void => {
    latest.current = next
    setRefusedAt(isRefused(next) ? next.amount : null)
    onType(next.amount)
  }
  return {
    add: (digits: string): void => change(typeDigits(latest.current ?? NOTHING_TYPED, digits, entry)),
    erase: (): void => change(eraseDigit(latest.current ?? { amount: proposed, decimals: null }, entry)),
    isNowRefused: (): boolean => latest.current !== null && isRefused(latest.current),
    isWrong: refusedAt !== null && refusedAt === typed,
  }
}

interface AmountKeysProps {
  readonly entry: AmountEntry
  readonly onDigits: (digits: string) => void
  readonly onErase: () => void
}

/**
 * Digits, decimal mark and erase for touch. They type into the focused field, which may be another field of the form.
 */
function AmountKeys({ entry, onDigits, onErase }: AmountKeysProps) {
  const { t, format } = useI18n()
  const mark = LANGUAGES[format.locale].paper.decimal
  const [first, label] = entry === 'whole' ? [mark, t('tender.decimalMark')] : [DOUBLE_ZERO, t('tender.doubleZero')]
  const touch = (digits: string): void => {
    const field = focusedField()
    if (field) typeInto(field, digits)
    else onDigits(digits)
  }
  const erase = (): void => {
    const field = focusedField()
    if (field) eraseIn(field)
    else onErase()
  }
  return (
    <Keypad
      label={t('tender.keypad')}
      onDigit={touch}
      first={
        <Button size="l" aria-label={label} preventFocusOnPress onPress={() => touch(first)}>
          {first}
        </Button>
      }
      last={
        <Button
          size="l"
          look="quiet"
          aria-label={t('tender.erase')}
          preventFocusOnPress
          icon={<Delete />}
          onPress={erase}
        />
      }
    />
  )
}
