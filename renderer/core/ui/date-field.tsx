import { useLayoutEffect, useRef, useState } from 'react'
import { FieldError, Input, Label, Text, TextField } from 'react-aria-components'
import { useI18n } from '../i18n/i18n.ts'
import styles from './date-field.module.css'
import { caretIn, dateTyped, digitCount, isDay } from './date-text.ts'

const DATE_LENGTH = 10

interface FormedProps {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly longest: number
  readonly form: (typed: string) => string
  /** Returns the error of the text, or null. `isLeft`: the field has lost the focus since the last change. */
  readonly wrongOf: (isLeft: boolean) => string | null
  readonly hint?: string
  readonly autoFocus?: boolean
}

/**
 * A text field for digits in a fixed format. It is an ordinary input: the touch keyboard types only into text fields,
 * and so does the scanner detection (typed-scans.ts), which holds keys back and types them later.
 */
export function FormedField({ label, value, onChange, longest, form, wrongOf, hint, autoFocus = false }: FormedProps) {
  const [isLeft, setLeft] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const digitsBefore = useRef<number | null>(null)
  useLayoutEffect(() => {
    const { current } = input
    if (digitsBefore.current === null || current === null) return
    const at = caretIn(current.value, digitsBefore.current)
    digitsBefore.current = null
    if (current === document.activeElement) current.setSelectionRange(at, at)
  })
  const wrong = wrongOf(isLeft)
  return (
    <TextField
      value={value}
      onChange={(typed) => {
        const caret = input.current?.selectionStart ?? typed.length
        digitsBefore.current = caret === typed.length ? Infinity : digitCount(typed.slice(0, caret))
        setLeft(false)
        onChange(form(typed))
      }}
      onBlur={() => setLeft(true)}
      isInvalid={wrong !== null}
      autoFocus={autoFocus}
      inputMode="numeric"
      className={`stack-1 single min-width-0 field ${styles['field']}`}
    >
      <Label>{label}</Label>
      <Input ref={input} maxLength={longest} autoComplete="off" spellCheck="false" />
      {hint !== undefined && wrong === null && <Text slot="description">{hint}</Text>}
      <FieldError>{wrong}</FieldError>
    </TextField>
  )
}

interface DateFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  /** Whether the form was submitted: an incomplete date is then an error even while the field has the focus. */
  readonly tried?: boolean
  readonly optional?: boolean
  /** Error to show for a valid calendar day that the form rejects; null: none. */
  readonly wrong?: string | null
  readonly hint?: string
  readonly autoFocus?: boolean
}

/**
 * A field for a date, typed as digits and shown as YYYY-MM-DD in every language: the only date field of the screens.
 */
export function DateField({
  label,
  value,
  onChange,
  tried = false,
  optional = false,
  wrong = null,
  autoFocus = false,
  ...hint
}: DateFieldProps) {
  const { t } = useI18n()
  return (
    <FormedField
      label={t('dates.labelled', { label })}
      value={value}
      onChange={onChange}
      longest={DATE_LENGTH}
      form={dateTyped}
      wrongOf={(isLeft) => {
        if (isDay(value)) return wrong
        if (value.length === DATE_LENGTH) return t('dates.impossible', { date: value })
        const isMissing = value === '' ? tried && !optional : tried || isLeft
        return isMissing ? t('dates.wrong') : null
      }}
      autoFocus={autoFocus}
      {...hint}
    />
  )
}
