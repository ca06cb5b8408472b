import { EyeOff } from 'lucide-react'
import type { XReport } from '../../../contracts/api/day-end.ts'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Tag } from '../../ui/surface.tsx'
import styles from './day-end.module.css'
import { Figures, Part, type Figure } from './figures.tsx'
import { SavePdf } from './save-pdf.tsx'
import { XDepartments, XTenders } from './x-tables.tsx'

/** Totals since the last Z. Cash is not among them while its drawer was not counted. */
export function XSummary({ report: { at, from, totals } }: { readonly report: XReport }) {
  const { t, format } = useWords()
  return (
    <>
      <div className={styles['span']}>
        <span>
          {t('dayEnd.from')} <strong>{from === null ? t('dayEnd.start') : format.dateTime(from)}</strong>
        </span>
        <span>
          {t('dayEnd.until')} <strong>{format.dateTime(at)}</strong>
        </span>
        {totals.cashHidden && (
          <Tag tone="warn" icon={<EyeOff />}>
            {t('dayEnd.cashHidden')}
          </Tag>
        )}
        <SavePdf load={storeApi.xPdf} name={t('dayEnd.x')} />
      </div>
      <div className={styles['parts']}>
        <Sales totals={totals} />
        <XTenders totals={totals} />
        <Returns totals={totals} />
        <XDepartments departments={totals.departments} />
        <Movements movements={totals.movements} />
        <Counts totals={totals} />
        <Miles miles={totals.miles} />
      </div>
    </>
  )
}

type Totals = XReport['totals']

function useTaxRows(): (taxes: Totals['sales']['taxes']) => Figure[] {
  const { t, format } = useWords()
  return (taxes) =>
    taxes.map(({ code, amountCents }) => ({ label: t(`sale.tax.${code}`), value: format.money(amountCents) }))
}

function Sales({ totals: { sales, giftCards } }: { readonly totals: Totals }) {
  const { t, format } = useWords()
  const taxRows = useTaxRows()
  return (
    <Part title={t('dayEnd.sales')}>
      <Figures
        rows={[
          { label: t('dayEnd.salesCount'), value: format.miles(sales.count) },
          { label: t('dayEnd.gross'), value: format.money(sales.grossCents) },
          { label: t('dayEnd.discounts'), value: format.money(0 - sales.discountCents) },
          { label: t('dayEnd.net'), value: format.money(sales.netCents) },
          ...taxRows(sales.taxes),
          { label: t('dayEnd.total'), value: format.money(sales.totalCents), strong: true },
          { label: t('reports.giftCards'), value: format.money(giftCards.amountCents) },
          ...(sales.firstId === null ? [] : [{ label: t('dayEnd.firstSale'), value: sales.firstId }]),
          ...(sales.lastId === null ? [] : [{ label: t('dayEnd.lastSale'), value: sales.lastId }]),
        ]}
      />
    </Part>
  )
}

function Returns({ totals: { returns } }: { readonly totals: Totals }) {
  const { t, format } = useWords()
  const taxRows = useTaxRows()
  return (
    <Part title={t('dayEnd.returns')}>
      <Figures
        rows={[
          { label: t('dayEnd.returnsCount'), value: format.miles(returns.count) },
          { label: t('dayEnd.net'), value: format.money(returns.netCents) },
          ...taxRows(returns.taxes),
          { label: t('dayEnd.total'), value: format.money(returns.totalCents), strong: true },
        ]}
      />
    </Part>
  )
}

function Movements({ movements }: { readonly movements: Totals['movements'] }) {
  const { t, format } = useWords()
  return (
    <Part title={t('dayEnd.movements')}>
      {movements.length === 0 ? (
        <p>{t('dayEnd.noMovements')}</p>
      ) : (
        <Figures
          rows={movements.map(({ kind, count, amountCents }) => ({
            label: t('dayEnd.times', { kind: t(`cash.kind.${kind}`), count: format.miles(count) }),
            value: kind === 'no-sale' ? '' : format.money(amountCents),
          }))}
        />
      )}
    </Part>
  )
}

function Counts({ totals }: { readonly totals: Totals }) {
  const { t, format } = useWords()
  const counts = [
    ['dayEnd.cancelled', totals.cancelled],
    ['dayEnd.voidedLines', totals.voidedLines],
    ['dayEnd.priceChanges', totals.priceChanges],
    ['dayEnd.discountsGiven', totals.discounts],
    ['dayEnd.copies', totals.copies],
  ] as const
  return (
    <Part title={t('dayEnd.counts')}>
      <Figures rows={counts.map(([label, count]) => ({ label: t(label), value: format.miles(count) }))} />
    </Part>
  )
}

function Miles({ miles }: { readonly miles: Totals['miles'] }) {
  const { t, format } = useWords()
  return (
    <Part title={t('dayEnd.miles')}>
      <Figures
        rows={[
          { label: t('dayEnd.redeemed'), value: format.miles(miles.redeemed) },
          { label: t('dayEnd.redeemedWorth'), value: format.money(miles.redeemedCents) },
          { label: t('dayEnd.issued'), value: format.miles(miles.issued) },
          { label: t('dayEnd.unsent'), value: format.miles(miles.unsent) },
          { label: t('dayEnd.undecided'), value: format.miles(miles.undecided) },
        ]}
      />
    </Part>
  )
}
