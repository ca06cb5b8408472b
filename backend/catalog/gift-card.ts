import {
  CHARGE_DEPARTMENTS,
  EMPTIES_DEPARTMENT,
  GIFT_CARD_DEPARTMENT,
  GIFT_CARD_SKU,
} from '../../contracts/catalog/goods.ts'
import { perLocale } from '../../contracts/i18n/languages.ts'
import type { Localized, Names } from '../../contracts/core/locales.ts'
import type { Cents } from '../../contracts/core/money.ts'
import { receiptTexts } from '../core/paper/layout.ts'
import type { Profile } from '../../contracts/core/profile.ts'

export const giftCardNames = (): Localized => perLocale((locale) => receiptTexts(locale).t('gift-card-title'))

/**
 * A gift card as a line of a sale. It is stored value: tax is charged and miles are given when the card is spent, not
 * when it is sold.
 */
export const giftCardLine = (amountCents: Cents) =>
  ({
    sku: GIFT_CARD_SKU,
    name: giftCardNames(),
    quantity: 1,
    unitPriceCents: amountCents,
    taxCategory: 'zero-rated',
    taxRule: null,
    departmentId: GIFT_CARD_DEPARTMENT,
    categoryId: null,
    minimumAge: null,
    rungAt: null,
    packPieces: null,
    charges: [],
    measure: null,
    returnDays: null,
  }) as const

export const isGiftCard = ({ sku }: { readonly sku: string }): boolean => sku === GIFT_CARD_SKU

const RESERVED = [CHARGE_DEPARTMENTS.deposit, CHARGE_DEPARTMENTS.fee, EMPTIES_DEPARTMENT] as const

export const departmentNames = ({ departments }: Pick<Profile['catalog'], 'departments'>) =>
  new Map<string, Localized | Names>([
    [GIFT_CARD_DEPARTMENT, giftCardNames()],
    ...RESERVED.map((id) => [id, perLocale((locale) => receiptTexts(locale).t(`department-${id}`))] as const),
    ...departments.map(({ id, name }) => [id, name] as const),
  ])
