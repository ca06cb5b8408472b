import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import type { StoreDayReport } from '../../../contracts/day/store-overview.ts'
import type { StoreTotals } from '../../../contracts/store/overview.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { TableWrap, pageStyles } from '../../core/ui/page.tsx'
import { TENDER_SCREENS } from '../../payments/tender/registry.tsx'
import queueStyles from '../../loyalty/queue/queue.module.css'
import { CASH_ROUNDING, taxOfRow } from '../../../contracts/day/report-kinds.ts'

interface Line {
  readonly name: string
  readonly amounts: readonly string[]
}

function LaneTable({
  label,
  columns,
  lines,
}: {
  readonly label: string
  readonly columns: readonly string[]
  readonly lines: readonly Line[]
}) {
  const { t } = useI18n()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${queueStyles['entries']} selectable`} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t('wholeStore.lane')}</th>
            {columns.map((column) => (
              <th key={column} scope="col" className="right">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, amounts }, index) => {
            const isTogether = index === lines.length - 1
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                {amounts.map((amount, column) => (
                  <td key={columns[column]} className="right">
                    {isTogether ? <strong>{amount}</strong> : amount}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </TableWrap>
  )
}

export function TotalsTable({ lanes, together }: Pick<StoreDayReport, 'lanes' | 'together'>) {
  const { t, format } = useI18n()
  const amountsOf = ({ summary, miles }: StoreTotals): string[] => [
    format.miles(summary.sales),
    format.money(summary.netCents),
    format.money(summary.taxCents),
    format.money(summary.totalCents),
    format.money(summary.giftCardCents),
    format.money(summary.depositCents - summary.emptiesCents),
    format.money(summary.returnCents),
    format.miles(miles.issued),
    format.miles(miles.redeemed),
  ]
  return (
    <LaneTable
      label={t('wholeStore.day.totals')}
      columns={[
        t('reports.sales'),
        t('reports.net'),
        t('reports.tax'),
        t('reports.total'),
        t('reports.giftCards'),
        t('wholeStore.day.deposits'),
        t('wholeStore.day.returned'),
        t('wholeStore.day.issued'),
        t('wholeStore.day.redeemed'),
      ]}
      lines={[
        ...lanes.map((lane) => ({ name: lane.lane, amounts: amountsOf(lane) })),
        { name: t('wholeStore.together'), amounts: amountsOf(together) },
      ]}
    />
  )
}

export function FigureTable({
  title,
  report: { lanes, together },
  of,
  nameOf,
}: {
  readonly title: string
  readonly report: Pick<StoreDayReport, 'lanes' | 'together'>
  readonly of: 'tenders' | 'taxes'
  readonly nameOf: (id: string) => string
}) {
  const { t, format } = useI18n()
  const ids = together[of].map(({ id }) => id)
  if (ids.length === 0) return null
  const amountsOf = (totals: StoreTotals): string[] =>
    ids.map((id) => format.money(totals[of].find((figure) => figure.id === id)?.cents ?? 0))
  return (
    <section className={pageStyles['section']} aria-label={title}>
      <h3>{title}</h3>
      <LaneTable
        label={title}
        columns={ids.map(nameOf)}
        lines={[
          ...lanes.map((lane) => ({ name: lane.lane, amounts: amountsOf(lane) })),
          { name: t('wholeStore.together'), amounts: amountsOf(together) },
        ]}
      />
    </section>
  )
}

const TAXES = {
  GST: 'reports.taxes.GST',
  HST: 'reports.taxes.HST',
  'HST-FEDERAL': 'reports.taxes.HST-FEDERAL',
  PST: 'reports.taxes.PST',
  QST: 'reports.taxes.QST',
} as const
const isTender = (id: string): id is TenderKind => Object.hasOwn(TENDER_SCREENS, id)
const isTax = (id: string): id is keyof typeof TAXES => Object.hasOwn(TAXES, id)

/**
 * Returns the names of payments and taxes; a kind that only a newer version of another lane knows is shown by its code.
 */
export function useFigureNames() {
  const { t } = useI18n()
  return {
    tender: (id: string): string =>
      id === CASH_ROUNDING ? t('dayEnd.rounding') : isTender(id) ? t(`dayEnd.tender.${id}`) : id,
    tax: (id: string): string => {
      const { code, isReturned } = taxOfRow(id)
      const tax = isTax(code) ? t(TAXES[code]) : code
      return isReturned ? t('reports.taxReturned', { tax }) : tax
    },
  }
}
