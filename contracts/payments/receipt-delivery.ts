import { z } from 'zod'
import { holdsCardNumber } from '../core/card-numbers.ts'
import { SaleId } from '../core/ids.ts'
import { Locale } from '../core/locales.ts'
import { CARD_NUMBER, FREE_TEXT, freeText } from '../core/text.ts'

/** An e-mail address (RFC 5321 §4.5.3.1: at most 254 characters). It is stored sealed, and only until it is used. */
export const EmailAddress = z
  .email()
  .max(254)
  .refine((text) => !holdsCardNumber(text), { error: CARD_NUMBER })
  .meta({ format: FREE_TEXT })

/**
 * Buyer on an invoice: name or trading name, terms of payment and a description, which a registrant needs for
 * input tax credits on purchases of $500 or more (Input Tax Credit Information (GST/HST) Regulations, SOR/91-45,
 * s. 3(c)).
 */
export const Buyer = z.object({
  name: freeText({ max: 80 }),
  terms: freeText({ max: 80 }).optional().describe('left out: paid in full on the day of the sale'),
  about: freeText({ max: 200 }).optional().describe('description of the supplies in addition to the lines'),
})
export type Buyer = z.infer<typeof Buyer>

/** POST /api/sales/:id/email sends the receipt and its invoice to an address. */
export const EmailReceipt = z.object({
  address: EmailAddress,
  locale: Locale.describe('language of the customer'),
  buyer: Buyer.optional(),
})
export type EmailReceipt = z.infer<typeof EmailReceipt>

/**
 * Why an e-mail is not sent yet, or was not sent. The answers of mail servers are not stored: they quote the address.
 */
export const DeliveryProblem = z.enum(['unreachable', 'sign-in', 'not-secure', 'busy', 'refused', 'restored'])
export type DeliveryProblem = z.infer<typeof DeliveryProblem>
export const DeliveryState = z.enum(['waiting', 'sent', 'failed'])

/** One e-mail, without its address. */
export const Delivery = z.object({
  id: z.uuid(),
  saleId: SaleId,
  at: z.string().describe('when it was requested (ISO 8601)'),
  by: z.string().describe('name of the person who requested it'),
  state: DeliveryState,
  problem: DeliveryProblem.nullable().describe('of the last try; null: none'),
})
export type Delivery = z.infer<typeof Delivery>
export const DeliveryAnswer = z.object({ delivery: Delivery })
export const DeliveryList = z.object({ deliveries: z.array(Delivery) })

/** POST /api/sales/:id/invoice composes the invoice of a sale as PDF. */
export const MakeInvoice = z.object({ locale: Locale, buyer: Buyer.optional() })
export type MakeInvoice = z.infer<typeof MakeInvoice>
export const Invoice = z.object({ fileName: z.string(), pdf: z.base64() })
export type Invoice = z.infer<typeof Invoice>
