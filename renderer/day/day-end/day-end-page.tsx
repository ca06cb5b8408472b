import { useQuery } from '@tanstack/react-query'
import { CalendarCheck2, EyeOff, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { storeApi } from '../../core/api/store-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { Button } from '../../core/ui/button.tsx'
import { LoadFailed, PageHead, Views } from '../../core/ui/page.tsx'
import { SHIFTS, useShiftChanges } from '../drawer/shifts.ts'
import { CloseDayDialog, SavePdf, ZDialog } from './day-end-dialogs.tsx'
import { ClosingList, ShiftList, WaitingShifts, ZList } from './day-end-lists.tsx'
import type { XReport } from '../../../contracts/day/day-end.ts'
import { tenderRows } from '../../../contracts/day/tender-rows.ts'
import { Tag } from '../../core/ui/surface.tsx'
import styles from './day-end.module.css'
import { Amounts, type Figure, Figures, Section } from './paged-table.tsx'
import { CHARGE_DEPARTMENTS, EMPTIES_DEPARTMENT, GIFT_CARD_DEPARTMENT } from '../../../contracts/catalog/goods.ts'
import { api } from '../../core/api/terminal-api.ts'

const VIEWS = ['x', 'z', 'day', 'month', 'shifts'] as const
type View = (typeof VIEWS)[number]

export function DayEndPage() {
  const { t } = useI18n()
  const [view, setView] = useState<View>('x')
  const [closing, setClosing] = useState(false)
  const [opened, setOpened] = useState<{ readonly number: number; readonly made: boolean } | null>(null)
  const x = useQuery({ queryKey: [SHIFTS, 'x'], queryFn: storeApi.xReport })
  const day = useQuery({ queryKey: [SHIFTS, 'day'], queryFn: () => storeApi.zReports() })
  useShiftChanges()
  const waiting = day.data?.waiting
  const again = (): void => {
    void x.refetch()
    void day.refetch()
  }
  return (
    <>
      <PageHead title={t('dayEnd.title')} intro={t('dayEnd.intro')}>
        <Button icon={<RefreshCw />} isDisabled={x.isFetching || day.isFetching} onPress={again}>
          {t('store.refresh')}
        </Button>
        <Button
          look="primary"
          icon={<CalendarCheck2 />}
          isDisabled={!waiting || waiting.closed === 0 || waiting.counted > 0}
          onPress={() => setClosing(true)}
        >
          {t('dayEnd.closeDay')}
        </Button>
      </PageHead>
      {day.isPending && <p role="status">{t('app.loading')}</p>}
      {day.isError && <LoadFailed error={day.error} retry={again} />}
      {waiting && <WaitingShifts waiting={waiting} />}
      <Views
        label={t('dayEnd.view')}
        views={VIEWS}
        texts={(one) => t(`dayEnd.views.${one}`)}
        view={view}
        onChange={setView}
      />
      {view === 'x' && (
        <>
          {x.isPending && <p role="status">{t('app.loading')}</p>}
          {x.isError && <LoadFailed error={x.error} retry={again} />}
          {x.data && <XSummary report={x.data} />}
        </>
      )}
      {view === 'z' && <ZList onOpen={(number) => setOpened({ number, made: false })} />}
      {(view === 'day' || view === 'month') && <ClosingList key={view} span={view} />}
      {view === 'shifts' && <ShiftList />}
      {closing && day.data && (
        <CloseDayDialog
          day={day.data}
          onClose={() => setClosing(false)}
          onMade={(number) => {
            setClosing(false)
            setView('z')
            setOpened({ number, made: true })
          }}
        />
      )}
      {opened && <ZDialog number={opened.number} made={opened.made} onClose={() => setOpened(null)} />}
    </>
  )
}

/** Totals since the last Z report, without the cash of drawers that are not counted. */
export function XSummary({ report: { at, from, totals } }: { readonly report: XReport }) {
  const { t, format } = useI18n()
  return (
    <>
      <div className={`wrap middle below-3 ${styles['span']}`}>
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
      <div className={styles['sections']}>
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
  const { t, format } = useI18n()
  return (taxes) =>
    taxes.map(({ code, amountCents }) => ({ label: t(`sale.tax.${code}`), value: format.money(amountCents) }))
}

function Sales({ totals: { sales, giftCards, deposits, empties, cashOuts } }: { readonly totals: Totals }) {
  const { t, format } = useI18n()
  const taxRows = useTaxRows()
  return (
    <Section title={t('dayEnd.sales')}>
      <Figures
        rows={[
          { label: t('dayEnd.salesCount'), value: format.miles(sales.count) },
          { label: t('dayEnd.gross'), value: format.money(sales.grossCents) },
          { label: t('dayEnd.discounts'), value: format.money(0 - sales.discountCents) },
          { label: t('dayEnd.net'), value: format.money(sales.netCents) },
          ...taxRows(sales.taxes),
          { label: t('dayEnd.total'), value: format.money(sales.totalCents), strong: true },
          { label: t('reports.giftCards'), value: format.money(giftCards.amountCents) },
          { label: t('dayEnd.depositsCharged'), value: format.money(deposits.amountCents) },
          { label: t('reports.empties'), value: format.money(0 - empties.amountCents) },
          ...(cashOuts.count === 0
            ? []
            : [{ label: t('reports.cashOuts'), value: format.money(0 - cashOuts.amountCents) }]),
          ...(sales.firstId === null ? [] : [{ label: t('dayEnd.firstSale'), value: sales.firstId }]),
          ...(sales.lastId === null ? [] : [{ label: t('dayEnd.lastSale'), value: sales.lastId }]),
        ]}
      />
    </Section>
  )
}

function Returns({ totals: { returns, deposits } }: { readonly totals: Totals }) {
  const { t, format } = useI18n()
  const taxRows = useTaxRows()
  return (
    <Section title={t('dayEnd.returns')}>
      <Figures
        rows={[
          { label: t('dayEnd.returnsCount'), value: format.miles(returns.count) },
          { label: t('dayEnd.net'), value: format.money(returns.netCents) },
          ...taxRows(returns.taxes),
          { label: t('dayEnd.total'), value: format.money(returns.totalCents), strong: true },
          ...(deposits.returnedCents === 0
            ? []
            : [{ label: t('dayEnd.depositsReturned'), value: format.money(deposits.returnedCents) }]),
        ]}
      />
    </Section>
  )
}

function Movements({ movements }: { readonly movements: Totals['movements'] }) {
  const { t, format } = useI18n()
  return (
    <Section title={t('dayEnd.movements')}>
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
    </Section>
  )
}

function Counts({ totals }: { readonly totals: Totals }) {
  const { t, format } = useI18n()
  const counts = [
    ['dayEnd.cancelled', totals.cancelled],
    ['dayEnd.voidedLines', totals.voidedLines],
    ['dayEnd.priceChanges', totals.priceChanges],
    ['dayEnd.discountsGiven', totals.discounts],
    ['dayEnd.copies', totals.copies],
  ] as const
  return (
    <Section title={t('dayEnd.counts')}>
      <Figures rows={counts.map(([label, count]) => ({ label: t(label), value: format.miles(count) }))} />
    </Section>
  )
}

function Miles({ miles }: { readonly miles: Totals['miles'] }) {
  const { t, format } = useI18n()
  return (
    <Section title={t('dayEnd.miles')}>
      <Figures
        rows={[
          { label: t('dayEnd.redeemed'), value: format.miles(miles.redeemed) },
          { label: t('dayEnd.redeemedWorth'), value: format.money(miles.redeemedCents) },
          { label: t('dayEnd.issued'), value: format.miles(miles.issued) },
          { label: t('dayEnd.unsent'), value: format.miles(miles.unsent) },
          { label: t('dayEnd.undecided'), value: format.miles(miles.undecided) },
        ]}
      />
    </Section>
  )
}

export function XTenders({ totals }: { readonly totals: Totals }) {
  const { t, format } = useI18n()
  const { openSales } = totals
  const tenders = tenderRows(totals)
  const rounding = tenders.reduce((sum, { roundingCents }) => sum + roundingCents, 0)
  const openCents = openSales === null ? 0 : openSales.afterCents - openSales.beforeCents
  const more = [
    ...(rounding === 0 ? [] : [{ label: t('dayEnd.rounding'), value: format.money(rounding) }]),
    ...(openCents === 0 ? [] : [{ label: t('dayEnd.openSales'), value: format.money(openCents) }]),
  ]
  return (
    <Section title={t('dayEnd.tenders')}>
      {tenders.length === 0 ? (
        <p>{t('dayEnd.noPayments')}</p>
      ) : (
        <Amounts
          label={t('dayEnd.tenders')}
          columns={[t('dayEnd.taken'), t('dayEnd.refunded'), t('dayEnd.netColumn')]}
          rows={tenders.map(({ kind, taken, givenBack, refunded, netCents }) => ({
            name: t('dayEnd.times', {
              kind: t(`dayEnd.tender.${kind}`),
              count: format.miles(taken.count - givenBack.count),
            }),
            amounts: [taken.amountCents, givenBack.amountCents + refunded.amountCents, netCents].map(format.money),
          }))}
        />
      )}
      {more.length > 0 && <Figures rows={more} />}
    </Section>
  )
}

export function XDepartments({ departments }: { readonly departments: Totals['departments'] }) {
  const { t, format } = useI18n()
  const known = useQuery({ queryKey: ['quick-keys'], queryFn: api.quickKeys })
  const nameOf = (id: string): string => {
    const names = known.data?.departments.find((department) => department.id === id)?.name
    if (names) return format.text(names)
    switch (id) {
      case GIFT_CARD_DEPARTMENT:
        return t('dayEnd.tender.gift-card')
      case CHARGE_DEPARTMENTS.deposit:
        return t('reports.deposits')
      case CHARGE_DEPARTMENTS.fee:
        return t('catalog.charges.kinds.fee')
      case EMPTIES_DEPARTMENT:
        return t('reports.empties')
      default:
        return id
    }
  }
  return (
    <Section title={t('dayEnd.departments')}>
      {departments.length === 0 ? (
        <p>{t('dayEnd.noDepartments')}</p>
      ) : (
        <Amounts
          label={t('dayEnd.departments')}
          columns={[t('dayEnd.sold'), t('dayEnd.returned'), t('dayEnd.netColumn')]}
          rows={departments.map(({ id, soldCents, returnedCents, netCents }) => ({
            name: nameOf(id),
            amounts: [soldCents, returnedCents, netCents].map(format.money),
          }))}
        />
      )}
    </Section>
  )
}
