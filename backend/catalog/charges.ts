import {
  type ChargeList,
  Charge,
  chargeOn,
  type EmptiesClasses,
  type LineCharge,
  type SaveCharge,
} from '../../contracts/catalog/charges.ts'
import type { Item } from '../../contracts/catalog/catalog.ts'
import { CHARGE_SKUS, EMPTIES_SKU, RESERVED_SKU } from '../../contracts/catalog/goods.ts'
import { catalogContract } from '../../contracts/catalog/catalog.routes.ts'
import type { Localized, Names } from '../../contracts/core/locales.ts'
import { type Cents, cents } from '../../contracts/core/money.ts'
import { nameIn } from '../../contracts/core/names.ts'
import { REGION_DEPOSITS } from '../../contracts/core/region-deposits.ts'
import { perLocale } from '../../contracts/i18n/languages.ts'
import { ChargeChange } from '../../contracts/store/changes.ts'
import { type Ctx, perLane } from '../core/context.ts'
import type { App } from '../core/http/app.ts'
import { signedIn } from '../core/http/guards.ts'
import { serve } from '../core/http/serve.ts'
import { receiptTexts } from '../core/paper/layout.ts'
import { dayAt } from '../core/zone.ts'
import { createStoreBook } from './store-book.ts'

interface Numbered {
  readonly sku: string
}
/** Whether a line is goods, and not a gift card, deposit, fee or empty containers. */
export const isGoods = ({ sku }: Numbered): boolean => !sku.startsWith(RESERVED_SKU)
export const isCharge = ({ sku }: Numbered): boolean => sku === CHARGE_SKUS.deposit || sku === CHARGE_SKUS.fee
export const isEmpties = ({ sku }: Numbered): boolean => sku === EMPTIES_SKU

/** Deposits and fees of the store: those of its region and profile, with the changes of its managers. */
export const chargeBookOf = perLane((ctx: Ctx) => {
  const { region, deposits, timeZone } = ctx.profile
  const given = new Map([...REGION_DEPOSITS[region], ...deposits.charges].map((charge) => [charge.id, charge]))
  const inProfile = new Set(deposits.charges.map(({ id }) => id))
  const book = createStoreBook(ctx, {
    kind: 'charge',
    profile: [...given.values()],
    entry: Charge,
    change: ChargeChange,
    nameOf: ({ id }) => id,
    keyOf: (id) => id,
    problems: { used: 'charge-id-used', unknown: 'charge-unknown' },
  })
  const today = (): string => dayAt(ctx.clock.now(), timeZone)
  const list = (): ChargeList => ({
    charges: book.list().map(({ entry, from }) => ({
      charge: entry,
      from: from === 'profile' && !inProfile.has(entry.id) ? 'region' : from,
      ...chargeOn(entry, today()),
    })),
  })

  return {
    list,
    find: book.find,
    all: book.all,
    keyOf: book.keyOf,
    saveAll: book.saveAll,
    onChange: book.onChange,
    /**
     * Deposits and fees today of one unit of an item, which has `pieces` pieces. Leaves out charges that the store does
     * not have, such as those of another region, and charges of 0.
     */
    ofItem: ({ charges = [] }: Pick<Item, 'charges'>, pieces: number): LineCharge[] =>
      charges.flatMap(({ id, containers }) => {
        const charge = book.find(id)
        const each = charge ? chargeOn(charge, today()).cents : 0
        if (!charge || each === 0) return []
        const count = containers * pieces
        const name = namedCount(charge.names, count, cents(each))
        return [{ id, kind: charge.kind, name, cents: cents(each * count), earns: deposits.earnMiles }]
      }),
    /** Classes of empty containers that the store takes today. */
    classes: (): EmptiesClasses => ({
      classes: list().charges.flatMap(({ charge, refundCents }) =>
        deposits.empties.accepted && refundCents > 0 ? [{ id: charge.id, name: charge.names, refundCents }] : [],
      ),
      most: deposits.empties.most,
    }),
    /** Throws `charge-id-used`, `charge-unknown` and `changed-meanwhile`. */
    save({ how, charge, seen }: SaveCharge, staffId: string): ChargeList {
      book.save(how, charge, seen, staffId)
      return list()
    },
    /** Throws `charge-unknown`. */
    remove(id: string, staffId: string): ChargeList {
      book.remove(id, staffId)
      return list()
    },
  }
})

/**
 * Name of the deposits or fees of several containers, such as “Deposit: 12×0.10”. The numbers have no space at which a
 * line could break.
 */
const namedCount = (names: Names, count: number, each: Cents): Names =>
  count === 1
    ? names
    : perLocale((locale) => {
        const { t, amount } = receiptTexts(locale)
        return t('charge-count', { name: nameIn(names, locale), count: String(count), each: amount(each) })
      })

/** Matches the end of a name made by `namedCount`, here “: 12×0.10”; the previous release wrote “ 12 × 0.10”. */
const CONTAINERS = /\s?:?\s(\d+)\s?×\s?\$?\d+[.,]\d\d(?:\s?\$)?$/

/**
 * Splits a name made by `namedCount` into the name of the class and the number of containers of one unit, which no row
 * stores.
 */
export function readNamedCount(names: Names): { readonly name: Names; readonly containers: number } {
  const texts = Object.entries(names)
  return {
    name: Object.fromEntries(texts.map(([locale, text]) => [locale, text.replace(CONTAINERS, '')])),
    containers: Number(CONTAINERS.exec(texts[0]?.[1] ?? '')?.[1] ?? 1),
  }
}

/** Name of a line of empty containers. */
export const emptiesName = (names: Names): Localized =>
  perLocale((locale) => receiptTexts(locale).t('empties-line', { name: nameIn(names, locale) }))

export function chargeRoutes(ctx: Ctx, app: App): void {
  const book = chargeBookOf(ctx)
  serve(app, catalogContract['GET /catalog/charges'], async () => book.list())
  serve(app, catalogContract['POST /catalog/charges'], (request) => book.save(request.body, signedIn(request).id))
  serve(app, catalogContract['POST /catalog/charges/remove'], (request) =>
    book.remove(request.body.id, signedIn(request).id),
  )
}
