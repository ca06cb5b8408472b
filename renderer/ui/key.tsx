import { useWords } from '../i18n/words.tsx'
import styles from './key.module.css'

const NAMED = ['Enter', 'Escape', 'Delete', 'ArrowUp', 'ArrowDown', 'Shift'] as const
type Named = (typeof NAMED)[number]

/** A key as it is printed on the keyboard of the language. Shown to the eye only: the control says its key by itself. */
export function Key({ name }: { readonly name: string }) {
  const { t } = useWords()
  const shown = name.split('+').filter((part) => part !== '')
  const parts = shown.length === 0 ? [name] : shown
  return (
    <kbd className={styles['key']} aria-hidden="true">
      {parts.map((part) => ((NAMED as readonly string[]).includes(part) ? t(`keys.${part as Named}`) : part)).join(' ')}
    </kbd>
  )
}
