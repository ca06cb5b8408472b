import { useWords } from '../../i18n/words.tsx'
import { Tag } from '../../ui/surface.tsx'
import styles from './store-overview.module.css'

/** Announces the end of the store's authority, which every lane pins; nothing, where it is far away. */
export function AuthorityNote({ ends }: { readonly ends: string | null }) {
  const { t, format } = useWords()
  if (ends === null) return null
  return (
    <p className={`${styles['note']} ${styles['wraps']}`}>
      <Tag tone="warn">{t('wholeStore.lanes.authorityEnds', { day: format.day(ends) })}</Tag>
    </p>
  )
}
