import { z } from 'zod'
import type { TaxCode } from '../core/regions.ts'
import type { TenderKind } from '../payments/tenders/registry.ts'

const Account = z.strictObject({ code: z.string().min(1).max(20), name: z.string().min(1).max(60) })
export type Account = z.infer<typeof Account>
const account = (code: string, name: string) => Account.default({ code, name })

/**
 * Default account of each payment type. Money, and miles that the program owes the store, are assets; store credit and
 * gift cards are liabilities.
 */
const tenderAccounts = {
  cash: account('1000', 'Cash in drawers'),
  card: account('1100', 'Card slips receivable'),
  'card-terminal': account('1110', 'Card terminal receivable'),
  cheque: account('1120', 'Cheques on hand'),
  'manufacturer-coupon': account('1125', 'Manufacturers’ coupons receivable'),
  miles: account('1130', 'Miles program receivable'),
  'store-credit': account('2100', 'Store credit outstanding'),
  'gift-card': account('2110', 'Gift cards outstanding'),
} satisfies Record<TenderKind, z.ZodType>

const taxAccounts = {
  GST: account('2200', 'GST payable'),
  HST: account('2210', 'HST payable'),
  'HST-FEDERAL': account('2211', 'HST payable, federal part'),
  PST: account('2220', 'PST payable'),
  QST: account('2230', 'QST payable'),
} satisfies Record<TaxCode, z.ZodType>

export const AccountingSettings = z.strictObject({
  tenders: z.strictObject(tenderAccounts).prefault({}),
  taxes: z.strictObject(taxAccounts).prefault({}),
  sales: account('4000', 'Sales').describe('Of every department without an account of its own'),
  departments: z.record(z.string().min(1), Account).default({}).describe('Sales of a department, by its id'),
  deposits: account('2300', 'Container deposits payable').describe('Deposits charged less those paid for empties'),
  safe: account('1010', 'Cash in safe'),
  openSales: account('2120', 'Paid on open sales'),
  rounding: account('4900', 'Cash rounding'),
  overShort: account('6900', 'Cash over and short'),
  paidIn: account('4910', 'Cash paid in'),
  paidOut: account('6910', 'Cash paid out'),
})
export type AccountingSettings = z.infer<typeof AccountingSettings>
