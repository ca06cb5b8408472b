import { useId, useState, type ReactNode } from 'react'
import { FieldError, Input, Label, TextField } from 'react-aria-components'
import styles from './filter-fields.module.css'

/** Fields by which a list is searched, side by side. */
export function FilterRow({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={styles['filters']} role="search" aria-label={label}>
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
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
        {children}
      </select>
    </div>
  )
}

export function WordsField({ label, value, onChange, longest }: FieldProps & { readonly longest: number }) {
  return (
    <TextField className={styles['field'] ?? ''} value={value} onChange={(next) => onChange(next.trimStart())}>
      <Label>{label}</Label>
      <Input maxLength={longest} autoComplete="off" spellCheck="false" />
    </TextField>
  )
}

/**
 * A field whose text filters once it is what it should be. `read`: what it stands for; null: not that yet. Clearing it
 * anew is another `key`.
 */
export function FormField({
  label,
  begin = '',
  wrong,
  longest,
  whole = longest,
  numeric = false,
  read,
  onChange,
}: {
  readonly label: string
  readonly begin?: string
  /** What to enter instead, once as much was typed as `whole`. */
  readonly wrong: string
  readonly longest: number
  readonly whole?: number
  readonly numeric?: boolean
  readonly read: (text: string) => string | null
  /** Null: nothing, or nothing that it could stand for. */
  readonly onChange: (value: string | null) => void
}) {
  const [text, setText] = useState(begin)
  return (
    <TextField
      className={styles['field'] ?? ''}
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

const LENGTH_OF_DAY = 10
const dayOf = (text: string): string | null =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true ? text : null

/** A day of the store's calendar. Typed: the browser's own field speaks the browser's language. */
export function DayField({
  label,
  begin,
  wrong,
  onChange,
}: {
  readonly label: string
  readonly begin?: string
  readonly wrong: string
  readonly onChange: (day: string | null) => void
}) {
  return (
    <FormField
      label={label}
      {...(begin === undefined ? {} : { begin })}
      wrong={wrong}
      longest={LENGTH_OF_DAY}
      numeric
      read={dayOf}
      onChange={onChange}
    />
  )
}
