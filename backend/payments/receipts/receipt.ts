import type { Exemption, SaleDiscount } from '../../../contracts/sales/sale-changes.ts'
import type { Member, NoEarningReason, SaleLine, SaleTotals } from '../../../contracts/sales/sales.ts'
import type { LineMeasure } from '../../../contracts/catalog/measure.ts'
import { measureText } from '../../catalog/measured.ts'
import { maskCollectorNumber } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import type { ReceiptBlock, ReceiptDocument } from '../../../contracts/core/receipt.ts'
import { type Paper, type ReceiptTexts, columnsOf, paperOf, receiptTexts } from '../../core/paper/layout.ts'
import { milesRows, type EarnedFacts } from './receipt-blocks.ts'
import { offerRows, type ReceiptOffer } from '../../loyalty/basket-offers/receipt-offers.sql.ts'
import { isCharge, isEmpties } from '../../catalog/charges.ts'
import { hidesBalances } from '../../core/central/response-codes.ts'
import type { StoreTax } from '../../catalog/tax.ts'
import { TENDER_TYPES } from '../tender-types/registry.ts'
import type { ReceiptContext } from '../tender-types/type.ts'
import { type Copy, trainingMark, copyMark, header, rule, space } from '../../core/paper/document.ts'

/** Balances from an INQUIRE or a REDEEM, in miles and cents. */
export interface ReceiptBalances {
  readonly responseCode: string
  readonly cashMiles?: number | undefined
  readonly dreamMiles?: number | undefined
  readonly availableCashMiles?: number | undefined
  readonly availableCents?: number | undefined
}

export interface ReceiptFacts extends EarnedFacts, ReceiptContext {
  readonly profile: Pick<Profile, 'mode' | 'store' | 'receipt' | 'timeZone'>
  readonly locale: Locale
  readonly saleId: string
  readonly lane: string
  readonly cashierName: string
  readonly completedAt: number
  readonly lines: readonly SaleLine[]
  readonly totals: Pick<SaleTotals, 'subtotalCents' | 'taxes' | 'totalCents'>
  readonly discounts?: readonly SaleDiscount[]
  readonly exemption?: Exemption | null
  readonly note?: string | null
  readonly member: Pick<Member, 'last4' | 'entryMode'> | null
  readonly balances: ReceiptBalances | null
  /** A redemption of this sale that paid nothing and whose miles may have been taken; null without one. */
  readonly unsettled?: UnsettledRedemption | null
  /** Why the purchase earns no miles; null if it earns some. With a reason, the receipt promises none. */
  readonly noMiles?: NoMiles | null
  readonly offers?: readonly ReceiptOffer[]
  readonly copy: Copy
  readonly taxes?: readonly StoreTax[]
  /** Width of the paper in characters. */
  readonly columns: number
  /** Address at which the customer can open this receipt; null or left out: none. */
  readonly link?: string | null
}

/** Data by which support can find the miles of a redemption that paid nothing. */
export interface UnsettledRedemption {
  readonly traceId: string
  readonly amountCents: number
  readonly miles: number
  readonly confirmationNumber: string | null
  readonly tooLate?: boolean
}

/** Why a purchase earns no miles: a reason of the collector's account, or `refused` for another reason. */
export type NoMiles = NoEarningReason | 'refused'

/**
 * Number of digits of a trace id on the receipt, few enough to be read out. The store finds the full id by the sale.
 */
const REFERENCE_LENGTH = 8

/**
 * Composes the receipt of a sale. Balances are in `paperOnly` blocks, and only if the collector does not keep them
 * private (specification 3 §4.5 rules 4 and 5); the confirmation number of a redemption is always printed (rule 3).
 * Void lines are left out. The function is pure: the same facts give the same paper, so a copy matches its original.
 */
export function composeReceipt(facts: ReceiptFacts): ReceiptDocument {
  const words = receiptTexts(facts.locale, facts.profile.receipt.secondLanguage)
  const paper = paperOf(facts.columns)
  const mark = trainingMark(facts, words, paper)
  const { link } = facts.profile.receipt
  const blocks: ReceiptBlock[] = [
    ...header(facts, words, paper),
    ...mark,
    ...copyMark(facts, words, paper),
    ...(facts.totals.totalCents < 0 ? paper.text(words.t('empties-payout'), 'center', { bold: true }) : []),
    space,
    ...paper.row(words.dateTime(facts.completedAt, facts.profile.timeZone), words.t('lane', { lane: facts.lane })),
    ...paper.text(words.t('cashier', { name: facts.cashierName }), 'left'),
    rule,
    ...basket(facts, words, paper),
    ...(facts.exemption ? [rule, ...exemptionRows(facts.exemption, words, paper)] : []),
    rule,
    ...paper.row(words.t('total'), words.money(facts.totals.totalCents), { bold: true, size: 'large' }),
    ...savings(facts, words, paper),
    space,
    ...facts.tenders.flatMap((tender) => TENDER_TYPES[tender.kind].receiptRows(tender, facts, words, paper)),
    ...unsettledRows(facts, words, paper),
    ...(facts.note ? [rule, ...paper.text(words.t('note', { note: facts.note }), 'left')] : []),
    ...collector(facts, words, paper),
    // While a redemption is unsettled, the current balances are unknown.
    ...(facts.unsettled ? [] : balances(facts.balances, words, paper)),
    space,
    ...footerOf(facts).flatMap((line) => paper.text(line, 'center')),
    ...mark,
    space,
    ...onlineRows(facts, words, paper),
    ...(link ? [{ kind: 'qr', data: link } as const, space] : []),
    { kind: 'barcode', symbology: 'code128', data: facts.saleId },
  ]
  return { locale: facts.locale, title: `${words.t('title')} ${facts.saleId}`, blocks }
}

const footerOf = ({ locale, profile: { receipt } }: ReceiptFacts): readonly string[] =>
  [...new Set([locale, receipt.secondLanguage ?? locale])].flatMap((language) => receipt.footer[language] ?? [])

export function exemptionRows(known: Exemption, { t }: ReceiptTexts, paper: Paper): ReceiptBlock[] {
  return [
    ...paper.text(t(`exempt-${known.relief}`, { reason: t(`exempt-reason-${known.reason}`) }), 'left'),
    ...paper.row(t('exempt-certificate'), known.certificate),
  ]
}

const onlineRows = ({ link }: ReceiptFacts, { t }: ReceiptTexts, paper: Paper): ReceiptBlock[] =>
  link ? [...paper.text(t('online'), 'center'), { kind: 'qr', data: link }, space] : []

/** Returns the row of what promotions, coupons and discounts took off. */
export function savings(
  { lines }: Pick<ReceiptFacts, 'lines'>,
  { t, money }: ReceiptTexts,
  paper: Paper,
): ReceiptBlock[] {
  const saved = lines.reduce((sum, { voided, discountCents }) => sum + (voided ? 0 : discountCents), 0)
  return saved === 0 ? [] : paper.row(t('saved'), money(saved))
}

/** A row of a discount; its amount is in cents, and zero for a coupon that only gives miles. */
interface DiscountEntry {
  readonly name: string
  readonly off: number
}

/**
 * Returns the discount rows of a line; for returned goods, their share in one row. The row of the line above shows its
 * full price, so that the column adds up to the subtotal.
 */
function takenOff(
  line: SaleLine,
  discounts: readonly SaleDiscount[] | undefined,
  words: ReceiptTexts,
): DiscountEntry[] {
  const own = discounts
    ? discounts
        .filter(({ reach }) => reach.kind === 'line' && reach.number === line.number)
        .map((discount) => ({ name: discountName(discount, words), off: discount.amountCents }))
    : [{ name: words.t('discount'), off: line.discountCents }]
  return own.filter(({ off }) => off !== 0)
}

function discountName({ off, coupon, promotion, reason }: SaleDiscount, { t, rate, name }: ReceiptTexts): string {
  if (promotion) return name(promotion.name)
  if (coupon) return t('coupon', { name: name(coupon.name) })
  const why = reason === null ? '' : t(`discount-reason-${reason}`)
  return off?.kind === 'percent'
    ? t('discount-percent', { rate: rate(off.ppm), reason: why })
    : t('discount-amount', { reason: why })
}

/** Composes lines, subtotal and taxes with one column of amounts and one of tax marks, which the tax rows explain. */
export function basket(
  facts: Pick<ReceiptFacts, 'lines' | 'totals' | 'taxes' | 'locale' | 'discounts'>,
  words: ReceiptTexts,
  paper: Paper,
): ReceiptBlock[] {
  const { amount, t } = words
  const lines = facts.lines.filter((line) => !line.voided)
  const charged = new Set(lines.flatMap((line) => line.taxCodes))
  const taxes = facts.totals.taxes.filter((tax) => charged.has(tax.code) || tax.amountCents !== 0)
  const marksOf = (codes: SaleLine['taxCodes']): string => codes.map((code) => t(`tax-mark-${code}`)).join('')
  const shared: DiscountEntry[] = (facts.discounts ?? [])
    .filter(({ reach, applies }) => reach.kind !== 'line' && applies)
    .map((discount) => ({ name: discountName(discount, words), off: discount.amountCents }))
  const grossOf = (line: SaleLine): number => line.amountCents + line.discountCents
  const width = Math.max(
    ...[
      facts.totals.subtotalCents,
      ...lines.map(grossOf),
      ...[...lines.flatMap((line) => takenOff(line, facts.discounts, words)), ...shared].map(({ off }) => -off),
      ...taxes.map((tax) => tax.amountCents),
    ].map((cents) => columnsOf(amount(cents))),
  )
  const marksWidth = Math.max(0, ...lines.map((line) => columnsOf(marksOf(line.taxCodes))), ...taxes.map(() => 1))
  const column = (cents: number, marks = ''): string => `${marks.padEnd(marksWidth)} ${amount(cents).padStart(width)}`
  return [
    ...lines.flatMap((line) => {
      const name = words.name(line.name)
      const right = column(grossOf(line), marksOf(line.taxCodes))
      return [
        ...(isWeighedOnPaper(line)
          ? [...paper.text(name, 'left'), ...paper.row(measureText(line.measure, facts.locale), right)]
          : line.quantity === 1
            ? paper.row(name, right)
            : [
                ...paper.text(name, 'left'),
                ...paper.row(
                  t('quantity', { quantity: words.count(line.quantity), price: amount(line.unitPriceCents) }),
                  right,
                ),
              ]),
        ...(line.regularPriceCents === null
          ? []
          : paper.text(t('regular-price', { price: amount(line.regularPriceCents) }), 'left')),
        ...takenOff(line, facts.discounts, words).flatMap(({ name: what, off }) => paper.row(what, column(-off))),
        ...(line.exemption ? exemptionRows(line.exemption, words, paper) : []),
        ...(line.finalSale ? paper.text(t('final-sale'), 'left') : []),
        ...(line.note === null ? [] : paper.text(t('note', { note: line.note }), 'left')),
      ]
    }),
    ...shared.flatMap(({ name, off }) => paper.row(name, off === 0 ? t('coupon-miles') : column(-off))),
    rule,
    ...paper.row(
      t('subtotal-items', {
        count: lines.reduce((sum, line) => (isCharge(line) || isEmpties(line) ? sum : sum + line.quantity), 0),
      }),
      column(facts.totals.subtotalCents),
    ),
    ...taxes.flatMap(({ code, amountCents }) => {
      const name = t(`tax-name-${code}`)
      const rate = facts.taxes?.find((tax) => tax.code === code)?.ratePpm
      const tax = rate === undefined ? name : t('tax', { name, rate: words.rate(rate) })
      const mark = marksOf([code])
      return paper.row(t('tax-marked', { tax, mark }), column(amountCents, mark))
    }),
  ]
}

/** The paper shows net weight and unit price of what was weighed here (SI/98-81, s. 67), not of a labelled price. */
const isWeighedOnPaper = (line: SaleLine): line is SaleLine & { measure: LineMeasure } =>
  line.measure !== undefined && line.measure.source !== 'price-label'

function unsettledRows({ unsettled }: ReceiptFacts, { t, money, miles }: ReceiptTexts, paper: Paper): ReceiptBlock[] {
  if (!unsettled) return []
  const { traceId, amountCents, miles: asked, confirmationNumber, tooLate = false } = unsettled
  return [
    rule,
    ...paper.text(t('unsettled'), 'left', { bold: true }),
    ...paper.text(
      t(tooLate ? 'unsettled-late' : 'unsettled-text', { amount: money(amountCents), miles: miles(asked) }),
      'left',
    ),
    ...paper.row(t('unsettled-reference'), traceId.slice(0, REFERENCE_LENGTH), { bold: true }),
    ...(confirmationNumber === null ? [] : paper.detail(t('confirmation'), confirmationNumber)),
  ]
}

function collector(facts: ReceiptFacts, words: ReceiptTexts, paper: Paper): ReceiptBlock[] {
  const { member, noMiles, offers = [] } = facts
  const { t } = words
  if (!member) return []
  return [
    rule,
    ...paper.row(t(`entry-${member.entryMode}`), maskCollectorNumber(member.last4.slice(-4))),
    ...(noMiles
      ? paper.text(t(`no-miles-${noMiles}`), 'left')
      : [...milesRows(facts, words, paper), ...offerRows(offers, words, paper)]),
  ]
}

/**
 * Returns the rows of the balances. Returns none under response codes 0001 and 0005 or an unknown code: no balance and
 * no redeemable amount.
 */
function balances(known: ReceiptBalances | null, { t, miles, money }: ReceiptTexts, paper: Paper): ReceiptBlock[] {
  if (!known || hidesBalances(known.responseCode)) return []
  const style = { paperOnly: true } as const
  const row = (label: string, value: number | undefined, format: (value: number) => string): ReceiptBlock[] =>
    value === undefined ? [] : paper.row(label, format(value), style)
  const rows = [
    ...row(t('balance-cash'), known.cashMiles, miles),
    ...row(t('balance-dream'), known.dreamMiles, miles),
    ...row(t('available-miles'), known.availableCashMiles, miles),
    ...row(t('available-dollars'), known.availableCents, money),
  ]
  if (rows.length === 0) return []
  return [{ kind: 'rule', ...style }, ...paper.text(t('balances'), 'left', { bold: true, ...style }), ...rows]
}
