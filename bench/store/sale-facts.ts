import { FactTotals, SaleFact } from '../../contracts/store/facts.ts'
import type { Fact } from '../../contracts/store/protocol.ts'

const NAMES = { 'en-CA': 'Coffee beans 340 g', 'fr-CA': 'Café en grains 340 g' }
const LINES = 5
const PRICE_CENTS = 1_499
const TOTAL_CENTS = LINES * PRICE_CENTS

/** Returns the fact of a sale of five lines paid in cash. */
export const saleFact = (id: string, seq: number, at: number): Fact => ({
  seq,
  kind: 'sale',
  subject: id,
  at,
  body: { ...BODY, id, sequence: seq, openedAt: at - 60_000, closedAt: at },
  sealed: null,
})

/** The body of the fact is parsed only once, because facts are made during the measurement. */
const BODY: Fact['body'] = JSON.parse(
  JSON.stringify(
    SaleFact.parse({
      id: 'SALE',
      sequence: 1,
      version: LINES + 1,
      state: 'completed',
      cashier: { id: 'sam', name: 'Sam Okafor' },
      openedAt: 1,
      closedAt: 2,
      memberLast4: null,
      memberEntryMode: null,
      note: null,
      exemption: null,
      ageChecked: null,
      taxes: [{ code: 'HST', ratePpm: 130_000 }],
      totals: FactTotals.parse({
        grossCents: TOTAL_CENTS,
        discountCents: 0,
        netCents: TOTAL_CENTS,
        taxes: [{ code: 'HST', amountCents: 0 }],
        totalCents: TOTAL_CENTS,
      }),
      shiftId: 1,
      lines: Array.from({ length: LINES }, (_, index) => ({
        number: index + 1,
        sku: `10${index}0`,
        names: NAMES,
        quantity: 1,
        unitPriceCents: PRICE_CENTS,
        regularPriceCents: null,
        taxCategory: 'zero-rated',
        departmentId: 'grocery',
        categoryId: null,
        note: null,
        minimumAge: null,
        voided: 0,
      })),
      discounts: [],
      tenders: [
        {
          number: 1,
          kind: 'cash',
          amountCents: TOTAL_CENTS,
          roundingCents: 0,
          tenderedCents: TOTAL_CENTS,
          changeCents: 0,
          reference: null,
          operationId: null,
          voucherId: null,
          voucherBalanceCents: null,
          takesBack: null,
          at: 2,
        },
      ],
    }),
  ),
)
