import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { Promotion } from '../../../../contracts/catalog/promotions.ts'
import { indexPromotions, type PromotableLine } from '../../../../backend/sales/pricing/promotion-index.ts'
import { applyPromotions } from '../../../../backend/sales/pricing/promotions.ts'

/**
 * Prices COUNT baskets of LINES lines with a file’s promotions: `node … price-lines.ts FILE LINES COUNT WARM_UP`.
 * Prints the milliseconds of each basket, and the reductions of all baskets in cents. Baskets differ in their items.
 * The WARM_UP baskets before are not measured: the engine compiles the code again during the first hundreds.
 */
const Input = z.object({
  promotions: z.array(Promotion),
  items: z.array(z.object({ sku: z.string(), cents: z.int() })).min(1),
})

const STEP = 7

const [file = '', lines = '100', count = '1000', warmUp = '1000'] = process.argv.slice(2)
const { promotions, items } = Input.parse(JSON.parse(readFileSync(file, 'utf8')))
const index = indexPromotions(promotions)
const lineAt = (basket: number, at: number): PromotableLine => {
  const { sku, cents } = items[(basket + at * STEP) % items.length] ?? { sku: '', cents: 0 }
  return {
    number: at + 1,
    sku,
    departmentId: 'bench',
    categoryId: null,
    quantity: 1 + (at % 3),
    unitCents: cents,
    isReducible: true,
    rungAt: { day: '2026-12-01', weekday: 2, minute: 600 },
  }
}
const samples: number[] = []
let reducedCents = 0
for (let basket = 0; basket < Number(warmUp) + Number(count); basket += 1) {
  const rung = Array.from({ length: Number(lines) }, (_, at) => lineAt(basket, at))
  const from = performance.now()
  const shares = applyPromotions(rung, index, { members: true, staff: false, seniors: false })
  if (basket >= Number(warmUp)) samples.push(performance.now() - from)
  reducedCents += shares.reduce((sum, { amountCents }) => sum + amountCents, 0)
}
process.stdout.write(JSON.stringify({ samples, reducedCents }))
