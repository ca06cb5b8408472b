import { PERMITS } from '../../../contracts/permissions.ts'
import { Permission } from '../../../contracts/sale-rules.ts'
import type { SettingName } from '../../../contracts/setting-names.ts'
import type { SettingValue } from './effective-profile.ts'

/**
 * Whether a value of a setting gives anyone at the lane more rights than another: to do more without an approval, to
 * approve, or to sign in by less. Of a setting without rights: never.
 */
export function raisesRights(name: SettingName, before: SettingValue, after: SettingValue): boolean {
  if (name.startsWith('approvals.actions.')) return permitsMore(before, after)
  switch (name) {
    case 'approvals.discountAbovePercent':
    case 'limits.idleLockMs':
    case 'limits.signedInMs':
    // Left out: every return needs an approval.
    case 'approvals.returnFromDollars':
      return numberOr(after, 0) > numberOr(before, 0)
    case 'limits.pinDigits':
      return numberOr(after, 0) < numberOr(before, 0)
    case 'signIn.badges':
      return after === true && before !== true
    default:
      return false
  }
}

const numberOr = (value: SettingValue, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

/** What cannot be read is taken for more. */
function permitsMore(before: SettingValue, after: SettingValue): boolean {
  const [was, will] = [Permission.safeParse(before), Permission.safeParse(after)]
  if (!was.success || !will.success) return true
  return (
    (['cashier', 'supervisor', 'manager'] as const).some(
      (role) => PERMITS.indexOf(will.data[role]) < PERMITS.indexOf(was.data[role]),
    ) || will.data.approvers.some((role) => !was.data.approvers.includes(role))
  )
}
