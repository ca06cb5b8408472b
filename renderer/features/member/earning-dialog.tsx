import type { Sale } from '../../../contracts/api/sales.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { useShell } from '../../state/shell.ts'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './earning-dialog.module.css'

/**
 * What the miles of the basket come from: each offer with its miles and the items that earn them, to tell a customer
 * who asks.
 */
export function EarningDialog({ sale }: { readonly sale: Sale | null }) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  const open = useShell((state) => state.earningOpen)
  const known = sale !== null && sale.milesPreview !== null
  return (
    <Dialog open={open && known} onClose={() => useShell.setState({ earningOpen: false })} title={t('earning.title')}>
      <p>{t('earning.intro')}</p>
      {sale && sale.earningOffers.length === 0 && <p role="status">{t('earning.none')}</p>}
      <ul className={`${styles['offers']} figures`}>
        {sale?.earningOffers.map((offer) => (
          <li key={offer.code}>
            <span className="words">
              <strong>{format.text(offer.description) || t('earning.offer', { code: offer.code })}</strong>
              <small>
                {offer.items.length === 0
                  ? t('earning.basket')
                  : t('earning.items', { items: offer.items.map((name) => format.text(name)).join(', ') })}
              </small>
            </span>
            <strong>{milesText(offer.miles)}</strong>
          </li>
        ))}
      </ul>
      {known && (
        <p className={`${styles['total']} figures`}>
          <span>{t('sale.milesToEarn')}</span>
          <strong>{sale.milesPreview ? milesText(sale.milesPreview) : t('sale.milesNone')}</strong>
        </p>
      )}
    </Dialog>
  )
}
