import type { Item } from '../../contracts/catalog/catalog.ts'
import { UNIT_RULES, tareOf } from '../../contracts/catalog/measure-units.ts'
import { salesContract } from '../../contracts/sales/sales.routes.ts'
import type { Weighing } from '../../contracts/sales/weighing.ts'
import { unitOfPrice, withMeasure } from '../catalog/measured.ts'
import type { RungItem } from '../catalog/packs.ts'
import { type Ctx, perLane } from '../core/context.ts'
import { devicesOf } from '../core/devices/hub.ts'
import type { App } from '../core/http/app.ts'
import { serve } from '../core/http/serve.ts'
import { ProblemError } from '../core/problem.ts'

/**
 * Weighings at the lane. A weight from the scale is read here, when the item is rung, and only if it is stable and the
 * screen showed the same reading. Each reading is sold once: the load of the last item is never sold again with the
 * next one.
 */
export const weighingOf = perLane((ctx: Ctx) => {
  let sold: number | null = null

  function grossOf(item: Item, weighing: Weighing): number {
    const rule = UNIT_RULES[unitOfPrice(item)]
    if (weighing.from === 'typed') {
      const step = 10 ** (3 - rule.decimals)
      if (weighing.grossThousandths % step !== 0) throw new ProblemError('measure-out-of-bounds')
      return weighing.grossThousandths
    }
    const scale = devicesOf(ctx).scale?.view()
    if (!scale || scale.state === 'unavailable') throw new ProblemError('scale-unavailable')
    if (!rule.isWeight || rule.symbol !== scale.unit) throw new ProblemError('scale-unit-differs')
    if (scale.number !== weighing.reading || scale.state !== 'stable' || scale.grossThousandths === null)
      throw new ProblemError('scale-not-stable')
    if (scale.number === sold) throw new ProblemError('scale-same-load')
    if (scale.grossThousandths < scale.minimumThousandths) throw new ProblemError('weight-too-small')
    return scale.grossThousandths
  }

  return {
    /** Returns the item at the price of its net quantity. */
    weighed(item: Item, weighing: Weighing): RungItem {
      const gross = grossOf(item, weighing)
      const isNet = weighing.from === 'scale' && devicesOf(ctx).scale?.view().isNet === true
      // A tare set at the scale is already subtracted, so none is subtracted here.
      if (isNet && (weighing.tareThousandths ?? 0) > 0) throw new ProblemError('scale-tare-active')
      const tare =
        isNet || !UNIT_RULES[unitOfPrice(item)].isWeight ? 0 : (weighing.tareThousandths ?? tareOf(item.tare, gross))
      if (tare >= gross) throw new ProblemError('tare-too-large')
      return withMeasure(item, {
        netThousandths: gross - tare,
        ...(tare > 0 ? { tareThousandths: tare } : {}),
        source: weighing.from,
      })
    },
    /** Marks the reading of a weighing as sold, after the commit of its line. */
    markSold(weighing: Weighing): void {
      if (weighing.from === 'scale') sold = weighing.reading
    },
  }
})

export function weighingRoutes(ctx: Ctx, app: App): void {
  serve(app, salesContract['GET /scale'], () => ({ scale: devicesOf(ctx).scale?.view() ?? null }))
}
