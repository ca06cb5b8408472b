import type { HeldSale, HeldSales, ResumeSale } from '../../../contracts/sales/held-sales.ts'
import type { SaleId } from '../../../contracts/core/ids.ts'
import { cents } from '../../../contracts/core/money.ts'
import { MOST_HOLDS, type StoredHold } from '../../../contracts/store/holds.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { isoOf } from '../../core/clock.ts'
import type { Tx } from '../../core/db/transact.ts'
import { ProblemError } from '../../core/problem.ts'
import { lanesAwaited } from '../../store/lease.ts'
import { type Who, guardOf } from '../approvals/guard.ts'
import { refuseStale, salesOf } from '../sales.ts'
import { differencesOf, heldFactsOf, partsWith, pricedToday, ringHeld } from './content.ts'
import { type HeldRow, IN_STORE, RESUMED_BEFORE, heldSaleRowsOf, storeHoldRowsOf } from './held-sales.sql.ts'
import { type Granted, type StoreHolds, storeHoldsOf } from './store-holds.ts'
import { membersOf } from '../../loyalty/member/member.ts'
import { custodyOf } from '../drawer.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { couponTakingOf } from '../sale-changes/coupons.ts'
import { saleRowsOf } from '../sales.sql.ts'
import { type Ctx, perLane } from '../../core/context.ts'

type Elsewhere = Extract<HeldSale['where'], 'store' | 'away' | 'awaited'>
/** Of a sale of the store, by how that stands. */
const WHERE = { lends: 'store', awaiting: 'awaited', away: 'away' } as const satisfies Record<string, Elsewhere>

/** A sale that another lane held is resumed in two or three calls: the claim is kept between them. */
interface Resuming {
  readonly asks: ResumeSale
  readonly who: Who
  /** Marks the command as done, in its transaction. */
  readonly claim: (tx: Tx) => void
}
const DECIDES: ReadonlySet<string> = new Set([
  'held-sale-differs',
  'approval-required',
  'approver-not-allowed',
  'not-permitted',
])
const DECIDES_MS = 60_000

export type HeldSalesService = ReturnType<typeof heldSalesOf>

/**
 * Puts the open sale aside for another customer and brings it back. A sale that was paid on is never put aside: its
 * redemption could be given back only until 03:00 (specification 3 §4.5), and nobody would be looking.
 */
export const heldSalesOf = perLane((ctx: Ctx) => {
  const { transact, audit, clock, lane, staffName } = ctx
  const repository = heldSaleRowsOf(ctx)
  const sales = salesOf(ctx)
  const members = membersOf(ctx)
  const guard = guardOf(ctx)
  const custody = custodyOf(ctx)
  const store = storeHoldsOf(ctx)
  const held = storeHoldRowsOf(ctx)
  const taxes = storeTaxesOf(ctx)
  const grantOf = couponTakingOf(ctx).grantOf
  const rows = saleRowsOf(ctx)

  function freeNumber(): string {
    const taken = new Set([...rowsHere(), ...(store?.seen() ?? []).map(({ name }) => ({ heldAs: name }))].map(nameOf))
    let number = 1
    while (taken.has(String(number))) number += 1
    return String(number)
  }

  /** Of this lane, wherever the right to resume them is. */
  const rowsHere = (): HeldRow[] => [...repository.list(lane.id), ...repository.list(IN_STORE)]
  const nameOf = ({ heldAs }: Pick<HeldRow, 'heldAs'>): string => heldAs

  /** Those that only this lane can resume. */
  const here = (): HeldSale[] => repository.list(lane.id).map((row) => rowOf(row, 'here'))

  function rowOf(row: HeldRow, where: HeldSale['where']): HeldSale {
    const parts = sales.parts(row.id)
    return {
      id: row.id,
      version: parts.sale.version,
      name: row.heldAs,
      heldAt: isoOf(row.heldAt),
      ...heldFactsOf(row, parts, { taxes: taxes, staffName: staffName }),
      lane: lane.id,
      where,
      takenBy: null,
      copiedAt: null,
    }
  }

  function storedRow({ sale, claimedBy, heldAt, totalCents, ...hold }: StoredHold, where: Elsewhere): HeldSale {
    return {
      id: sale,
      version: sales.exists(sale) ? sales.row(sale).version : 0,
      name: hold.name,
      heldAt: isoOf(heldAt),
      itemCount: hold.itemCount,
      totalCents: cents(totalCents),
      memberLast4: hold.memberLast4,
      cashier: hold.cashier,
      lane: hold.lane,
      where: where === 'store' && claimedBy !== null ? 'taken' : where,
      takenBy: claimedBy,
      copiedAt: hold.copiedAt,
    }
  }

  /** Makes it the open sale of this lane again: it never left. */
  function resumeHere(id: SaleId, version: number, actorId: string, claim: (tx: Tx) => void): Sale {
    transact((tx) => {
      const sale = sales.row(id)
      if (sale.state !== 'held') throw new ProblemError('sale-not-held')
      refuseStale(sale, version)
      if (sales.currentId() !== null) throw new ProblemError('sale-open-already')
      const offered = held.openOf(id)
      if (offered) held.become(tx, offered.id, 'kept')
      wakeUp(tx, id, actorId)
      claim(tx)
    })
    store?.kick()
    return shown(id)
  }

  function wakeUp(tx: Tx, id: SaleId, actorId: string): void {
    repository.resume(tx, id)
    sales.touch(tx, id)
    audit.record(tx, { kind: 'sale-resumed', actorId, subject: id })
  }

  function shown(id: SaleId): Sale {
    const sale = sales.publish(id, 'hold')
    members.resume(id)
    return sale
  }

  /** What the store has granted, and waits for the cashier's word on its prices. */
  let asked: { readonly sale: SaleId; readonly granted: Granted; readonly callOff: () => void } | null = null

  /** Goes back to the store unless the cashier decides soon: another claim is asked for then. */
  function keepAsked(sale: SaleId, granted: Granted): void {
    const callOff = clock.after(DECIDES_MS, () => {
      asked = null
      store?.back(granted.claim)
    })
    asked = { sale, granted, callOff }
  }

  /** Answers what is kept of this sale; another one goes back. */
  function takeAsked(sale: SaleId): Granted | null {
    if (asked === null) return null
    const kept = asked
    asked = null
    kept.callOff()
    if (kept.sale === sale) return kept.granted
    store?.back(kept.granted.claim)
    return null
  }

  /** Asks the store, which gives it to one lane; then it is a sale of this lane, or goes back. */
  async function resumeFromStore(id: SaleId, resuming: Resuming): Promise<Sale> {
    if (!store?.isOn()) throw new ProblemError('sale-not-held')
    if (sales.currentId() !== null) throw new ProblemError('sale-open-already')
    custody.require()
    const granted = takeAsked(id) ?? (await claimed(store, id, resuming.who.actorId))
    try {
      return shown(transact((tx) => makeMine(tx, id, granted, resuming)))
    } catch (error) {
      if (error instanceof ProblemError && DECIDES.has(error.code)) keepAsked(id, granted)
      else store.back(granted.claim)
      throw error
    }
  }

  async function claimed(from: StoreHolds, id: SaleId, actorId: string): Promise<Granted> {
    const answer = await from.claim(id, actorId)
    switch (answer.kind) {
      case 'yours':
        return answer
      case 'taken':
        throw new ProblemError('held-sale-taken', [{ path: 'lane', message: answer.lane }])
      case 'gone':
        throw new ProblemError('sale-not-held')
      case 'away':
        throw new ProblemError('held-sale-away')
      case 'awaiting':
        throw lanesAwaited('held-sale-lanes-awaited', answer.lanes)
    }
  }

  function makeMine(tx: Tx, id: SaleId, granted: Granted, { asks, who, claim }: Resuming): SaleId {
    if (sales.currentId() !== null) throw new ProblemError('sale-open-already')
    let mine = id
    if (isRowHere(id)) {
      held.end(tx, id, null)
      held.place(tx, id, lane.id)
      wakeUp(tx, id, who.actorId)
    } else mine = ringAgain(tx, id, granted, asks, who)
    store?.done(tx, granted.claim, mine)
    claim(tx)
    return mine
  }

  /**
   * Rings what another lane held at this lane's prices, or at the held ones with the approvals that these need. Throws
   * ProblemError `held-sale-differs` before the cashier has chosen between them.
   */
  function ringAgain(tx: Tx, id: SaleId, { content, collector }: Granted, asks: ResumeSale, who: Who): SaleId {
    const both = pricedToday(content, { sales: sales, grantOf: grantOf })
    const actions = differencesOf(both)
    const prices = actions.length === 0 ? 'today' : asks.prices
    const { id: mine } = sales.openSale(tx)
    const empty = sales.parts(mine)
    const facts = { ...guard.changeOf(partsWith(empty, both.today), partsWith(empty, both.held)), saleId: id }
    let approvedBy: string | null = null
    if (actions.length > 0 && prices !== 'today') {
      const request = guard.requestOf(actions, facts)
      if (prices === undefined || asks.covers !== request.covers)
        throw new ProblemError('held-sale-differs', undefined, { approval: request })
      ;({ approvedBy } = guard.needAll(actions, who, facts))
    }
    ringHeld(tx, { sales, rows: rows, members }, both[prices ?? 'today'], collector, approvedBy)
    audit.record(tx, {
      kind: 'sale-resumed',
      actorId: who.actorId,
      subject: mine,
      detail: { from: id, ...(actions.length === 0 ? {} : { prices: prices ?? 'today' }) },
    })
    return mine
  }

  return {
    here,
    resumeHere,
    /** Those of this lane and, where the store answers, of every other; else what it said of them last. */
    async list(): Promise<HeldSales> {
      const stands = store === null ? ({ kind: 'away' } as const) : await store.look()
      const seen = store?.seen() ?? []
      const stored = seen.filter(({ sale }) => isStill(sale))
      const listed = new Set(stored.map(({ sale }) => sale))
      const where: Elsewhere = WHERE[stands.kind]
      // What is too old for a full list is there all the same.
      const unlisted = where === 'store' && seen.length < MOST_HOLDS ? 'away' : where
      const sales = [
        ...here(),
        ...repository.list(IN_STORE).flatMap((row) => (listed.has(row.id) ? [] : [rowOf(row, unlisted)])),
        ...stored.map((hold) => storedRow(hold, where)),
      ]
      return {
        sales: sales.toSorted((one, other) => one.heldAt.localeCompare(other.heldAt)),
        awaits: stands.kind === 'awaiting' ? lanesAwaited('held-sale-lanes-awaited', stands.lanes).words() : null,
      }
    },

    /**
     * Throws ProblemError `sale-empty`, `sale-held-by-redemption` or `sale-paid-on`.
     */
    hold: (id: string, version: number, name: string | undefined, who: Who): Sale =>
      sales.command(id, version, 'hold', (tx, now) => {
        if (!now.lines.some((line) => line.voided === 0)) throw new ProblemError('sale-empty')
        sales.refuseDuringPayment(now)
        if (
          now.tenders.length > 0 ||
          (now.redemption && now.redemption.state !== 'declined' && now.redemption.state !== 'reversed')
        )
          throw new ProblemError('sale-paid-on')
        guard.whole('hold', now, who)
        repository.hold(tx, id, clock.now(), name ?? freeNumber(), who.actorId)
        audit.record(tx, { kind: 'sale-held', actorId: who.actorId, subject: id })
        transact.afterCommit(() => store?.kick())
      }),

    /**
     * Throws ProblemError `sale-not-held`, `sale-stale`, `sale-open-already` while the lane rings another,
     * `held-sale-taken` where another lane has it, `held-sale-away` where the store does not answer,
     * `held-sale-lanes-awaited` where it lends none yet, or `held-sale-differs` where the cashier has to choose between
     * its prices and today's.
     */
    resume(id: SaleId, asks: ResumeSale, who: Who, claim: (tx: Tx) => void): Sale | Promise<Sale> {
      const here = placeOf(id)
      if (here === lane.id) return resumeHere(id, asks.version, who.actorId, claim)
      if (here !== IN_STORE) throw new ProblemError('sale-not-held')
      return resumeFromStore(id, { asks, who, claim })
    },
    /** Nothing that waits for the cashier's word goes back by itself any more: a start gives it back. */
    stop(): void {
      asked?.callOff()
    },

    /** What a resuming has come to that a restart cut off. Throws ProblemError `sale-not-held` where it is no more. */
    resumed(): Sale {
      const open = sales.current()
      if (open === null) throw new ProblemError('sale-not-held')
      return open
    },

    /**
     * Rings the goods of one that the store has, at today's prices, for a customer who waits while it cannot be
     * resumed. The held one stays, and says so once the store can be told. Throws ProblemError `sale-not-held`,
     * `sale-open-already`, or `item-unknown` where none of its goods can be rung.
     */
    copy(id: SaleId, actorId: string): { sale: Sale; missing: number } {
      const goods = goodsOf(id)
      if (store === null || goods === null) throw new ProblemError('sale-not-held')
      let missing = 0
      const mine = transact((tx) => {
        if (sales.currentId() !== null) throw new ProblemError('sale-open-already')
        for (const line of goods) if (!rung(line)) missing += 1
        const open = sales.currentId()
        if (open === null) throw new ProblemError('item-unknown')
        held.copy(tx, open, id)
        audit.record(tx, { kind: 'sale-copied', actorId, subject: open, detail: { from: id } })
        return open
      })
      store.kick()
      return { sale: sales.view(mine), missing }
    },
  }

  /** In a savepoint: what cannot be rung any more leaves nothing behind. */
  function rung({ sku, quantity, unitPriceCents }: StoredHold['goods'][number]): boolean {
    try {
      transact(() => sales.ringSku(sku, quantity, cents(unitPriceCents)))
      return true
    } catch (error) {
      if (error instanceof ProblemError) return false
      throw error
    }
  }

  function goodsOf(id: SaleId): StoredHold['goods'] | null {
    if (!isRowHere(id)) return store?.seen().find(({ sale }) => sale === id)?.goods ?? null
    const { sale, lines } = sales.parts(id)
    return sale.state === 'held' && sale.lane === IN_STORE ? lines.filter(({ voided }) => voided === 0) : null
  }

  /** Whether what is on hold is a row of this lane, and not one from before what a restore has lost. */
  function isRowHere(id: SaleId): boolean {
    return sales.exists(id) && sales.row(id).lane !== RESUMED_BEFORE
  }

  /** Where the right to resume it is. */
  function placeOf(id: SaleId): string {
    return isRowHere(id) ? sales.row(id).lane : IN_STORE
  }

  /** Not one of this lane that the store has not heard the end of yet. */
  function isStill(id: SaleId): boolean {
    return placeOf(id) === IN_STORE
  }
})
