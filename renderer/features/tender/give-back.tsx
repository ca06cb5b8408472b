import { Coins, Gift, Ticket } from 'lucide-react'
import type { Sale } from '../../../contracts/api/sales.ts'
import { useMilesText, useWords } from '../../i18n/words.tsx'
import { giveBackOf, givenBackWords } from '../../state/give-back.ts'
import { TENDER_SCREENS } from './registry.tsx'
import styles from './tender.module.css'

/** What the customer gets back when a sale is cancelled, each in the form in which it was paid; the cash largest. */
export function GiveBack({ sale }: { readonly sale: Pick<Sale, 'tenders' | 'redemption'> }) {
  const words = useWords()
  const { t, format } = words
  const milesText = useMilesText()
  const { cashCents, others, miles, lateCents } = giveBackOf(sale)
  if (cashCents === 0 && others.length === 0 && miles === 0 && lateCents === 0) return null
  return (
    <ul className={styles['giveBack']}>
      {cashCents > 0 && (
        <li className={styles['giveBackCash']}>
          <Coins aria-hidden="true" />
          {t('tender.giveBackCash', { amount: format.money(cashCents) })}
        </li>
      )}
      {others.map((other, index) => (
        <li key={index}>
          <span aria-hidden="true">{TENDER_SCREENS[other.kind].icon}</span>
          {givenBackWords(other, words)}
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
