/**
 * Track 2 as a card reader sends it (ISO/IEC 7811-2): start sentinel, number, separator, other data, end sentinel, CR.
 */
export const track2 = (number: string): string => `;${number}=49121010000000000?\r`
/** A barcode as a scanner sends it: AIM identifier (ISO/IEC 15424), data, suffix. */
export const ean13 = (code: string): string => `]E0${code}\r`

export const COLLECTORS = {
  fine: '80000000011',
  suppressed: '80000000022',
  suppressedNoRedeem: '80000000033',
  noRedeem: '80000000044',
  poor: '80000000055',
  nearLimit: '80000000066',
  special: '80000000077',
  closed: '80000000088',
  unknown: '80000000099',
} as const
export const ITEMS = {
  apples: { code: '0628451101000' },
  coffee: { code: '0628451102533' },
  detergent: { code: '0628451104407' },
} as const
