import { z } from 'zod'
import { Item } from '../catalog/catalog.ts'
import { Role } from '../staff/session.ts'
import { Sku, StaffId } from '../core/ids.ts'
import { Locale } from '../core/locales.ts'
import { Cents } from '../core/money.ts'
import { Coupon } from '../sales/sale-rules.ts'
import { LATEST_TIME, LaneTime } from './bounds.ts'

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

/**
 * The language that a person chose for themselves, by their id. A register of its own: nobody's own choice says again
 * whether they work here and as what. Of it and `person` the later change says the language.
 */
export const PersonLocaleChange = z.object({ locale: Locale })
export type PersonLocaleChange = z.infer<typeof PersonLocaleChange>

/** Of a person by their id. The verifier is sealed beside it (`PinSecret`). */
export const PinChange = z.object({ temporary: z.boolean() })
/** A verifier (`keyed$N$r$p$salt$hash`) under a key of its own alone, base64. */
export const PinSecret = z.object({ verifier: z.string(), key: z.base64() })
export type PinSecret = z.infer<typeof PinSecret>

/** Of a person by their id: whether their badge opens anything. Its hash is sealed beside it (`BadgeSecret`). */
export const BadgeChange = z.object({ active: z.boolean() })
export type BadgeChange = z.infer<typeof BadgeChange>
/** HMAC-SHA256 of the badge's number under a key of its own alone; both base64. */
export const BadgeSecret = z.object({ hash: z.base64(), key: z.base64() })
export type BadgeSecret = z.infer<typeof BadgeSecret>

/** How a setting stands: what holds, then what is planned, in the order in which it comes into force. */
export const SettingChange = z.object({
  rows: z.array(
    z.object({
      /** JSON of the value; null: the profile's value again. */
      value: z.string().nullable(),
      fromAt: LaneTime,
      at: LaneTime,
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

/** An item of the catalog by its SKU, whole; null: taken out, with every price that was to come for it. */
export const CatalogItemChange = z.object({ item: Item.nullable() })
export type CatalogItemChange = z.infer<typeof CatalogItemChange>

/** The price of an item from a moment on (`plannedSubject`); null: it does not come. */
export const PlannedPriceChange = z.object({ sku: Sku, fromAt: LaneTime, priceCents: Cents.nullable() })
export type PlannedPriceChange = z.infer<typeof PlannedPriceChange>
/** No SKU has a space in it. */
export const plannedSubject = ({ sku, fromAt }: Pick<PlannedPriceChange, 'sku' | 'fromAt'>): string =>
  `${sku} ${fromAt}`

/** The newest clock of each lane whose changes were known. */
const Known = z.record(z.string(), z.int().positive())

/**
 * A catalog that took the place of the one before, as a whole: an import, or one that was undone. Its subject is an id
 * of its own, so that each is heard of, in whatever order. Its items are the parts of a file that the store server
 * keeps (`catalog-files.ts`).
 */
export const CatalogImportChange = z.object({
  fileName: z.string(),
  items: z.int().positive(),
  /** SHA-256 of the parts, one behind the other, in hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
  parts: z.int().positive(),
  /**
   * Of the profile's own file: its SHA-256, and how often lanes had taken such a file over by then. Each lane comes to
   * a new profile by itself: for all of them it counts from the first.
   */
  profile: z.object({ hash: z.string(), generation: z.int().positive() }).nullable(),
  /** What brought back the catalog before an import. */
  undone: z.boolean(),
  /** Which changes of items it took the place of knowingly. */
  knew: Known,
})
export type CatalogImportChange = z.infer<typeof CatalogImportChange>

export const CHANGE_VALUES = {
  person: PersonChange,
  'person-locale': PersonLocaleChange,
  'person-pin': PinChange,
  'person-badge': BadgeChange,
  setting: SettingChange,
  'quick-keys': QuickKeysChange,
  coupon: CouponChange,
  'catalog-item': CatalogItemChange,
  'planned-price': PlannedPriceChange,
  'catalog-import': CatalogImportChange,
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
    /** Milliseconds, as far as clocks are right; every change after it has a later one, so room is left for these. */
    clock: Clock.max(LATEST_TIME),
    at: LaneTime,
    by: z.object({ id: StaffId, name: z.string() }).nullable(),
    seen: Seen,
    value,
  })
export const AnyChangeFact = changeFact(z.json())
export type AnyChangeFact = z.infer<typeof AnyChangeFact>

/** The owner's confirmations, for lanes at which changes wait. A server of the release before has no such path. */
export const CHANGE_PATHS = { confirmed: '/lane/changes/confirmed' } as const

/** A lane asks about so many changes at once. */
export const MOST_ASKED = 500

const FactAt = z.object({ stream: z.string().max(64), seq: z.int().positive() })

/** POST confirmed: which of these facts the owner has confirmed, by whom and why. */
export const AskConfirmed = z.object({ protocol: z.int(), facts: z.array(FactAt).min(1).max(MOST_ASKED) })
export type AskConfirmed = z.infer<typeof AskConfirmed>
export const ConfirmedChanges = z.object({
  confirmed: z.array(FactAt.extend({ by: z.string(), why: z.string() })),
})
export type ConfirmedChanges = z.infer<typeof ConfirmedChanges>
