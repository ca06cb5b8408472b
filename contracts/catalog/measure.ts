import { z } from 'zod'
import { Cents } from '../core/money.ts'
import { MAX_THOUSANDTHS, MEASURE_UNITS } from './measure-units.ts'

/** The price, or the weight in grams, on the label of one piece of goods. */
export const Measure = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('price'), cents: Cents }),
  z.object({
    kind: z.literal('weight'),
    grams: z.int().min(1),
    poundThousandths: z.int().min(1).optional().describe('of a label in pounds'),
  }),
])

export type Measure = z.infer<typeof Measure>

export const GoodsDoubt = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('expired'), date: z.iso.date() }),
  z.object({ kind: z.literal('recalled'), lot: z.string() }),
])

export type GoodsDoubt = z.infer<typeof GoodsDoubt>

export const MeasureUnit = z.enum(MEASURE_UNITS)

export const Thousandths = z.int().min(1).max(MAX_THOUSANDTHS)
/** Measured quantity of a line, whose amount is that quantity times the price. Thousandths of the unit's symbol. */
export const LineMeasure = z.object({
  unit: MeasureUnit,
  netThousandths: Thousandths.describe('without the tare'),
  tareThousandths: Thousandths.optional(),
  unitPriceCents: Cents,
  source: z
    .enum(['scale', 'typed', 'label', 'price-label'])
    .describe('price-label: calculated from the price on a label, only for reports'),
})
export type LineMeasure = z.infer<typeof LineMeasure>

/** Weight of the packaging: a fixed weight in thousandths of the item's unit, or a share of the gross weight. */
export const Tare = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('fixed'), thousandths: Thousandths }),
  // Proportional tare, such as of wrapped candy: tare ÷ gross weight (Measurement Canada, bulletin M-18).
  z.object({ kind: z.literal('share'), ppm: z.int().min(1).max(999_999) }),
])
export type Tare = z.infer<typeof Tare>
