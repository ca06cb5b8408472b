import { z } from 'zod'
import { Role } from '../api/session.ts'
import { Sku, StaffId } from '../ids.ts'
import { Locale } from '../locales.ts'
import { Coupon } from '../sale-rules.ts'

/**
 * What a manager changes at one lane and every lane of the store follows: by kind, what a thing is after its change.
 * Each change says the whole of its thing, so that whoever misses one before it ends with the same.
 */
export const PersonChange = z.object({
  name: z.string(),
  role: Role,
  locale: Locale,
  active: z.boolean(),
  /** What the profile said of the person when it was last heard, JSON; null: added at a lane. */
  profileEntry: z.string().nullable(),
})
export type PersonChange = z.infer<typeof PersonChange>

/** Of a person by their id. The verifier is sealed beside it (`PinSecret`). */
export const PinChange = z.object({ temporary: z.boolean() })
/** A verifier (`keyed$N$r$p$salt$hash`) under a key of its own alone, base64. */
export const PinSecret = z.object({ verifier: z.string(), key: z.base64() })
export type PinSecret = z.infer<typeof PinSecret>

/** How a setting stands: what holds, then what is planned, in the order in which it comes into force. */
export const SettingChange = z.object({
  rows: z.array(
    z.object({
      /** JSON of the value; null: the profile's value again. */
      value: z.string().nullable(),
      fromAt: z.int(),
      at: z.int(),
      by: z.object({ id: StaffId, name: z.string() }),
    }),
  ),
})
export type SettingChange = z.infer<typeof SettingChange>

/** The quick keys of a department, by its id; null: as the profile has them. */
export const QuickKeysChange = z.object({ skus: z.array(Sku).nullable() })
export type QuickKeysChange = z.infer<typeof QuickKeysChange>

/** A coupon by its code in capitals; null: taken out. */
export const CouponChange = z.object({ coupon: Coupon.nullable() })
export type CouponChange = z.infer<typeof CouponChange>

export const CHANGE_VALUES = {
  person: PersonChange,
  'person-pin': PinChange,
  setting: SettingChange,
  'quick-keys': QuickKeysChange,
  coupon: CouponChange,
} as const satisfies Readonly<Record<string, z.ZodType>>
export type ChangeKind = keyof typeof CHANGE_VALUES
export const isChangeKind = (kind: string): kind is ChangeKind => Object.hasOwn(CHANGE_VALUES, kind)

const Clock = z.int().positive()
/** The newest clock of each lane whose changes of a thing were known. */
export const Seen = z.record(z.string(), Clock)
export type Seen = z.infer<typeof Seen>

/** A change as it is told. Of two changes of a thing the one with the later clock counts, then the later lane's. */
export const changeFact = <Value extends z.ZodType>(value: Value) =>
  z.object({
    subject: z.string(),
    clock: Clock,
    at: z.int(),
    by: z.object({ id: StaffId, name: z.string() }).nullable(),
    seen: Seen,
    value,
  })
export const AnyChangeFact = changeFact(z.json())
export type AnyChangeFact = z.infer<typeof AnyChangeFact>
