import { Button as AriaButton, Disclosure, DisclosurePanel, Heading } from 'react-aria-components'
import { useWords } from '../../i18n/words.tsx'
import styles from './conditions.module.css'

/** The conditions of an offer, one touch away; nothing where it has none. `level`: of the heading that opens them. */
export function Conditions({ text, level = 3 }: { readonly text: string | null; readonly level?: number }) {
  const { t } = useWords()
  if (!text) return null
  return (
    <Disclosure>
      <Heading level={level} className={styles['head'] ?? ''}>
        <AriaButton slot="trigger" className={styles['open'] ?? ''}>
          {t('offers.legal')}
        </AriaButton>
      </Heading>
      <DisclosurePanel className={styles['text'] ?? ''}>{text}</DisclosurePanel>
    </Disclosure>
  )
}
