import { useWords } from '../i18n/words.tsx'
import { keyWords } from './key-words.ts'
import styles from './key.module.css'

/**
 * A key as it is printed on the keyboard of the language. On a button it is a picture beside the button's words: drawn,
 * not text, for what is read out and what is said to voice control are the words alone (WCAG 2.5.3). Where the key is
 * the matter itself, it is `told`.
 */
export function Key({ name, told = false }: { readonly name: string; readonly told?: boolean }) {
  const { t } = useWords()
  const words = keyWords(name, t)
  return told ? (
    <kbd className={styles['key']}>{words}</kbd>
  ) : (
    <kbd className={`${styles['key']} ${styles['drawn']}`} aria-hidden="true" data-key={words} />
  )
}
