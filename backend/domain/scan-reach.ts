import { holdsCardNumber } from '../../contracts/card-numbers.ts'
import { COLLECTOR_NUMBER_PATTERN } from '../../contracts/collector-number.ts'
import { controlOf } from '../../contracts/control-codes.ts'
import type { Profile } from '../../contracts/profile.ts'
import { isVoucherCode } from './voucher-code.ts'

/** The settings that say which codes have another meaning. Plain values: they are passed to worker threads. */
export interface ScanCodes {
  readonly collectorPattern: string
  readonly badgePattern: string
  readonly controlWord: string | undefined
}

export const scanCodesOf = (profile: Pick<Profile, 'program' | 'signIn' | 'controlCodes'>): ScanCodes => ({
  collectorPattern: profile.program.cards.barcode,
  badgePattern: profile.signIn.badgePatterns.barcode,
  controlWord: profile.controlCodes,
})

const TRACK = /^[;%].*\?/

/**
 * Returns whether a scan of this code can find an item or a coupon. Member cards, staff badges, payment cards, vouchers
 * and control codes come first: an item or a coupon with such a code would never be found.
 */
export function scanReach({ collectorPattern, badgePattern, controlWord }: ScanCodes): (code: string) => boolean {
  const collector = new RegExp(collectorPattern, 'u')
  const badge = new RegExp(badgePattern, 'u')
  return (code) =>
    !COLLECTOR_NUMBER_PATTERN.test(collector.exec(code)?.[1] ?? '') &&
    !badge.test(code) &&
    !TRACK.test(code) &&
    !holdsCardNumber(code) &&
    !isVoucherCode(code) &&
    controlOf(controlWord, code) === null
}
