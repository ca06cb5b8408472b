import { useId, useState, type ReactNode } from 'react'
import { FieldError, Input, Label, TextField } from 'react-aria-components'
import { DateField } from './date-field.tsx'
import { isDay } from './date-text.ts'
import styles from './filter-fields.module.css'

export function FilterRow({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={`wrap-3 bottom ${styles['filters']}`} role="search" aria-label={label}>
      {children}
    </div>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

export function ChoiceField({ label, value, onChange, children }: FieldProps & { readonly children: ReactNode }) {
  const id = useId()
  return (
    <div className={`grid gap-1 min-width-0 field ${styles['field']}`}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </div>
  )
}

export function TextFilter({ label, value, onChange, longest }: FieldProps & { readonly longest: number }) {
  return (
    <TextField
      className={`grid gap-1 min-width-0 field ${styles['field']}`}
      value={value}
      onChange={(next) => onChange(next.trimStart())}
    >
      <Label>{label}</Label>
      <Input maxLength={longest} autoComplete="off" spellCheck="false" />
    </TextField>
  )
}

/**
 * A text field that filters once its text is valid. `read` parses the text; null: not valid yet. Change `key` to clear
 * the field.
 */
export function FormField({
  label,
  wrong,
  longest,
  whole = longest,
  numeric = false,
  read,
  onChange,
}: {
  readonly label: string
  /** Error text, shown for an invalid text of at least `whole` characters. */
  readonly wrong: string
  readonly longest: number
  readonly whole?: number
  readonly numeric?: boolean
  readonly read: (text: string) => string | null
  /** Called with null for an empty or invalid text. */
  readonly onChange: (value: string | null) => void
}) {
  const [text, setText] = useState('')
  return (
    <TextField
      className={`grid gap-1 min-width-0 field ${styles['field']}`}
      value={text}
      onChange={(next) => {
        setText(next)
        onChange(next.trim() === '' ? null : read(next.trim()))
      }}
      inputMode={numeric ? 'numeric' : 'text'}
      isInvalid={text.trim().length >= whole && read(text.trim()) === null}
    >
      <Label>{label}</Label>
      <Input maxLength={longest} autoComplete="off" spellCheck="false" />
      <FieldError>{wrong}</FieldError>
    </TextField>
  )
}

export function DayField({
  label,
  begin = '',
  onChange,
}: {
  readonly label: string
  readonly begin?: string
  /** Called with null for an empty or invalid date. */
  readonly onChange: (day: string | null) => void
}) {
  const [text, setText] = useState(begin)
  return (
    <DateField
      label={label}
      value={text}
      optional
      onChange={(typed) => {
        setText(typed)
        onChange(isDay(typed) ? typed : null)
      }}
    />
  )
}
