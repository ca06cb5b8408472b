import type { VouchersOfStore } from '../../../contracts/store/overview.ts'
import { useWords } from '../../i18n/words.tsx'
import { pageStyles } from '../../ui/page.tsx'
import { Tag } from '../../ui/surface.tsx'
import styles from './store-overview.module.css'

/** What of gift cards and store credit somebody has to look at; nothing, where there is nothing. */
export function VoucherNotes({ open, soldTwice }: Pick<VouchersOfStore, 'open' | 'soldTwice'>) {
  const { t, format } = useWords()
  const notes = [
    ...open.map(({ last4, lane, amountCents, since }) =>
      t('wholeStore.lanes.openDraw', {
        number: last4,
        amount: format.money(amountCents),
        lane,
        time: format.dateTime(since),
      }),
    ),
    ...soldTwice.map(({ last4, sold }) =>
      t('wholeStore.lanes.soldTwice', {
        number: last4,
        lanes: sold.map(({ lane, amountCents }) => `${lane} ${format.money(amountCents)}`).join(', '),
      }),
    ),
  ]
  if (notes.length === 0) return null
  return (
    <section className={pageStyles['section']} aria-label={t('wholeStore.lanes.vouchers')}>
      <h3>{t('wholeStore.lanes.vouchers')}</h3>
      {notes.map((note, index) => (
        // Two may read the same.
        <p key={index} className={`${styles['note']} ${styles['wraps']}`}>
          <Tag tone="warn">{note}</Tag>
        </p>
      ))}
    </section>
  )
}
