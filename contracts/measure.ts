import { z } from 'zod'
import { Cents } from './money.ts'

/** What a label says of the very piece that it is stuck on: its price, or its weight in grams. */
export const Measure = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('price'), cents: Cents }),
  z.object({ kind: z.literal('weight'), grams: z.int().min(1) }),
])
export type Measure = z.infer<typeof Measure>
