import { useI18n } from '../i18n/i18n.ts'
import { keyName } from './key-names.ts'
import styles from './key.module.css'

/**
 * A keyboard key as printed on the language's keyboard. Next to a button's label it is drawn, so that the accessible
 * name is the label alone (WCAG 2.5.3). `announced`: a screen reader must announce the key.
 */
export function Key({ name, announced = false }: { readonly name: string; readonly announced?: boolean }) {
  const { t } = useI18n()
  const text = keyName(name, t)
  return announced ? (
    <kbd className={styles['key']}>{text}</kbd>
  ) : (
    <kbd className={`${styles['key']} ${styles['drawn']}`} aria-hidden="true" data-key={text} />
  )
}
