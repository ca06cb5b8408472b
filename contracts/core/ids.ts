import { z } from 'zod'
import { COLLECTOR_NUMBER_PATTERN } from './collector-number.ts'

/** Collector account number: 11 digits, starts with 8 (specification 3 §8). */
export const CollectorNumber = z
  .string()
  .regex(COLLECTOR_NUMBER_PATTERN, 'a collector number: 11 digits, the first an 8')
  .brand<'CollectorNumber'>()
export type CollectorNumber = z.infer<typeof CollectorNumber>

/** Id of a card read in the backend's memory, which can be used once and expires. */
export const ReadId = z.uuid().brand<'ReadId'>()
export type ReadId = z.infer<typeof ReadId>

/**
 * The store's unique id of a sale, printed as the receipt's barcode: `checkoutTransactionId` of specification 3 §2.1.
 */
export const SaleId = z
  .string()
  .regex(/^[A-Z0-9]{8,40}$/)
  .brand<'SaleId'>()
export type SaleId = z.infer<typeof SaleId>

export const StaffId = z
  .string()
  .regex(/^[a-z0-9-]{1,40}$/)
  .brand<'StaffId'>()
export type StaffId = z.infer<typeof StaffId>

export const Sku = z.string().regex(/^\S{1,40}$/)

/**
 * How the collector number was entered (specification 3 §2.4). A lane sends SWIPE, SCAN and KEYED; KEYED never redeems.
 */
export const EntryMode = z.enum(['SWIPE', 'SCAN', 'KEYED', 'PREREGISTERED'])
export type EntryMode = z.infer<typeof EntryMode>

export const maskCollectorNumber = (last4: string): string => `•••• ••• ${last4}`
