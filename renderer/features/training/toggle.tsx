import { Switch } from 'react-aria-components'
import styles from './training-devices.module.css'

export interface ToggleProps {
  readonly selected: boolean
  readonly onChange: (selected: boolean) => void
  readonly label: string
  readonly isDisabled?: boolean
}

export function Toggle({ selected, onChange, label, isDisabled = false }: ToggleProps) {
  return (
    <Switch isSelected={selected} onChange={onChange} isDisabled={isDisabled} className={styles['switch'] ?? ''}>
      <span className={styles['groove']} aria-hidden="true" />
      {label}
    </Switch>
  )
}
