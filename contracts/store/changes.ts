import { z } from 'zod'
import { Item } from '../catalog/catalog.ts'
import { Charge } from '../catalog/charges.ts'
import { ManufacturerCoupon } from '../catalog/manufacturer-coupons.ts'
import { Promotion } from '../catalog/promotions.ts'
import { Role } from '../staff/session.ts'
import { Sku, StaffId } from '../core/ids.ts'
import { Locale } from '../core/locales.ts'
import { Cents } from '../core/money.ts'
import { Coupon } from '../sales/sale-rules.ts'
import { LATEST_TIME, LaneTime } from './bounds.ts'

/**
 * Changes that a manager makes at one lane and that every lane of the store applies: by kind, the state of an item,
 * person or setting after the change. Each change carries the whole state, so that a lane that missed an earlier change
 * ends with the same state.
 */
export const PersonChange = z.object({
  name: z.string(),
  role: Role,
  locale: Locale,
  active: z.boolean(),
  /** The person as the last applied profile lists them, as JSON; null: the person was added at a lane. */
  profileEntry: z.string().nullable(),
})
export type PersonChange = z.infer<typeof PersonChange>

/**
 * The language that a person chose, by person id. The kind is separate from `person`, so that choosing a language does
 * not repeat employment and role. Of both kinds the later change decides the language.
 */
export const PersonLocaleChange = z.object({ locale: Locale })
export type PersonLocaleChange = z.infer<typeof PersonLocaleChange>

/** A new PIN, by person id. Its verifier is sealed with the change (`PinSecret`). */
export const PinChange = z.object({ temporary: z.boolean() })
/** Sealed secret of a PIN: its verifier (`keyed$N$r$p$salt$hash`), and the key generated for it in base64. */
export const PinSecret = z.object({ verifier: z.string(), key: z.base64() })
export type PinSecret = z.infer<typeof PinSecret>

/** A staff badge, by person id: whether it is active. Its hash is sealed with the change (`BadgeSecret`). */
export const BadgeChange = z.object({ active: z.boolean() })
export type BadgeChange = z.infer<typeof BadgeChange>
/** Sealed secret of a badge: HMAC-SHA256 of its number with a key used only for it; both base64. */
export const BadgeSecret = z.object({ hash: z.base64(), key: z.base64() })
export type BadgeSecret = z.infer<typeof BadgeSecret>

/** Values of a setting: the current one, then planned ones in the order in which they take effect. */
export const SettingChange = z.object({
  rows: z.array(
    z.object({
      value: z.string().nullable(),
      fromAt: LaneTime,
      at: LaneTime,
      by: z.object({ id: StaffId, name: z.string() }),
    }),
  ),
})
export type SettingChange = z.infer<typeof SettingChange>

export const QuickKeysChange = z.object({ skus: z.array(Sku).nullable() })
export type QuickKeysChange = z.infer<typeof QuickKeysChange>

export const CouponChange = z.object({ coupon: Coupon.nullable() })
export type CouponChange = z.infer<typeof CouponChange>

/** A promotion by its id; null: removed. */
export const PromotionChange = z.object({ promotion: Promotion.nullable() })
export type PromotionChange = z.infer<typeof PromotionChange>

/** A deposit or fee by its id; null: removed. */
export const ChargeChange = z.object({ charge: Charge.nullable() })
export type ChargeChange = z.infer<typeof ChargeChange>

/** A manufacturer's coupon by its key (`couponKey`); null: removed. */
export const ManufacturerCouponChange = z.object({ 'manufacturer-coupon': ManufacturerCoupon.nullable() })
export type ManufacturerCouponChange = z.infer<typeof ManufacturerCouponChange>

/** A whole catalog item, by its SKU; null: the item was removed with its planned prices. */
export const CatalogItemChange = z.object({ item: Item.nullable() })
export type CatalogItemChange = z.infer<typeof CatalogItemChange>

/** The price of an item from a time on (`plannedSubject`); null: the planned price was cancelled. */
export const PlannedPriceChange = z.object({ sku: Sku, fromAt: LaneTime, priceCents: Cents.nullable() })
export type PlannedPriceChange = z.infer<typeof PlannedPriceChange>
/** Id of a planned price: SKU and time, separated by a space, which no SKU contains. */
export const plannedSubject = ({ sku, fromAt }: Pick<PlannedPriceChange, 'sku' | 'fromAt'>): string =>
  `${sku} ${fromAt}`

/** By lane: the newest clock of its changes that the lane that made this change had received. */
const Known = z.record(z.string(), z.int().positive())

/**
 * A catalog that replaced the previous one as a whole: an import, or the undo of one. Each import has its own id as
 * subject, so that all of them arrive, in any order. The items are in a file on the store server (`catalog-files.ts`).
 */
export const CatalogImportChange = z.object({
  fileName: z.string(),
  items: z.int().positive(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.int().positive(),
  /** Number of chunks of the file. */
  parts: z.int().positive(),
  /**
   * For an import of the profile's own file: the SHA-256 of that file, and how many such files lanes had applied by
   * then. Each lane applies a new profile by itself; the first lane's import counts for all of them.
   */
  profile: z.object({ hash: z.string(), generation: z.int().positive() }).nullable(),
  undone: z.boolean(),
  /**
   * By other lane: the newest clock of its changes that the importing lane had received. The import replaces changes up
   * to these clocks; later ones remain.
   */
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
  promotion: PromotionChange,
  charge: ChargeChange,
  'manufacturer-coupon': ManufacturerCouponChange,
  'catalog-item': CatalogItemChange,
  'planned-price': PlannedPriceChange,
  'catalog-import': CatalogImportChange,
} as const satisfies Readonly<Record<string, z.ZodType>>
export type ChangeKind = keyof typeof CHANGE_VALUES
export const isChangeKind = (kind: string): kind is ChangeKind => Object.hasOwn(CHANGE_VALUES, kind)

const Clock = z.int().positive()
/** By lane: the newest clock of its changes of the same subject that the lane that made this change had received. */
export const Seen = z.record(z.string(), Clock)
export type Seen = z.infer<typeof Seen>

/**
 * A manager's change as a fact. Of two changes of a subject, the one with the later clock wins, and for equal clocks
 * the one of the higher lane.
 */
export const changeFact = <Value extends z.ZodType>(value: Value) =>
  z.object({
    subject: z.string(),
    /**
     * Logical clock, close to the time in epoch milliseconds: each change gets a later clock than all changes that its
     * lane knows, up to this maximum.
     */
    clock: Clock.max(LATEST_TIME),
    at: LaneTime,
    by: z.object({ id: StaffId, name: z.string() }).nullable(),
    seen: Seen,
    value,
  })
export const AnyChangeFact = changeFact(z.json())
export type AnyChangeFact = z.infer<typeof AnyChangeFact>

/**
 * Path on the store server by which a lane asks which of its waiting changes the store's owner has confirmed. A server
 * of the previous release lacks it.
 */
export const CHANGE_PATHS = { confirmed: '/lane/changes/confirmed' } as const

export const MAX_FACTS_PER_QUERY = 500

const FactAt = z.object({ stream: z.string().max(64), seq: z.int().positive() })

/** Request and answer of POST confirmed: which of these facts the store's owner has confirmed, with name and reason. */
export const ConfirmedRequest = z.object({ protocol: z.int(), facts: z.array(FactAt).min(1).max(MAX_FACTS_PER_QUERY) })
export type ConfirmedRequest = z.infer<typeof ConfirmedRequest>
export const ConfirmedChanges = z.object({
  confirmed: z.array(FactAt.extend({ by: z.string(), why: z.string() })),
})
export type ConfirmedChanges = z.infer<typeof ConfirmedChanges>
