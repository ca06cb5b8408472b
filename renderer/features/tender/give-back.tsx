import type { Sale } from '../../../contracts/api/sales.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import styles from './tender.module.css'

/** What the customer gets back when a sale is cancelled, each in the form in which it was paid. */
export function GiveBack({ sale }: { readonly sale: Sale }) {
  const { t, format } = useWords()
  const milesText = useMilesText()
  const taken = sale.tenders.filter((tender) => tender.amountCents > 0)
  const cashCents = cashToGiveBack(sale)
  return (
    <ul className={styles['giveBack']} role="status">
      {cashCents > 0 && <li><strong className="figures">{t('tender.giveBackCash', { amount: format.money(cashCents) })}</strong></li>}
      {taken.filter((tender) => tender.kind === 'card').map((tender, index) => (
        <li key={index}><strong className="figures">{t('tender.giveBackCard', { amount: format.money(tender.amountCents), number: tender.reference ?? '' })}</strong></li>
      ))}
      {sale.redemption && taken.some((tender) => tender.kind === 'miles') && <li><span className="figures">{t('tender.giveBackMiles', { miles: milesText(sale.redemption.miles) })}</span></li>}
    </ul>
  )
}

/** Cash that was handed over less the change that went back: what is in the drawer for this sale. */
export const cashToGiveBack = (sale: Sale): number =>
  sale.tenders.reduce((sum, tender) => (tender.kind === 'cash' && tender.amountCents > 0 ? sum + tender.tenderedCents - tender.changeCents : sum), 0)
