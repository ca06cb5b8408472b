import { PackagePlus } from 'lucide-react'
import { useState } from 'react'
import type { Item } from '../../../contracts/api/catalog.ts'
import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './catalog.module.css'
import { ElsewhereSection } from './elsewhere-section.tsx'
import { ItemDialog } from './item-dialog.tsx'
import { ItemFinder } from './item-finder.tsx'

/** Finds an item to change or remove, or adds one. */
export function ItemsSection() {
  const { t } = useWords()
  const [open, setOpen] = useState<Item | 'new' | null>(null)
  return (
    <div className={styles['panel']}>
      <div className={styles['orders']}>
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
