import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { writeWhole } from './whole-file.ts'

const BundleId = z.string().regex(/^[0-9a-f]{64}$/)

/** What somebody wants of a start of the lane, while a terminal may be running. */
export const Order = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('put'), id: BundleId, from: z.iso.datetime().nullable() }),
  z.strictObject({ kind: z.literal('undo'), to: BundleId }),
])
export type Order = z.infer<typeof Order>
const Orders = z.array(Order)

export const bundlesOf = (dataFolder: string): string => path.join(dataFolder, 'bundles')
/** The list of trusted keys that a lane without a package was given with its first bundle. */
export const trustFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'own.keys')
/** The order for the next start: the last one that was given counts. */
export const orderFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'order.json')
/** Bundles that wait for a time: any number. */
export const laterFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'later.json')

/**
 * The orders that a start now would find due, as JSON; null: none is. That start decides whether they are valid, and
 * drops an order that cannot be carried out.
 */
export function dueOrders(dataFolder: string, now: Date): string | null {
  const due = readOrders(dataFolder).filter((order) => isOrderDue(order, now))
  return due.length > 0 ? JSON.stringify(due) : null
}

/** All that wait, the one for the next start first. A file that cannot be read has none. */
export function readOrders(dataFolder: string): Order[] {
  const next = parsed(orderFileOf(dataFolder), Order)
  const later = parsed(laterFileOf(dataFolder), Orders) ?? []
  // A power cut while orders were written may leave one in both files.
  return next === null ? later : [next, ...later.filter((order) => !isSameOrder(order, next))]
}

/** Whether there is a file of orders that cannot be read. */
export const hasUnreadableOrders = (dataFolder: string): boolean =>
  isUnreadable(orderFileOf(dataFolder), Order) || isUnreadable(laterFileOf(dataFolder), Orders)

const isUnreadable = (file: string, schema: z.ZodType): boolean => existsSync(file) && parsed(file, schema) === null

/** Replaces all that wait. With the folder locked. */
export function writeOrders(dataFolder: string, orders: readonly Order[]): void {
  writeOrRemove(laterFileOf(dataFolder), orders.filter(isLater))
  writeOrRemove(orderFileOf(dataFolder), orders.findLast((order) => !isLater(order)) ?? null)
}

export const isBundleDue = (dataFolder: string, now: Date): boolean => dueOrders(dataFolder, now) !== null

export const isOrderDue = (order: Order, now: Date): boolean =>
  order.kind === 'undo' || order.from === null || new Date(order.from) <= now

const isLater = (order: Order): boolean => order.kind === 'put' && order.from !== null

const isSameOrder = (one: Order, other: Order): boolean =>
  one.kind === 'put' && other.kind === 'put' ? one.id === other.id : one.kind === other.kind

function parsed<T>(file: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

function writeOrRemove(file: string, content: Order | readonly Order[] | null): void {
  if (content === null || (Array.isArray(content) && content.length === 0)) rmSync(file, { force: true })
  else writeWhole(file, `${JSON.stringify(content)}\n`)
}
