import type { Names } from '../../../contracts/locales.ts'
import { useWords } from '../../i18n/words.tsx'
import styles from './updates.module.css'

/** What is new in a version, in the language of whoever reads it: a line is a point. */
export function Notes({ notes }: { readonly notes: Names }) {
  const { t, format } = useWords()
  const points = format
    .text(notes)
    .split('\n')
    .map((line) => line.replace(/^\s*[-*•]\s+/, '').trim())
    .filter((line) => line !== '')
  if (points.length === 0) return <p>{t('updates.noNotes')}</p>
  return (
    <ul className={styles['notes']}>
      {points.map((point, index) => (
        <li key={index}>{point}</li>
      ))}
    </ul>
  )
}
