import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { useWords } from '../../i18n/words.tsx'
import { PageHead } from '../../ui/page.tsx'
import styles from './catalog.module.css'
import { CouponsSection } from './coupons-section.tsx'
import { LostBarcodes } from './elsewhere-section.tsx'
import { ImportSection } from './import-section.tsx'
import { ItemsSection } from './items-section.tsx'
import { PlannedSection } from './planned-section.tsx'
import { QuickKeysSection } from './quick-keys-section.tsx'

const SECTIONS = [
  { id: 'import', section: <ImportSection /> },
  { id: 'planned', section: <PlannedSection /> },
  { id: 'items', section: <ItemsSection /> },
  { id: 'quick', section: <QuickKeysSection /> },
  { id: 'coupons', section: <CouponsSection /> },
] as const

/** What the store sells, at what price, and how it is found by touch: for managers. */
export function CatalogPage() {
  const { t } = useWords()
  return (
    <>
      <PageHead title={t('catalog.title')} intro={t('catalog.intro')} />
      <LostBarcodes />
      <Tabs>
        <TabList aria-label={t('catalog.sections')} className={styles['tabs'] ?? ''}>
          {SECTIONS.map(({ id }) => (
            <Tab key={id} id={id}>
              {t(`catalog.tab.${id}`)}
            </Tab>
          ))}
        </TabList>
        {SECTIONS.map(({ id, section }) => (
          <TabPanel key={id} id={id} className={styles['section'] ?? ''}>
            {section}
          </TabPanel>
        ))}
      </Tabs>
    </>
  )
}
