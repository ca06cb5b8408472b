import type { GivenIssuance } from '../../../contracts/central/issuance.ts'
import type { PartnerRule, Profile } from '../../../contracts/profile.ts'
import { saleLineOf, type BasketLine } from '../../domain/basket.ts'
import { isGiftCard } from '../../domain/gift-card.ts'
import { dayAt, partnerMiles, type EarningBasket } from '../../domain/partner-miles.ts'
import { couponsOf, pricedLines, type SaleParts } from '../sales/view.ts'

/** What of a basket earns: void lines and gift cards do not. */
export const earningOf = (lines: readonly BasketLine[], coupons: readonly string[]): EarningBasket => ({
  coupons,
  lines: lines
    .filter((line) => !line.voided && line.quantity > 0 && !isGiftCard(line))
    .map((line) => ({ ...line, amountCents: saleLineOf(line, []).amountCents })),
})

/** What a sale earns by the store's rules as they are now. `at`: epoch ms. */
export const earnedNow = ({ issuance, timeZone }: Profile, now: SaleParts, at: number): GivenIssuance[] =>
  partnerMiles(issuance.rules, earningOf(pricedLines(now), couponsOf(now)), dayAt(at, timeZone))

/** What a basket of a sale earns by the rules that it earned by. */
export const earnedByRules =
  ({ timeZone }: Pick<Profile, 'timeZone'>, now: SaleParts, rules: readonly PartnerRule[]) =>
  (basket: readonly BasketLine[]): GivenIssuance[] =>
    partnerMiles(rules, earningOf(basket, couponsOf(now)), dayAt(now.sale.closedAt ?? now.sale.openedAt, timeZone))
