import type { Sale } from '../../../contracts/api/sales.ts'
import { useWords } from '../../i18n/words.tsx'

/** A discount as it stands in a column of amounts: below nothing, or miles. */
export function useTakenOff(): (discount: Sale['discounts'][number]) => string {
  const { t, format } = useWords()
  return ({ off, amountCents }) => (off === null ? t('coupon.forMiles') : format.money(0 - amountCents))
}

/** What a discount is called on the screens: its share or the coupon's name, its reason, and the line that it is on. */
export function useDiscountName(): (discount: Sale['discounts'][number], sale?: Pick<Sale, 'lines'>) => string {
  const { t, format } = useWords()
  return ({ off, coupon, reason, reach }, sale) => {
    const why = reason === null ? '' : t(`discount.reason.${reason}`)
    const name = coupon
      ? t('coupon.named', { name: format.text(coupon.name) })
      : off?.kind === 'percent'
        ? t('discount.namedPercent', { percent: format.percent(off.ppm), reason: why })
        : t('discount.namedAmount', { reason: why })
    const line = reach.kind === 'line' ? sale?.lines.find(({ number }) => number === reach.number) : undefined
    return line ? t('discount.namedOn', { discount: name, line: format.text(line.name) }) : name
  }
}
