import type { Item } from '../../../contracts/api/catalog.ts'
import type { TerminalEvent } from '../../../contracts/events.ts'
import type { Clock } from '../../clock.ts'

/** A screen that still wants the scans says so again within this time; one that died gives them back to the sale. */
export const SCAN_CLAIM_MS = 60_000

export interface ScanClaimOptions {
  readonly clock: Clock
  readonly findByBarcode: (code: string) => Item | undefined
  readonly findBySku: (sku: string) => Item | undefined
  readonly publish: (event: TerminalEvent) => void
}

export type ScanClaim = ReturnType<typeof createScanClaim>

/** While goods without a record are taken back, what is scanned is what came back and must not ring as sold. */
export function createScanClaim({ clock, findByBarcode, findBySku, publish }: ScanClaimOptions) {
  let until = 0
  return {
    claim: (): void => {
      until = clock.now() + SCAN_CLAIM_MS
    },
    release: (): void => {
      until = 0
    },
    /** True when the scan was for the return, known item or not; false when it is the sale's. A label with its own price has none of today's and is called unknown. */
    take(code: string, measured: boolean): boolean {
      if (clock.now() >= until) return false
      const item = measured ? undefined : (findByBarcode(code) ?? findBySku(code))
      publish(item ? { type: 'item-for-return', item } : { type: 'scan-unknown', code })
      return true
    },
  }
}
