import { randomInt } from 'node:crypto'
import { isCommonPin } from '../../contracts/common-pin.ts'
import type { EnrolmentPayload } from '../../contracts/enrolment.ts'
import type { Store } from './stores.ts'

/** Digits of a one-time PIN, where the store asks for no more. */
const DIGITS = 6

/** A one-time PIN for everybody of a store, none that a thief tries first and none twice. */
export function makePins({ staff, limits }: Pick<Store, 'staff' | 'limits'>): EnrolmentPayload['pins'] {
  const digits = Math.max(DIGITS, limits.pinDigits)
  const given = new Set<string>()
  return staff.map(({ id }) => {
    for (;;) {
      const pin = String(randomInt(10 ** digits)).padStart(digits, '0')
      if (given.has(pin) || isCommonPin(pin)) continue
      given.add(pin)
      return { staff: id, pin }
    }
  })
}
