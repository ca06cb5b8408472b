import { useEffect } from 'react'
import { FieldError, Label, Radio, RadioGroup } from 'react-aria-components'
import { Key } from '../../ui/key.tsx'
import styles from './changes.module.css'

const LETTERS = ['A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'] as const

/** A letter that is typed into a field is the field's. */
const isTypedInto = (target: EventTarget | null): boolean =>
  target instanceof HTMLTextAreaElement || (target instanceof HTMLInputElement && target.type !== 'radio')

/**
 * One of a short list, all of it in sight. `lettered`: each has a letter beside it that chooses it wherever the focus
 * is.
 */
export function Choice<Value extends string>({
  label,
  options,
  words,
  value,
  onChange,
  missing,
  lettered = false,
}: {
  readonly label: string
  readonly options: readonly Value[]
  readonly words: (option: Value) => string
  readonly value: Value | null
  readonly onChange: (value: Value) => void
  /** Said where nothing was chosen when it was time. */
  readonly missing: string | null
  readonly lettered?: boolean
}) {
  useEffect(() => {
    if (!lettered) return undefined
    const choose = ({ key, target, ctrlKey, altKey, metaKey }: KeyboardEvent): void => {
      if (ctrlKey || altKey || metaKey || isTypedInto(target)) return
      const option = options[LETTERS.findIndex((letter) => letter === key.toUpperCase())]
      if (option !== undefined) onChange(option)
    }
    addEventListener('keydown', choose, { capture: true })
    return () => removeEventListener('keydown', choose, { capture: true })
  }, [lettered, options, onChange])
  return (
    <RadioGroup
      value={value}
      onChange={(chosen) => {
        const option = options.find((one) => one === chosen)
        if (option) onChange(option)
      }}
      isInvalid={missing !== null}
      className={styles['radios'] ?? ''}
    >
      <Label>{label}</Label>
      {options.map((option, index) => {
        const letter = lettered ? LETTERS[index] : undefined
        return (
          <Radio key={option} value={option} className={styles['radio'] ?? ''}>
            {words(option)}
            {letter && <Key name={letter} />}
          </Radio>
        )
      })}
      <FieldError>{missing}</FieldError>
    </RadioGroup>
  )
}
