import { z } from 'zod'

/** The version of the sale that the screen of a command has seen. */
export const SaleVersion = z.int().min(0)
