import type { ReactNode } from 'react'
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components'
import type { ActionId } from '../../actions.ts'
import styles from './button.module.css'
import { Key } from './key.tsx'
import { useAction } from './use-actions.ts'

export type ButtonLook = 'primary' | 'miles' | 'plain' | 'quiet' | 'danger'
export type ButtonSize = 'm' | 'l' | 'xl'

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children'> {
  readonly look?: ButtonLook
  readonly size?: ButtonSize
  readonly wide?: boolean
  readonly icon?: ReactNode
  readonly children?: ReactNode
}

export function Button({ look = 'plain', size = 'm', wide = false, icon, children, ...rest }: ButtonProps) {
  return (
    <AriaButton
      {...rest}
      className={`${styles['button']} ${styles[look]} ${styles[size]} ${wide ? styles['wide'] : ''}`}
    >
      {icon && (
        <span className={styles['icon']} aria-hidden="true">
          {icon}
        </span>
      )}
      {children !== undefined && <span className={styles['label']}>{children}</span>}
    </AriaButton>
  )
}

/**
 * Button for one of the cashier's actions, with the action's label, key and availability. `note` is a second line,
 * `label` a shorter text, `hint` whether to show the key.
 */
export function ActionButton({
  id,
  note,
  label,
  hint = true,
  autoFocus,
  ...rest
}: { readonly id: ActionId; readonly note?: string; readonly label?: string; readonly hint?: boolean } & Omit<
  ButtonProps,
  'children' | 'onPress' | 'isDisabled' | 'id'
>) {
  const action = useAction(id)
  const { look = 'plain', size = 'm', wide = false, icon, ...aria } = rest
  const key = action.keys[0]
  // Voice control uses the visible text, so the accessible name must contain it (WCAG 2.5.3).
  const text =
    label && !action.label.toLowerCase().includes(label.toLowerCase()) ? `${label}, ${action.label}` : action.label
  return (
    <AriaButton
      {...aria}
      {...(autoFocus ? { autoFocus } : {})}
      aria-label={note === undefined ? text : label ? `${label} ${note}, ${action.label}` : `${text} ${note}`}
      isDisabled={!action.enabled}
      onPress={action.perform}
      className={`${styles['button']} ${styles[look]} ${styles[size]} ${wide ? styles['wide'] : ''}`}
    >
      {icon && (
        <span className={styles['icon']} aria-hidden="true">
          {icon}
        </span>
      )}
      {label !== '' && (
        <span className={styles['label']}>
          {label ?? action.label}
          {note && (
            <>
              {' '}
              <span className={styles['note']}>{note}</span>
            </>
          )}
        </span>
      )}
      {hint && key && <Key name={key} />}
    </AriaButton>
  )
}

export function IconButton({
  label,
  icon,
  look = 'quiet',
  ...rest
}: { readonly label: string; readonly icon: ReactNode } & Omit<ButtonProps, 'children' | 'icon' | 'wide' | 'size'>) {
  return (
    <AriaButton {...rest} aria-label={label} className={`${styles['button']} ${styles[look]} ${styles['iconOnly']}`}>
      <span className={styles['icon']} aria-hidden="true">
        {icon}
      </span>
    </AriaButton>
  )
}
