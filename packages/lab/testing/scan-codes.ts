import type { ScanCodes } from '../../../backend/core/scan-codes.ts'

/** The codes with another meaning than items and coupons, as the training profile has them. */
export const SCAN_CODES: ScanCodes = {
  collectorPattern: '^(8[0-9]{10})$',
  badgePattern: '^STAFF-([0-9A-Z]{6,32})$',
  controlWord: undefined,
}
