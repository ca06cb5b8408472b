import { z } from 'zod'

/** The version of the sale that the screen of a command has seen. */
export const SaleVersion = z.int().min(0)

/** The amount was looked at again: the first attempt was refused because it is unlikely. */
export const Confirmed = z.literal(true).optional()
