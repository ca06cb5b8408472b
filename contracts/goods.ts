import { z } from 'zod'

/** Why a scanned piece should not be sold. */
export const GoodsDoubt = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('expired'), date: z.iso.date() }),
  z.object({ kind: z.literal('recalled'), lot: z.string() }),
])
export type GoodsDoubt = z.infer<typeof GoodsDoubt>
