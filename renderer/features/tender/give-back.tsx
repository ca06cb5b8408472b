import { Coins, CreditCard, Gift, Ticket } from 'lucide-react'
import type { Sale } from '../../../contracts/api/sales.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { giveBackOf } from '../../stores/give-back.ts'
import styles from './tender.module.css'

/** What the customer gets back when a sale is cancelled, each in the form in which it was paid; the cash largest. */
export function GiveBack({ sale }: { readonly sale: Pick<Sale, 'tenders' | 'redemption'> }) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  const { cashCents, cards, vouchers, miles, lateCents } = giveBackOf(sale)
  if (cashCents === 0 && cards.length === 0 && vouchers.length === 0 && miles === 0 && lateCents === 0) return null
  return (
    <ul className={styles['giveBack']}>
      {cashCents > 0 && (
        <li className={styles['giveBackCash']}>
          <Coins aria-hidden="true" />
          {t('tender.giveBackCash', { amount: format.money(cashCents) })}
        </li>
      )}
      {cards.map((card, index) => (
        <li key={index}>
          <CreditCard aria-hidden="true" />
          {t('tender.giveBackCard', { amount: format.money(card.amountCents), number: card.reference ?? '' })}
        </li>
      ))}
      {vouchers.map(({ kind, amountCents, last4 }, index) => (
        <li key={`voucher ${index}`}>
          <Ticket aria-hidden="true" />
          {t('tender.giveBackVoucher', {
            amount: format.money(amountCents),
            kind: t(`tender.kind.${kind}`),
            number: last4,
          })}
        </li>
      ))}
      {miles > 0 && (
        <li>
          <Gift aria-hidden="true" />
          {t('tender.giveBackMiles', { miles: milesText(miles) })}
        </li>
      )}
      {lateCents > 0 && (
        <li>
          <Ticket aria-hidden="true" />
          {t('tender.giveBackLate', { amount: format.money(lateCents) })}
        </li>
      )}
    </ul>
  )
}
