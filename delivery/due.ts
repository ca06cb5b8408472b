import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'

const BundleId = z.string().regex(/^[0-9a-f]{64}$/)

/** What somebody wants of the lane's next start, while a terminal may be running: the last word counts. */
export const Order = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('put'), id: BundleId, from: z.iso.datetime().nullable() }),
  z.strictObject({ kind: z.literal('undo'), to: BundleId }),
])
export type Order = z.infer<typeof Order>

export const bundlesOf = (dataFolder: string): string => path.join(dataFolder, 'bundles')
/** The list of trusted keys that a lane without a package was given with its first bundle. */
export const trustFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'own.keys')
export const orderFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'order.json')

/**
 * The order that a start now would find due, as JSON; null: none is. Whether it is believed is looked at by
 * that start: an order that cannot be carried out is dropped there.
 */
export function dueOrder(dataFolder: string, now: Date): string | null {
  const order = readOrder(dataFolder)
  return order && isOrderDue(order, now) ? JSON.stringify(order) : null
}

/** Null where there is none, or the file is none. */
export function readOrder(dataFolder: string): Order | null {
  const file = orderFileOf(dataFolder)
  if (!existsSync(file)) return null
  try {
    return Order.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

export const isBundleDue = (dataFolder: string, now: Date): boolean => dueOrder(dataFolder, now) !== null

export const isOrderDue = (order: Order, now: Date): boolean =>
  order.kind === 'undo' || order.from === null || new Date(order.from) <= now
