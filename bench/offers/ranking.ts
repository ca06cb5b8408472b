import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { Central } from '../../packages/lab/rig/central.ts'
import { centsOf, itemAt } from '../checkout/items.ts'
import { offersOfType } from './central.ts'
import { basketItem, matchesOfProfile, PARTNER_ID, placeOf, statesOfMember } from './offer-mix.ts'

const PROGRAM = 'packages/lab/testing/load/rank-offers.ts'
const Answer = z.object({ samples: z.array(z.number()).min(1), ranks: z.record(z.string(), z.int()) })

export interface RankingSizes {
  readonly offers: number
  readonly lines: number
  readonly samples: number
  readonly warmUp: number
}

/**
 * Measures the ranking of offers alone, in a process of its own. Returns milliseconds and the number of offers in each
 * state.
 */
export async function measureRanking(
  folder: string,
  central: Central,
  { offers, lines, samples, warmUp }: RankingSizes,
  signal: AbortSignal,
): Promise<z.infer<typeof Answer>> {
  const file = path.join(folder, 'ranking.json')
  await writeFile(
    file,
    JSON.stringify({
      offers: { buy: await offersOfType(central, 'buy'), spend: await offersOfType(central, 'spend') },
      partnerId: PARTNER_ID,
      matches: matchesOfProfile(offers),
      now: new Date().toLocaleString('sv-SE', { timeZone: 'America/Toronto' }).replace(' ', 'T'),
      states: statesOfMember(offers),
      lines: Array.from({ length: lines }, (_, line) => lineAt(basketItem(line))),
    }),
  )
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, file, String(samples), String(warmUp)], {
    signal,
  })
  return Answer.parse(JSON.parse(stdout))
}

function lineAt(item: number): object {
  const { department, category } = placeOf(item)
  return {
    sku: itemAt(item).sku,
    quantity: 1,
    amountCents: centsOf(item),
    departmentId: department,
    categoryId: category,
  }
}
