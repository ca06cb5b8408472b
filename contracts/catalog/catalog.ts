import { z } from 'zod'
import { CARD_NUMBER, freeText } from '../core/text.ts'
import { Sku } from '../core/ids.ts'
import { Localized, Names, eachLocale } from '../core/locales.ts'
import { Cents, MAX_PRICE_CENTS } from '../core/money.ts'
import { TaxCategory, TaxRule } from '../core/regions.ts'
import { Coupon, MinimumAge } from '../sales/sale-rules.ts'
import { holdsCardNumber } from '../core/card-numbers.ts'
import { ItemCharge, LineCharge } from './charges.ts'
import { MAX_CHARGES } from './item-charges.ts'
import { MAX_BLOCKED, MAX_CODES, MAX_TAX_CHANGES, RESERVED_SKU } from './goods.ts'
import { Tare, MeasureUnit } from './measure.ts'
import { ReturnDays } from '../payments/return-rules.ts'
import { Elsewhere } from '../store/status.ts'

export const SoldBy = z.enum(['each', 'kg'])

/**
 * A pack of an item with its own barcode. `priceCents`: price of the pack; omitted: the pack rings `quantity` single
 * pieces of the item.
 */
export const Pack = z.object({
  barcode: z.string(),
  quantity: z.int().min(2).max(999).describe('number of pieces'),
  priceCents: Cents.optional(),
})
export type Pack = z.infer<typeof Pack>

/** Tax category and rule of an item from the start of a day at the store. */
export const TaxChange = z.object({
  from: z.iso.date(),
  taxCategory: TaxCategory,
  taxRule: TaxRule.optional(),
})
export type TaxChange = z.infer<typeof TaxChange>

export const Item = z.object({
  sku: Sku,
  barcode: z.string().nullable(),
  name: Names,
  priceCents: Cents,
  openPrice: z
    .object({ leastCents: Cents, mostCents: Cents })
    .nullable()
    .describe('its price is entered when it is rung, within these bounds'),
  taxCategory: TaxCategory,
  departmentId: z.string(),
  categoryId: z.string().nullable(),
  minimumAge: MinimumAge.optional().describe('minimum age of the buyer; left out: that of its department'),
  soldBy: SoldBy.optional().describe('kg: the price is per kilogram, or per `unit`; left out: by its barcode'),
  // A lane of an earlier release ignores both fields: it refuses such an item without a label.
  unit: MeasureUnit.exclude(['kg']).optional().catch(undefined).describe('of the price, with soldBy kg'),
  tare: Tare.optional().catch(undefined).describe('weight of the packaging, subtracted from what is weighed'),
  codes: z.array(z.string()).min(1).max(MAX_CODES).optional().describe('further barcodes, and price look-up codes'),
  packs: z.array(Pack).min(1).max(MAX_CODES).optional(),
  mostPerSale: z.int().min(1).max(999).optional().describe('highest number of pieces in one sale'),
  blocked: z.string().optional().describe('reason why the item must not be sold'),
  returnDays: ReturnDays.optional().describe('days within which it can be returned; 0: final sale'),
  // A lane of an earlier release ignores these two fields and taxes the item by its category. A lane that does not know
  // the tax rule of a later release does the same.
  taxRule: TaxRule.optional().catch(undefined).describe('replaces the category where the rule applies'),
  taxChanges: z
    .array(TaxChange)
    .max(MAX_TAX_CHANGES)
    .optional()
    .catch(undefined)
    .describe('planned changes of category and rule, oldest first'),
  charges: z
    .array(ItemCharge)
    .max(MAX_CHARGES)
    .optional()
    .catch(undefined)
    .describe('deposits and fees of one piece; those of other regions do not apply'),
})
export type Item = z.infer<typeof Item>

export const QuickDepartment = z.object({ id: z.string(), name: Names, items: z.array(Item) })
export type QuickDepartment = z.infer<typeof QuickDepartment>
/** GET /api/catalog/quick-keys returns items to ring by touch. Departments without an item are left out. */
export const QuickKeys = z.object({ departments: z.array(QuickDepartment) })

/** POST /api/catalog/items/search finds items by name in any language, SKU, or a part of the barcode. */
export const ItemQuery = z.object({
  q: freeText({ max: 80 }),
  limit: z.int().min(1).max(50).default(12),
})
export const ItemList = z.object({
  items: z.array(Item),
  exact: z
    .object({ sku: Sku, pack: z.string().nullable() })
    .optional()
    .describe('the item whose SKU or code was typed, and the barcode of its pack'),
})

/** POST /api/catalog/price-check looks up a barcode, a look-up code or an SKU, without ringing the item. */
export const CheckPrice = z.object({ code: freeText({ max: 80 }) })
/**
 * Current price of one piece or pack, with the promotions that reduce it without further pieces, other goods or a
 * member.
 */
export const PriceCheck = z.object({
  item: Item,
  pack: Pack.nullable(),
  priceCents: Cents.nullable().describe('before promotions; null: entered when it is rung'),
  reductions: z.array(z.object({ id: z.string(), name: Names, amountCents: Cents })),
  afterCents: Cents.nullable(),
  further: z
    .array(z.object({ id: z.string(), name: Names }))
    .default([])
    .describe('promotions that need more pieces, other goods or a member'),
  isByWeight: z.boolean().describe('the price is per unit of measure'),
  unit: MeasureUnit.optional().describe('of the price of an item that is sold by measure'),
  charges: z.array(LineCharge).default([]).describe('deposits and fees, in addition to the price'),
})
export type PriceCheck = z.infer<typeof PriceCheck>
export const CheckedPrice = z.object({ check: PriceCheck.nullable() })

/** A time as ISO 8601 in UTC. */
const At = z.iso.datetime()

export const CatalogEncoding = z.enum(['utf-8', 'utf-8-bom', 'windows-1252', 'utf-16le', 'utf-16be'])
export type CatalogEncoding = z.infer<typeof CatalogEncoding>
export const CatalogSeparator = z.enum(['comma', 'semicolon', 'tab'])
export type CatalogSeparator = z.infer<typeof CatalogSeparator>

/** A row of a catalog file that the import refuses. `column` is null if the whole row is refused. */
export const RefusedRow = z.object({
  line: z.int().min(1).nullable(),
  column: z.string().nullable(),
  messages: Localized,
})
export type RefusedRow = z.infer<typeof RefusedRow>

export const DifferenceKind = z.enum(['new', 'price', 'planned', 'other', 'gone'])
export type DifferenceKind = z.infer<typeof DifferenceKind>
/** Change of one item by an import. `before` is null for a new item, `after` for a removed item. */
export const CatalogDifference = z.object({
  number: z.int(),
  kind: DifferenceKind,
  before: Item.nullable(),
  after: Item.nullable(),
  planned: z.object({ fromAt: At, priceCents: Cents }).nullable().describe('of kind planned: the future price'),
})
export type CatalogDifference = z.infer<typeof CatalogDifference>
/** GET /api/catalog/import/differences?kind=…&after=… returns the changes of an import in the order of item names. */
export const DifferenceQuery = z.object({ kind: DifferenceKind, after: z.coerce.number().int().min(0).default(0) })
export const DifferenceList = z.object({ differences: z.array(CatalogDifference), next: z.int().nullable() })
export type DifferenceList = z.infer<typeof DifferenceList>

export const ImportCounts = z.object({
  items: z.int(),
  new: z.int(),
  price: z.int(),
  planned: z.int(),
  other: z.int(),
  gone: z.int(),
})
export type ImportCounts = z.infer<typeof ImportCounts>

const given = { id: z.uuid(), fileName: z.string() }
/**
 * The lane's only import: being read, or waiting for a manager's decision. It has no effect on sales before it is
 * applied.
 */
export const CatalogImport = z.discriminatedUnion('phase', [
  z.object({
    ...given,
    phase: z.literal('working'),
    step: z.enum(['reading', 'comparing']),
    percent: z.int().min(0).max(100),
  }),
  z.object({
    ...given,
    phase: z.literal('refused'),
    encoding: CatalogEncoding.nullable(),
    rows: z.array(RefusedRow).describe('the first two hundred'),
    refused: z.int(),
  }),
  z.object({
    ...given,
    phase: z.literal('ready'),
    encoding: CatalogEncoding,
    separator: CatalogSeparator,
    counts: ImportCounts,
  }),
  z.object({ ...given, phase: z.literal('failed') }),
])
export type CatalogImport = z.infer<typeof CatalogImport>

const Origin = z.object({
  origin: z.enum(['profile', 'import']),
  fileName: z.string(),
  at: At,
  by: z.string().nullable(),
  items: z.int(),
  changes: z.int().describe('number of edits at the lane since'),
  elsewhere: Elsewhere.optional().describe('imported at another lane of the store'),
  lost: z
    .int()
    .optional()
    .describe('changes made here without connection to the other lanes, which the import overrode'),
})
const ofStore = { fileName: z.string(), lane: z.string().describe('lane of the import') }
const Percent = z.int().min(0).max(100)
/**
 * State of the lane's synchronization with the catalog of the store; null if the lane has that catalog. `waiting`: for
 * the store server, or for the lane that has the file. `unsent`: the file was imported here, and the store server does
 * not have all of it. `full`: like `unsent`, and the store server stores no more files now.
 */
export const CatalogOfStore = z
  .discriminatedUnion('kind', [
    z.object({ ...ofStore, kind: z.literal('fetching'), percent: Percent }),
    z.object({ ...ofStore, kind: z.literal('making'), percent: Percent }),
    z.object({ ...ofStore, kind: z.literal('waiting'), percent: Percent }),
    z.object({ ...ofStore, kind: z.literal('sending'), percent: Percent }),
    z.object({ ...ofStore, kind: z.literal('unsent') }),
    z.object({ ...ofStore, kind: z.literal('full') }),
    z.object({ ...ofStore, kind: z.literal('failed') }),
  ])
  .nullable()
export type CatalogOfStore = z.infer<typeof CatalogOfStore>

export const CatalogState = z.object({
  current: Origin,
  previous: Origin.nullable().describe('the catalog that an undo of the last import restores'),
  import: CatalogImport.nullable(),
  planned: z.int().describe('number of planned prices'),
  ofStore: CatalogOfStore.optional(),
})
export type CatalogState = z.infer<typeof CatalogState>

/**
 * GET /api/catalog/elsewhere returns the latest changes by other lanes of the store, and items that lost a barcode by
 * such changes.
 */
export const CatalogElsewhere = z.object({
  isOfStore: z.boolean().describe('false: this lane never had a store server'),
  items: z.array(
    z.object({ sku: Sku, name: Names.nullable().describe('null: removed'), at: At, elsewhere: Elsewhere }),
  ),
  barcodes: z
    .array(
      z.object({
        sku: Sku,
        name: Names.nullable(),
        barcode: z.string(),
        toSku: Sku,
        toName: Names.nullable(),
      }),
    )
    .describe('items sold without their barcode, because a later change assigned it to another'),
})
export type CatalogElsewhere = z.infer<typeof CatalogElsewhere>

/** POST /api/catalog/import?name=… has the catalog file as its body (application/octet-stream). */
export const ImportQuery = z.object({ name: freeText({ max: 200 }) })
/** POST /api/catalog/import/apply and …/drop name the import that the manager saw. */
export const ImportChoice = z.object({ id: z.uuid() })

/**
 * Matches a text of 1 to 120 characters with at least one visible character, without control characters and
 * bidirectional controls, which could reorder the digits of a price on the same line.
 */
export const ITEM_NAME = /^(?=.*[\p{L}\p{N}\p{S}\p{P}])[^\p{Cc}\p{Bidi_Control}\u2028\u2029]{1,120}$/u

const EditedCode = z
  .string()
  .regex(/^[!-~]{1,80}$/)
  .refine((barcode) => !holdsCardNumber(barcode), { error: CARD_NUMBER })

/** An item as a manager may enter it. The item is identified by its SKU, which never changes. */
export const EditedItem = Item.extend({
  sku: z
    .string()
    .regex(/^[!-~]{1,40}$/)
    .refine((sku) => !sku.startsWith(RESERVED_SKU))
    .refine((sku) => !holdsCardNumber(sku), { error: CARD_NUMBER }),
  barcode: EditedCode.nullable(),
  codes: z.array(EditedCode).min(1).max(MAX_CODES).optional(),
  packs: z
    .array(
      Pack.extend({
        barcode: EditedCode,
        priceCents: Cents.refine((cents) => cents >= 0 && cents <= MAX_PRICE_CENTS).optional(),
      }),
    )
    .min(1)
    .max(MAX_CODES)
    .optional(),
  blocked: freeText({ max: MAX_BLOCKED }).regex(ITEM_NAME).optional(),
  name: eachLocale(freeText({ max: 120 }).regex(ITEM_NAME)),
  priceCents: Cents.refine((cents) => cents >= 0 && cents <= MAX_PRICE_CENTS),
  departmentId: freeText({ max: 80 }),
  categoryId: freeText({ max: 80 }).nullable(),
  unit: MeasureUnit.exclude(['kg']).optional(),
  tare: Tare.optional(),
  taxRule: TaxRule.optional(),
  taxChanges: z
    .array(TaxChange)
    .max(MAX_TAX_CHANGES)
    .refine((changes) => changes.every(({ from }, at) => from > (changes[at - 1]?.from ?? '')))
    .optional(),
  charges: z.array(ItemCharge).min(1).max(MAX_CHARGES).optional(),
})
  .refine(({ openPrice, packs }) => openPrice === null || packs === undefined)
  .refine(({ soldBy, unit, tare }) => soldBy === 'kg' || (unit === undefined && tare === undefined))
  .refine(
    ({ openPrice }) => openPrice === null || (openPrice.leastCents >= 0 && openPrice.leastCents <= openPrice.mostCents),
  )
const SEEN = 'as the form showed it; refused if it has changed since'
/** POST /api/catalog/items refuses `add` for a SKU that exists and `change` for one that does not. */
export const SaveItem = z.object({
  how: z.enum(['add', 'change']),
  item: EditedItem,
  seen: Item.optional().describe(SEEN),
})
export type SaveItem = z.infer<typeof SaveItem>
export const RemoveItem = z.object({ sku: Sku })
export const SavedItem = z.object({ item: Item })

/** GET /api/catalog/departments returns the ids of departments that have items, with the profile's names. */
export const DepartmentList = z.object({ departments: z.array(z.object({ id: z.string(), name: Names })) })
export type DepartmentList = z.infer<typeof DepartmentList>

export const QuickKeyLists = z.object({
  departments: z.array(
    z.object({
      id: z.string(),
      name: Names,
      from: z
        .enum(['lane', 'profile', 'alphabet'])
        .describe('the person or profile that arranged it; alphabet: not arranged, its first items are shown'),
      items: z.array(Item),
    }),
  ),
})
export type QuickKeyLists = z.infer<typeof QuickKeyLists>
/** POST /api/catalog/quick-key-lists stores a list. If `skus` is null, the profile's list applies again. */
export const SaveQuickKeys = z.object({
  departmentId: freeText({ max: 80 }),
  skus: z.array(Sku).max(60).nullable(),
  seen: z.array(Sku).optional().describe(SEEN),
})
export type SaveQuickKeys = z.infer<typeof SaveQuickKeys>

export const CouponList = z.object({
  coupons: z.array(z.object({ coupon: Coupon, from: z.enum(['lane', 'profile']) })),
})
export type CouponList = z.infer<typeof CouponList>
/** POST /api/catalog/coupons adds a coupon, or replaces the coupon with the same code. */
export const SaveCoupon = z.object({
  how: z.enum(['add', 'change']),
  coupon: Coupon.extend({
    code: Coupon.shape.code.refine((code) => !holdsCardNumber(code), { error: CARD_NUMBER }),
    name: eachLocale(freeText({ max: 60 })),
    sku: Sku.optional(),
    department: freeText({ max: 80 }).optional(),
  })
    .refine(({ percent, dollars }) => percent === undefined || dollars === undefined)
    .refine(({ sku, department }) => sku === undefined || department === undefined)
    .refine(({ from, until }) => from === undefined || until === undefined || from <= until),
  seen: Coupon.optional().describe(SEEN),
})
export type SaveCoupon = z.infer<typeof SaveCoupon>
export const RemoveCoupon = z.object({ code: z.string().regex(/^\S{3,64}$/) })

/** A planned price and its start. `priceCents` is the current price. */
export const PlannedPrice = z.object({
  sku: Sku,
  name: Names,
  priceCents: Cents.describe('now'),
  plannedCents: Cents,
  fromAt: At,
  elsewhere: Elsewhere.optional(),
})
export type PlannedPrice = z.infer<typeof PlannedPrice>
export const PlannedQuery = z.object({
  after: z
    .string()
    .regex(/^\S{0,80}$/)
    .optional(),
})
export const PlannedList = z.object({ prices: z.array(PlannedPrice), next: z.string().nullable() })
export type PlannedList = z.infer<typeof PlannedList>
/**
 * POST /api/catalog/planned-prices plans a price. `from` is a time of the store's clock; a time that a clock change
 * skips is moved after the change.
 */
export const PlanPrice = z.object({
  sku: Sku,
  priceCents: Cents.refine((cents) => cents >= 0 && cents <= MAX_PRICE_CENTS),
  from: z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/),
})
export type PlanPrice = z.infer<typeof PlanPrice>
export const CancelPlanned = z.object({ sku: Sku, fromAt: At })
