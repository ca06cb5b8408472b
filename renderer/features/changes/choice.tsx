import { FieldError, Label, Radio, RadioGroup } from 'react-aria-components'
import styles from './changes.module.css'

/** One of a short list, all of it in sight. */
export function Choice<Value extends string>({ label, options, words, value, onChange, missing }: {
  readonly label: string
  readonly options: readonly Value[]
  readonly words: (option: Value) => string
  readonly value: Value | null
  readonly onChange: (value: Value) => void
  /** Said where nothing was chosen when it was time. */
  readonly missing: string | null
}) {
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
      {options.map((option) => <Radio key={option} value={option} className={styles['radio'] ?? ''}>{words(option)}</Radio>)}
      <FieldError>{missing}</FieldError>
    </RadioGroup>
  )
}
