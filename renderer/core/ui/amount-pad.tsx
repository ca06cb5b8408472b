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
  const shown = (write ?? format.money)(amount)
  const { add, erase, isNowRefused, isWrong } = useTyping({ typed, onType, entry, proposed })
  const said = isWrong ? t('tender.keyRefused') : hint
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
      <AmountKeys entry={entry} onDigits={add} onErase={erase} />
    </div>
  )
}

/** The amount as it is typed, key by key. */
function useTyping({
  typed,
  onType,
  entry,
  proposed,
}: Pick<AmountPadProps, 'typed' | 'onType'> & { readonly entry: AmountEntry; readonly proposed: number }) {
  // Keys may come faster than the screen is drawn: each one builds on the one before it.
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

/** A key on the screen writes where the focus is: beside the amount a form may have a field of its own. */
function AmountKeys({ entry, onDigits, onErase }: AmountKeysProps) {
  const { t, format } = useWords()
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
