import { z } from 'zod'
import { Cents } from '../money.ts'

/** Nobody pays more at once, in cents: a longer number was mistyped. */
const MOST_TENDER_CENTS = 99_999_999

/** What one tender pays, or its paper says. */
export const TenderAmount = Cents.refine((amount) => Math.abs(amount) <= MOST_TENDER_CENTS, 'more than one tender pays')

/** The version of the sale that the screen of a command has seen. */
export const SaleVersion = z.int().min(0)

/** The amount was looked at again: the first attempt was refused because it is unlikely. */
export const Confirmed = z.literal(true).optional()
