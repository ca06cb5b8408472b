import { z } from 'zod'
import { Cents } from '../core/money.ts'

/** The price, or the weight in grams, on the label of one piece of goods. */
export const Measure = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('price'), cents: Cents }),
  z.object({ kind: z.literal('weight'), grams: z.int().min(1) }),
])

export type Measure = z.infer<typeof Measure>

export const GoodsDoubt = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('expired'), date: z.iso.date() }),
  z.object({ kind: z.literal('recalled'), lot: z.string() }),
])

export type GoodsDoubt = z.infer<typeof GoodsDoubt>
