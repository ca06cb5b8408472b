import type { CollectorNumber, EntryMode } from '../../contracts/ids.ts'
import type { Measure } from '../../contracts/measure.ts'

/**
 * What a person did at a device, before anybody has said what it means. The entry mode is the channel's, never the
 * content's.
 */
export type Gesture =
  | {
      readonly kind: 'card'
      readonly collectorNumber: CollectorNumber
      readonly entryMode: Extract<EntryMode, 'SWIPE' | 'SCAN' | 'KEYED'>
    }
  | { readonly kind: 'card-refused'; readonly reason: 'not-a-program-card' | 'unreadable' }
  /** A badge of the store's staff, by the number on it. */
  | { readonly kind: 'badge'; readonly number: string }
  /** An item's code or one that is unknown here; with the price or weight of a label. */
  | {
      readonly kind: 'code'
      readonly code: string
      readonly measure?: Measure | undefined
      /** Of a label with a price or weight: its barcode where that is 0. */
      readonly base?: string | undefined
      readonly lot?: string | undefined
      readonly expiry?: string | undefined
      readonly unknown: boolean
    }
  /** What looks like a receipt's barcode. */
  | { readonly kind: 'receipt'; readonly id: string }
  /** The QR code of an enrolment sheet. */
  | { readonly kind: 'enrolment'; readonly ticket: string }
  | { readonly kind: 'unreadable' }
