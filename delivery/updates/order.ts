import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { writeWhole } from '../whole-file.ts'

const Time = z.iso.datetime()

/**
 * What somebody wants of the lane’s updates, in `slots/order.json`, while a terminal may be running: the last word
 * counts. `now`: at the next start, or as soon as nobody is served; `tonight`: as soon as the lane is closed;
 * `hold`: not before `until`; `back`: as `now`, to the version before; `check`: look for a new one at once. That one
 * takes no other word back, so it has a file of its own, `slots/check.json`.
 */
export const UpdateOrder = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['now', 'back', 'check']), at: Time }),
  z.strictObject({ kind: z.literal('tonight'), at: Time, by: z.string().max(100) }),
  z.strictObject({ kind: z.literal('hold'), at: Time, by: z.string().max(100), until: Time }),
])
export type UpdateOrder = z.infer<typeof UpdateOrder>

const fileOf = (slotsFolder: string, kind: UpdateOrder['kind'] | null): string =>
  path.join(slotsFolder, kind === 'check' ? 'check.json' : 'order.json')

/** Null where there is none, or the file is none. */
export const readOrder = (slotsFolder: string): UpdateOrder | null => orderIn(fileOf(slotsFolder, null))
/** The order to look for a new version. */
export const readCheck = (slotsFolder: string): UpdateOrder | null => orderIn(fileOf(slotsFolder, 'check'))

function orderIn(file: string): UpdateOrder | null {
  if (!existsSync(file)) return null
  try {
    return UpdateOrder.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** Readable for all: root may give it, and the terminal of a user take it. */
export function giveOrder(slotsFolder: string, order: UpdateOrder): void {
  writeWhole(fileOf(slotsFolder, order.kind), `${JSON.stringify(UpdateOrder.parse(order))}\n`, 0o644)
}

/** This order alone: a command that gave another one meanwhile had the last word. */
export function dropOrder(slotsFolder: string, order: UpdateOrder | null): void {
  const file = fileOf(slotsFolder, order?.kind ?? null)
  if (isDeepStrictEqual(orderIn(file), order)) rmSync(file, { force: true })
}

const DAY_MS = 86_400_000

/** One that was given at a time to come was given by a wrong clock: it would hold for years. */
export const isHeldAt = (order: UpdateOrder | null, now: Date): boolean =>
  order?.kind === 'hold' && new Date(order.until) > now && Date.parse(order.at) < now.getTime() + DAY_MS
