import { controlOf } from '../../contracts/control-codes.ts'
import type { Profile } from '../../contracts/profile.ts'
import { keyboardScans } from '../../hardware/index.ts'
import { isVoucherCode } from '../domain/voucher-code.ts'

/**
 * Returns whether a scan of this code can find an item or a coupon. Member cards, staff badges, payment cards, vouchers
 * and control codes come first: an item or a coupon with such a code would never be found.
 */
export function scanReach(profile: Pick<Profile, 'program' | 'signIn' | 'controlCodes'>): (code: string) => boolean {
  const classify = keyboardScans({ patterns: profile.program.cards })
  const badge = new RegExp(profile.signIn.badgePatterns.barcode, 'u')
  return (code) => {
    const { kind } = classify(code)
    return (
      (kind === 'item' || kind === 'receipt' || kind === 'unknown') &&
      !badge.test(code) &&
      !isVoucherCode(code) &&
      controlOf(profile.controlCodes, code) === null
    )
  }
}
