import { z } from 'zod'
import { Item } from '../catalog/catalog.ts'
import { Role } from '../staff/session.ts'
import { Sku, StaffId } from '../core/ids.ts'
import { Locale } from '../core/locales.ts'
import { Cents } from '../core/money.ts'
import { Coupon } from '../sales/sale-rules.ts'
import { LATEST_TIME, LaneTime } from './bounds.ts'

/**
 * Changes that a manager makes at one lane and that every lane of the store applies: the state of a thing after the
 * change, by kind. Each change carries the whole state, so that a lane that missed an earlier change ends with the
 * same state.
 */
export const PersonChange = z.object({
  name: z.string(),
  role: Role,
  locale: Locale,
  active: z.boolean(),
  /** JSON of the person's entry in the profile that was applied last; null: added at a lane. */
  profileEntry: z.string().nullable(),
})
export type PersonChange = z.infer<typeof PersonChange>

/**
 * The language that a person chose, by person id. Separate from `person`, so that choosing a language does not repeat
 * employment and role. The later change of this and `person` decides the language.
 */
export const PersonLocaleChange = z.object({ locale: Locale })
export type PersonLocaleChange = z.infer<typeof PersonLocaleChange>

/** By person id. The verifier is sealed with the change (`PinSecret`). */
export const PinChange = z.object({ temporary: z.boolean() })
/** A verifier (`keyed$N$r$p$salt$hash`) with a key used only for it, base64. */
export const PinSecret = z.object({ verifier: z.string(), key: z.base64() })
export type PinSecret = z.infer<typeof PinSecret>

/** By person id: whether the badge is active. Its hash is sealed with the change (`BadgeSecret`). */
export const BadgeChange = z.object({ active: z.boolean() })
export type BadgeChange = z.infer<typeof BadgeChange>
/** HMAC-SHA256 of the badge number with a key used only for it; both base64. */
export const BadgeSecret = z.object({ hash: z.base64(), key: z.base64() })
export type BadgeSecret = z.infer<typeof BadgeSecret>

/** Values of a setting: the current one, then planned ones in the order in which they take effect. */
export const SettingChange = z.object({
  rows: z.array(
    z.object({
      /** JSON of the value; null: the profile's value. */
      value: z.string().nullable(),
      fromAt: LaneTime,
      at: LaneTime,
      by: z.object({ id: StaffId, name: z.string() }),
    }),
  ),
})
export type SettingChange = z.infer<typeof SettingChange>

/** The quick keys of a department, by its id; null: those of the profile. */
export const QuickKeysChange = z.object({ skus: z.array(Sku).nullable() })
export type QuickKeysChange = z.infer<typeof QuickKeysChange>

/** A coupon by its code in capitals; null: removed. */
export const CouponChange = z.object({ coupon: Coupon.nullable() })
export type CouponChange = z.infer<typeof CouponChange>

/** A whole catalog item by its SKU; null: removed, with its planned prices. */
export const CatalogItemChange = z.object({ item: Item.nullable() })
export type CatalogItemChange = z.infer<typeof CatalogItemChange>

/** The price of an item from a time on (`plannedSubject`); null: cancelled. */
export const PlannedPriceChange = z.object({ sku: Sku, fromAt: LaneTime, priceCents: Cents.nullable() })
export type PlannedPriceChange = z.infer<typeof PlannedPriceChange>
/** A SKU contains no space. */
export const plannedSubject = ({ sku, fromAt }: Pick<PlannedPriceChange, 'sku' | 'fromAt'>): string =>
  `${sku} ${fromAt}`

/** The newest clock of each lane whose changes were known. */
const Known = z.record(z.string(), z.int().positive())

/**
 * A catalog that replaced the previous one as a whole: an import, or the undo of one. Each has an id of its own as
 * subject, so that all of them arrive, in any order. The items are in a file on the store server (`catalog-files.ts`).
 */
export const CatalogImportChange = z.object({
  fileName: z.string(),
  items: z.int().positive(),
  /** SHA-256 of the concatenated chunks, in hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
  parts: z.int().positive(),
  /**
   * For the profile's own file: its SHA-256, and how many such files lanes had applied by then. Each lane applies a
   * new profile by itself; for all of them it counts from the first.
   */
  profile: z.object({ hash: z.string(), generation: z.int().positive() }).nullable(),
  /** Whether this restored the catalog before an import. */
  undone: z.boolean(),
  /** Item changes that the import knowingly replaced. */
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

/**
 * A change as a fact. Of two changes of a thing, the one with the later clock wins, then the one of the higher lane.
 */
export const changeFact = <Value extends z.ZodType>(value: Value) =>
  z.object({
    subject: z.string(),
    /**
     * Milliseconds, approximately the time; each change has a later clock than all known ones, and the bound leaves
     * room for that.
     */
    clock: Clock.max(LATEST_TIME),
    at: LaneTime,
    by: z.object({ id: StaffId, name: z.string() }).nullable(),
    seen: Seen,
    value,
  })
export const AnyChangeFact = changeFact(z.json())
export type AnyChangeFact = z.infer<typeof AnyChangeFact>

/** Confirmations by the owner, for lanes with waiting changes. A server of the previous release lacks this path. */
export const CHANGE_PATHS = { confirmed: '/lane/changes/confirmed' } as const

/** Most changes in one request of a lane. */
export const MOST_ASKED = 500

const FactAt = z.object({ stream: z.string().max(64), seq: z.int().positive() })

/** POST confirmed: which of these facts the owner has confirmed, with name and reason. */
export const AskConfirmed = z.object({ protocol: z.int(), facts: z.array(FactAt).min(1).max(MOST_ASKED) })
export type AskConfirmed = z.infer<typeof AskConfirmed>
export const ConfirmedChanges = z.object({
  confirmed: z.array(FactAt.extend({ by: z.string(), why: z.string() })),
})
export type ConfirmedChanges = z.infer<typeof ConfirmedChanges>
