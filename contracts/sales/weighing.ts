import { z } from 'zod'
import { Thousandths } from '../catalog/measure.ts'
import { MAX_THOUSANDTHS } from '../catalog/measure-units.ts'

/** Reading of the lane's scale as screens show it. Weights are thousandths of `unit`. */
export const ScaleView = z.object({
  number: z.int().min(0).describe('of this reading: a weighing names the reading that the screen showed'),
  unit: z.enum(['kg', 'lb']),
  state: z.enum(['stable', 'zero', 'unstable', 'over', 'under', 'not-zeroed', 'fault', 'unavailable']),
  grossThousandths: z.int().nullable().describe('null: no weight'),
  decimals: z.int().describe('that the scale shows'),
  isNet: z.boolean().describe('a tare was set at the scale'),
  minimumThousandths: z.int().min(0).describe('least gross weight that is sold'),
})
export type ScaleView = z.infer<typeof ScaleView>

/** GET /api/scale: the reading of the lane's scale; null without one. */
export const CurrentScale = z.object({ scale: ScaleView.nullable() })

const tareThousandths = z
  .int()
  .min(0)
  .max(MAX_THOUSANDTHS)
  .optional()
  .describe('typed for this weighing; left out: that of the item')

/** How the quantity of an item that is sold by measure is known. A weight from the scale is never sent by a screen. */
export const Weighing = z.discriminatedUnion('from', [
  z.object({ from: z.literal('scale'), reading: z.int().min(0), tareThousandths }),
  z.object({ from: z.literal('typed'), grossThousandths: Thousandths, tareThousandths }),
])
export type Weighing = z.infer<typeof Weighing>
