import { BadgePercent, ReceiptText, StickyNote, Tag, TicketPercent, Trash2 } from 'lucide-react'
import type { Sale, SaleLine } from '../../../contracts/api/sales.ts'
import { useWords } from '../../i18n/words.tsx'
import { removeDiscount } from '../../state/change-commands.ts'
import { closeChange } from '../../state/changes.ts'
import { ActionButton, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './changes.module.css'
import { useDiscountName, useTakenOff } from './discount-name.ts'

/**
 * Everything that can be changed on the marked line and on the sale, and the discounts that stand, each with the way to
 * take it off.
 */
export function ChangesMenu({ sale, line }: { readonly sale: Sale; readonly line: SaleLine | undefined }) {
  const { t, format } = useWords()
  const nameOf = useDiscountName()
  const takenOff = useTakenOff()
  return (
    <Dialog open onClose={closeChange} title={t('changes.title')} size="l">
      <div className={styles['menu']}>
        {line && (
          <section className={styles['group']} aria-label={t('changes.line', { name: format.text(line.name) })}>
            <h3>{t('changes.line', { name: format.text(line.name) })}</h3>
            <div className={styles['buttons']}>
              <ActionButton id="discount-line" size="l" icon={<BadgePercent />} />
              <ActionButton id="price" size="l" icon={<Tag />} />
              <ActionButton id="note-line" size="l" icon={<StickyNote />} />
            </div>
          </section>
        )}
        <section className={styles['group']} aria-label={t('changes.sale')}>
          <h3>{t('changes.sale')}</h3>
          <div className={styles['buttons']}>
            <ActionButton id="discount-sale" size="l" icon={<BadgePercent />} />
            <ActionButton id="coupon" size="l" icon={<TicketPercent />} />
            <ActionButton id="exemption" size="l" icon={<ReceiptText />} />
            <ActionButton id="note-sale" size="l" icon={<StickyNote />} />
          </div>
        </section>
        {sale.discounts.length > 0 && (
          <section className={styles['group']} aria-label={t('changes.standing')}>
            <h3>{t('changes.standing')}</h3>
            <ul className={`${styles['standing']} figures`}>
              {sale.discounts.map((discount) => (
                <li key={discount.number}>
                  <span className="words">{nameOf(discount, sale)}</span>
                  <strong>{takenOff(discount)}</strong>
                  <IconButton
                    label={t('changes.remove', { name: nameOf(discount, sale) })}
                    icon={<Trash2 />}
                    onPress={() => {
                      closeChange()
                      void removeDiscount(discount.number)
                    }}
                  />
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
    </Dialog>
  )
}
