import { useId } from 'react'
import styles from './catalog.module.css'

/** One of a list that may be long: the system's own list, which every keyboard and finger knows. */
export function SelectField<Value extends string>({
  label,
  value,
  options,
  words,
  onChange,
}: {
  readonly label: string
  readonly value: Value
  readonly options: readonly Value[]
  readonly words: (option: Value) => string
  readonly onChange: (value: Value) => void
}) {
  const id = useId()
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={(event) => {
          const option = options.find((one) => one === event.target.value)
          if (option !== undefined) onChange(option)
        }}
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {words(option)}
          </option>
        ))}
      </select>
    </div>
  )
}
