import type { Item } from '../../../contracts/api/catalog.ts'
import type { Sale } from '../../../contracts/api/sales.ts'
import type { Staff } from '../../../contracts/api/session.ts'
import type { TerminalEvent } from '../../../contracts/events.ts'
import type { GoodsDoubt } from '../../../contracts/goods.ts'
import type { Measure } from '../../../contracts/measure.ts'
import type { GoodsChecks } from '../../../contracts/profile.ts'
import type { Clock } from '../../clock.ts'
import type { Transact, Tx } from '../../db/transact.ts'
import { doubtAbout, type GoodsLabel, type ScannedLabel } from '../../domain/goods-check.ts'
import { measuredItem } from '../../domain/measured.ts'
import { localDayAt } from '../../domain/zone.ts'
import { ProblemError } from '../../http/problem.ts'
import { problemMessages } from '../../i18n.ts'
import { onOwnWord, type Who } from '../approvals/guard.ts'
import type { AuditTrail } from '../staff/audit.ts'
import type { CatalogService } from '../catalog/service.ts'
import type { CouponTaking } from '../sale-changes/coupons.ts'
import type { Sales } from '../sales/service.ts'

export interface ScanningOptions {
  readonly sales: Pick<Sales, 'ring' | 'isByWeight'>
  readonly catalog: Pick<CatalogService, 'findByBarcode' | 'findBySku'>
  readonly coupons: Pick<CouponTaking, 'takeScanned'>
  readonly transact: Transact
  readonly audit: Pick<AuditTrail, 'record'>
  readonly signedIn: () => Staff | null
  readonly publish: (event: TerminalEvent) => void
  readonly clock: Pick<Clock, 'now'>
  readonly checks: GoodsChecks
  readonly timeZone: string
  /** How long a scanned item waits for an approval, or for the cashier's decision. */
  readonly waitMs: number
}

export type Scanning = ReturnType<typeof createScanning>

/** What a scanned code does to the sale: an item is rung, a coupon is taken, and what may not be is said. */
export function createScanning({
  sales,
  catalog,
  coupons,
  transact,
  audit,
  publish,
  clock,
  checks,
  waitMs,
  ...options
}: ScanningOptions) {
  /**
   * The item that was scanned last and waits for an approval or a decision. In memory: after a restart it is scanned
   * again.
   */
  let waiting: { readonly item: Item; readonly until: number; readonly doubt: GoodsDoubt | null } | null = null

  /**
   * The item whose number a label carries, digit for digit: its barcode, its SKU, or within the label's base barcode.
   */
  function labelled(code: string, measure: Measure, base: string | undefined): Item | undefined {
    const item =
      catalog.findByBarcode(code) ??
      catalog.findBySku(code) ??
      (base === undefined ? undefined : catalog.findByBarcode(base))
    return item && measuredItem(item, measure)
  }

  /**
   * Whether a label may set the price of this item. Anybody can print a GS1 code, so it counts only for items sold by
   * weight, and for open-price items within their bounds. A label of the store's own layout counts for every item, but
   * a weight does not count for items sold by the piece.
   */
  function isPricedByLabel(item: Item, measure: Measure, base: string | undefined): boolean {
    if (base !== undefined) return measure.kind === 'price' || item.soldBy !== 'each'
    if (sales.isByWeight(item)) return true
    const { openPrice } = item
    return (
      measure.kind === 'price' &&
      openPrice !== null &&
      measure.cents >= openPrice.leastCents &&
      measure.cents <= openPrice.mostCents
    )
  }

  /** What was scanned is rung, or the screens are asked for whoever may approve it. */
  function ringScanned(item: Item, staff: Staff): void {
    waiting = null
    try {
      sales.ring(item, 1, 'scan', onOwnWord(staff))
    } catch (error) {
      if (!(error instanceof ProblemError) || error.approval === undefined) throw error
      waiting = { item, until: clock.now() + waitMs, doubt: null }
      publish({ type: 'approval-asked', request: error.approval })
    }
  }

  /** Asks the cashier about goods that should not be sold, or throws the ProblemError that refuses them. */
  function isDoubtful(item: Item, goods: GoodsLabel & { readonly code: string }): boolean {
    const found = doubtAbout(goods, checks, localDayAt(clock.now(), options.timeZone))
    if (found === null) return false
    const { doubt, policy } = found
    waiting = null
    if (policy === 'refuse') throw new ProblemError(doubt.kind === 'expired' ? 'item-expired' : 'item-recalled')
    // The price of such an item is still to be entered, which rings it.
    if (!item.openPrice) waiting = { item, until: clock.now() + waitMs, doubt }
    publish({ type: 'goods-asked', item, doubt })
    return true
  }

  /** The manager can see who sold goods that the GS1 code says are expired or recalled. */
  function noteSoldAnyway(tx: Tx, saleId: string, item: Item, doubt: GoodsDoubt, { actorId }: Who): void {
    audit.record(tx, {
      kind: 'goods-sold-anyway',
      actorId,
      subject: item.sku,
      detail: { saleId, ...(doubt.kind === 'expired' ? { sellBy: doubt.date } : { lot: doubt.lot }) },
    })
  }

  return {
    /**
     * Rings the scanned item that waited for this approval, or for the cashier's decision. Throws ProblemError
     * `scan-gone` where none waits any more.
     */
    ringWaiting(who: Who): Sale {
      if (waiting === null || waiting.until <= clock.now()) throw new ProblemError('scan-gone')
      const { item, doubt } = waiting
      const sale = transact((tx) => {
        const rung = sales.ring(item, 1, 'command', who)
        if (doubt !== null) noteSoldAnyway(tx, rung.id, item, doubt, who)
        return rung
      })
      waiting = null
      return sale
    },

    /**
     * A scan rings by itself: it never waits for a screen and never lands in a field. With a measure it is the label of
     * one piece, and rings at the price that the label says or that its weight costs.
     */
    scan(code: string, measure?: Measure, label: ScannedLabel = {}): void {
      const item = measure === undefined ? catalog.findByBarcode(code) : labelled(code, measure, label.base)
      const staff = options.signedIn()
      if (!staff) return
      try {
        if (!item) {
          if (!coupons.takeScanned(code)) publish({ type: 'scan-unknown', code })
        } else if (measure === undefined && sales.isByWeight(item)) throw new ProblemError('weight-required')
        else if (measure !== undefined && !isPricedByLabel(item, measure, label.base))
          throw new ProblemError('label-price-refused')
        else if (
          isDoubtful(measure === undefined ? item : { ...item, openPrice: null }, {
            code,
            lot: label.lot,
            expiry: label.expiry,
          })
        )
          return
        else if (item.openPrice && measure === undefined) publish({ type: 'price-asked', item })
        else ringScanned(item, staff)
      } catch (error) {
        // A scan comes from a wire: there is nobody to answer, and a refusal must not end the program. The screens tell
        // it.
        if (!(error instanceof ProblemError)) throw error
        publish({ type: 'scan-refused', code: error.code, messages: problemMessages(error.code) })
      }
    },
  }
}
