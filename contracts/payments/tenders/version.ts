import { z } from 'zod'
import { Cents } from '../../core/money.ts'

const MAX_TENDER_CENTS = 99_999_999

/** Amount of one tender in cents: the paid amount, or the amount on the card slip. */
export const TenderAmount = Cents.refine((amount) => Math.abs(amount) <= MAX_TENDER_CENTS, 'more than one tender pays')

/** The version of the sale that the screen showed. */
export const SaleVersion = z.int().min(0)

/** `true` in the repeated command, when the cashier has confirmed an amount that was refused as unlikely. */
export const Confirmed = z.literal(true).optional()
