import type { Report } from '../../../contracts/day/reports.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { pageStyles } from '../../core/ui/page.tsx'
import { ChangeText, type Sides, changeOf, shareOf } from './report-figures.tsx'
import styles from './reports.module.css'

interface Shown {
  readonly label: string
  readonly value: string
  readonly change?: ReturnType<typeof changeOf>
}

export function ReportSummary({ report: { summary, miles } }: { readonly report: Report }) {
  const i18n = useI18n()
  const { t, format } = i18n
  const share = (ppm: number | null): string => (ppm === null ? t('reports.none') : format.percent(ppm))
  const shown = (label: string, sides: Sides, write: (value: number) => string): Shown => ({
    label,
    value: write(sides.now),
    change: changeOf(sides, write, i18n),
  })
  const of = (name: keyof Report['summary']['now']): Sides => ({ now: summary.now[name], before: summary.before[name] })
  const average = ({ netCents, sales }: Report['summary']['now']): number =>
    sales === 0 ? 0 : Math.round(netCents / sales)
  const moved = (name: keyof Report['miles']['now']): Sides => ({ now: miles.now[name], before: miles.before[name] })
  return (
    <>
      <Facts
        title={t('reports.summary')}
        facts={[
          shown(t('reports.sales'), of('sales'), format.miles),
          shown(t('reports.net'), of('netCents'), format.money),
          shown(t('reports.tax'), of('taxCents'), format.money),
          shown(t('reports.total'), of('totalCents'), format.money),
          shown(t('reports.giftCards'), of('giftCardCents'), format.money),
          shown(t('reports.depositsNet'), of('depositCents'), format.money),
          shown(t('reports.empties'), of('emptiesCents'), format.money),
          shown(t('reports.discounts'), of('discountCents'), format.money),
          shown(t('reports.returns'), of('returnCents'), format.money),
          shown(t('reports.average'), { now: average(summary.now), before: average(summary.before) }, format.money),
        ]}
      />
      <Facts
        title={t('reports.milesTitle')}
        facts={[
          shown(t('reports.issued'), moved('issued'), format.miles),
          shown(t('reports.redeemed'), moved('redeemed'), format.miles),
          shown(t('reports.redeemedWorth'), moved('redeemedCents'), format.money),
          { label: t('reports.share'), value: share(shareOf(miles.now.redeemedCents, summary.now.totalCents)) },
          { label: t('reports.salesShare'), value: share(shareOf(miles.now.redeemedSales, summary.now.sales)) },
          { label: t('reports.unsent'), value: format.miles(miles.now.unsent) },
          { label: t('reports.undecided'), value: format.miles(miles.now.undecided) },
        ]}
      />
    </>
  )
}

export function Facts({ title, facts }: { readonly title: string; readonly facts: readonly Shown[] }) {
  return (
    <section className={pageStyles['section']} aria-label={title}>
      <h3>{title}</h3>
      <dl className={`stack-3 ${styles['facts']} figures selectable`}>
        {facts.map(({ label, value, change }) => (
          <div key={label}>
            <dt className="note">{label}</dt>
            <dd className="anywhere">{value}</dd>
            {change && (
              <dd className="anywhere">
                <ChangeText {...change} />
              </dd>
            )}
          </div>
        ))}
      </dl>
    </section>
  )
}
