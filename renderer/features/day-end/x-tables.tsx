import { useQuery } from '@tanstack/react-query'
import type { XReport } from '../../../contracts/api/day-end.ts'
import { GIFT_CARD_DEPARTMENT } from '../../../contracts/gift-card.ts'
import { api } from '../../api/terminal-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { Amounts, Figures, Part } from './figures.tsx'

type Totals = XReport['totals']

/** Each way to pay: what was taken, what went back, and what is left of it. */
export function XTenders({ totals: { tenders, openSales } }: { readonly totals: Totals }) {
  const { t, format } = useWords()
  const rounding = tenders.reduce((sum, { roundingCents }) => sum + roundingCents, 0)
  const openCents = openSales === null ? 0 : openSales.afterCents - openSales.beforeCents
  const more = [
    ...(rounding === 0 ? [] : [{ label: t('dayEnd.rounding'), value: format.money(rounding) }]),
    ...(openCents === 0 ? [] : [{ label: t('dayEnd.openSales'), value: format.money(openCents) }]),
  ]
  return (
    <Part title={t('dayEnd.tenders')}>
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
    </Part>
  )
}

/** Before tax, under the names that the quick keys have for them. */
export function XDepartments({ departments }: { readonly departments: Totals['departments'] }) {
  const { t, format } = useWords()
  const known = useQuery({ queryKey: ['quick-keys'], queryFn: api.quickKeys })
  const nameOf = (id: string): string => {
    const names = known.data?.departments.find((department) => department.id === id)?.name
    if (names) return format.text(names)
    return id === GIFT_CARD_DEPARTMENT ? t('dayEnd.tender.gift-card') : id
  }
  return (
    <Part title={t('dayEnd.departments')}>
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
    </Part>
  )
}
