import fc from 'fast-check'
import { DayTotals } from '../../../contracts/day/day-end.ts'
import { MovementKind } from '../../../contracts/day/shifts.ts'
import { TaxCode } from '../../../contracts/core/regions.ts'
import { TenderKind } from '../../../contracts/payments/tenders/registry.ts'

const count = fc.nat(1_000)
const amount = fc.integer({ min: -1_000_000, max: 1_000_000 })
const counted = fc.record({ count, amountCents: amount })
const saleId = fc.option(fc.stringMatching(/^[A-Z0-9]{8}$/))
const each = <Row>(one: fc.Arbitrary<Row>, key: (row: Row) => string) => fc.uniqueArray(one, { selector: key })
const taxes = each(fc.record({ code: fc.constantFrom(...TaxCode.options), amountCents: amount }), ({ code }) => code)

export const dayTotals = fc
  .record({
    sales: fc.record({
      count,
      grossCents: amount,
      discountCents: amount,
      netCents: amount,
      taxes,
      totalCents: amount,
      firstId: saleId,
      lastId: saleId,
    }),
    returns: fc.record({ count, netCents: amount, taxes, totalCents: amount }),
    cancelled: count,
    departments: each(
      fc.record({
        id: fc.constantFrom('books', 'bakery', 'fruit'),
        soldCents: amount,
        returnedCents: amount,
        netCents: amount,
      }),
      ({ id }) => id,
    ),
    tenders: each(
      fc.record({
        kind: fc.constantFrom(...TenderKind.options),
        taken: counted,
        givenBack: counted,
        refunded: counted,
        netCents: amount,
        roundingCents: amount,
      }),
      ({ kind }) => kind,
    ),
    openSales: fc.record({ beforeCents: amount, afterCents: amount }),
    movements: each(
      fc.record({ kind: fc.constantFrom(...MovementKind.options), count, amountCents: amount }),
      ({ kind }) => kind,
    ),
    voidedLines: count,
    priceChanges: count,
    discounts: count,
    copies: count,
    miles: fc.record({ redeemed: count, redeemedCents: amount, issued: count, unsent: count, undecided: count }),
  })
  .map((given) => DayTotals.parse(given))
