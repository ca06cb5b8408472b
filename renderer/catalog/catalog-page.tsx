import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { useI18n } from '../core/i18n/i18n.ts'
import { PageHead } from '../core/ui/page.tsx'
import styles from './catalog.module.css'
import { ChargesSection } from './charges-section.tsx'
import { CouponsSection, ElsewhereSection, LostBarcodes } from './coupons-section.tsx'
import { ImportSection } from './import-section.tsx'
import { PlannedSection } from './planned-section.tsx'
import { PromotionsSection } from './promotions-section.tsx'
import { QuickKeysSection } from './quick-keys-section.tsx'
import { PackagePlus } from 'lucide-react'
import { useState } from 'react'
import type { Item } from '../../contracts/catalog/catalog.ts'
import { Button } from '../core/ui/button.tsx'
import { ManufacturerCouponsSection } from './manufacturer-coupons-section.tsx'
import { ItemDialog } from './item-dialog.tsx'
import { ItemFinder } from './item-finder.tsx'

const SECTIONS = [
  { id: 'import', section: <ImportSection /> },
  { id: 'planned', section: <PlannedSection /> },
  { id: 'items', section: <ItemsSection /> },
  { id: 'quick', section: <QuickKeysSection /> },
  { id: 'coupons', section: <Coupons /> },
  { id: 'promotions', section: <PromotionsSection /> },
  { id: 'charges', section: <ChargesSection /> },
] as const

function Coupons() {
  return (
    <div className="stack-4 single ringless">
      <CouponsSection />
      <ManufacturerCouponsSection />
    </div>
  )
}

export function CatalogPage() {
  const { t } = useI18n()
  return (
    <>
      <PageHead title={t('catalog.title')} intro={t('catalog.intro')} />
      <LostBarcodes />
      <Tabs>
        <TabList aria-label={t('catalog.sections')} className={`wrap below-4 segments ${styles['tabs']}`}>
          {SECTIONS.map(({ id }) => (
            <Tab key={id} id={id}>
              {t(`catalog.tab.${id}`)}
            </Tab>
          ))}
        </TabList>
        {SECTIONS.map(({ id, section }) => (
          <TabPanel key={id} id={id} className={`ringless ${styles['section']}`}>
            {section}
          </TabPanel>
        ))}
      </Tabs>
    </>
  )
}

export function ItemsSection() {
  const { t } = useI18n()
  const [open, setOpen] = useState<Item | 'new' | null>(null)
  return (
    <div className="stack-4 single ringless">
      <div className="row-3 wraps">
        <Button icon={<PackagePlus />} onPress={() => setOpen('new')}>
          {t('catalog.items.add')}
        </Button>
      </div>
      <ItemFinder empty onChoose={setOpen} />
      <ElsewhereSection />
      {open && <ItemDialog item={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
    </div>
  )
}
