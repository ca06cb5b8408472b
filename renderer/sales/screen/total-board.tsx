import { useEffect } from 'react'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { itemCount, savedCents, sharedDiscounts, useSale } from '../sale.ts'
import { useDiscountName, useTakenOff } from '../changes/changes-menu.tsx'
import styles from './total-board.module.css'

/** How long the previous customer's change stays shown while the next sale begins. */
const CHANGE_STAYS_MS = 60_000

export function TotalBoard({ sale }: { readonly sale: Sale | null }) {
  const { t, format } = useI18n()
  const nameOf = useDiscountName()
  const takenOff = useTakenOff()
  const totals = sale?.totals
  const paid = (totals?.tenderedCents ?? 0) > 0
  const saved = sale ? savedCents(sale) : 0
  return (
    <div className={`board line pad-3-5 ${styles['board']}`}>
      <div className={`flex gap-3 between weight-600 ${styles['head']}`}>
        <span>{t(paid ? 'sale.due' : 'sale.total')}</span>
        <span>{t('sale.itemCount', { count: sale ? itemCount(sale) : 0 })}</span>
      </div>
      {/* Not a live region, because changes are announced with their line or payment and would be read twice. */}
      <output
        aria-live="off"
        className={`block right nowrap ${styles['amount']} figures`}
        aria-label={t(paid ? 'sale.due' : 'sale.total')}
        data-long={(totals?.totalCents ?? 0) >= 1_000_00}
      >
        {format.money((paid ? totals?.dueCents : totals?.totalCents) ?? 0)}
      </output>
      <dl className={`wrap end ${styles['amounts']} figures`} aria-label={t('sale.totals')}>
        {sale &&
          sharedDiscounts(sale).map((discount) => (
            <div className="min-width-0 right" key={discount.number}>
              <dt>{nameOf(discount)}</dt>
              <dd className="text-s weight-600">{takenOff(discount)}</dd>
            </div>
          ))}
        {saved > 0 && (
          <div className="min-width-0 right">
            <dt>{t('buyers.saved')}</dt>
            <dd className="text-s weight-600">{format.money(saved)}</dd>
          </div>
        )}
        <div className="min-width-0 right">
          <dt>{t('sale.subtotal')}</dt>
          <dd className="text-s weight-600">{format.money(totals?.subtotalCents ?? 0)}</dd>
        </div>
        {totals?.taxes.map((tax) => (
          <div className="min-width-0 right" key={tax.code}>
            <dt>{t(`sale.tax.${tax.code}`)}</dt>
            <dd className="text-s weight-600">{format.money(tax.amountCents)}</dd>
          </div>
        ))}
        {/* The rounded cash amount has the same name as on the cash pad and the exact-cash key. */}
        {totals && totals.cashDueCents !== totals.dueCents && (
          <div className="min-width-0 right">
            <dt>{t('sale.inCash')}</dt>
            <dd className="text-s weight-600">{format.money(totals.cashDueCents)}</dd>
          </div>
        )}
        {paid && totals && (
          <div className="min-width-0 right">
            <dt>{t('sale.total')}</dt>
            <dd className="text-s weight-600">{format.money(totals.totalCents)}</dd>
          </div>
        )}
      </dl>
      {(sale?.exemption || sale?.buyers || sale?.note) && (
        <div className={`wrap end text-s right anywhere line-tight ${styles['announced']}`}>
          {sale.exemption && (
            <p className="min-width-0">
              {t('sale.exempt', {
                reason: t(`exemption.reasons.${sale.exemption.reason}`),
                certificate: sale.exemption.certificate,
              })}
            </p>
          )}
          {sale.buyers && <p className="min-width-0">{t(`buyers.shown.${sale.buyers}`)}</p>}
          {sale.note && <p className="min-width-0">{t('sale.noteText', { note: sale.note })}</p>}
        </div>
      )}
      {!paid && <LastChange />}
    </div>
  )
}

function LastChange() {
  const { t, format } = useI18n()
  const change = useSale((state) => state.lastChangeCents)
  useEffect(() => {
    if (change === 0) return undefined
    const timer = setTimeout(() => useSale.setState({ lastChangeCents: 0 }), CHANGE_STAYS_MS)
    return () => clearTimeout(timer)
  }, [change])
  return (
    change > 0 && (
      <p className={`text-s weight-600 right ${styles['before']} figures`}>
        {t('sale.lastChange', { amount: format.money(change) })}
      </p>
    )
  )
}
