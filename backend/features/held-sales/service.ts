import type { HeldSale, HeldSales } from '../../../contracts/api/held-sales.ts'
import type { SaleId } from '../../../contracts/ids.ts'
import { cents } from '../../../contracts/money.ts'
import { MOST_HOLDS, type StoredHold } from '../../../contracts/store/holds.ts'
import type { Sale } from '../../../contracts/api/sales.ts'
import type { Lane } from '../../../contracts/profile.ts'
import { isoOf, type Clock } from '../../clock.ts'
import type { Transact, Tx } from '../../db/transact.ts'
import { holdsCollectorNumber } from '../../domain/masking.ts'
import { looksLikePaymentCard } from '../../domain/payment-card.ts'
import type { StoreTaxes } from '../../domain/tax.ts'
import { ProblemError } from '../../http/problem.ts'
import { lanesAwaited } from '../../store/lanes-awaited.ts'
import type { Guard, Who } from '../approvals/guard.ts'
import type { Members } from '../member/service.ts'
import type { SalesRepository } from '../sales/repository.ts'
import type { Sales } from '../sales/service.ts'
import type { Custody } from '../shifts/custody.ts'
import type { AuditTrail } from '../staff/audit.ts'
import { heldFactsOf, ringHeld } from './content.ts'
import type { HeldRow, HeldSalesRepository } from './repository.ts'
import type { Granted, StoreHolds } from './store-holds.ts'
import { IN_STORE, RESUMED_BEFORE, type StoreHoldsRepository } from './store-holds-repository.ts'

export interface HeldSalesOptions {
  readonly repository: HeldSalesRepository
  readonly sales: Sales
  readonly members: Members
  readonly transact: Transact
  readonly audit: AuditTrail
  readonly clock: Clock
  readonly lane: Lane
  readonly taxes: StoreTaxes
  readonly staffName: (id: string) => string
  readonly guard: Pick<Guard, 'whole'>
  readonly rows: SalesRepository
  readonly custody: Pick<Custody, 'require'>
  /** Sales on hold at the other lanes; null at a lane that is no store's. */
  readonly store: StoreHolds | null
  readonly held: StoreHoldsRepository
}

type Elsewhere = Extract<HeldSale['where'], 'store' | 'away' | 'awaited'>
/** Of a sale of the store, by how that stands. */
const WHERE = { lends: 'store', awaiting: 'awaited', away: 'away' } as const satisfies Record<string, Elsewhere>

export type HeldSalesService = ReturnType<typeof createHeldSales>

/**
 * Puts the open sale aside for another customer and brings it back. A sale that was paid on is never put aside: its
 * redemption could be given back only until 03:00 (specification 3 §4.5), and nobody would be looking.
 */
export function createHeldSales(options: HeldSalesOptions) {
  const { repository, sales, members, transact, audit, guard, clock, lane, custody, store, held } = options

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
      ...heldFactsOf(row, parts, options),
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
      if (sale.version !== version) throw new ProblemError('sale-stale')
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

  /** Asks the store, which gives it to one lane; then it is a sale of this lane, or goes back. */
  async function resumeFromStore(id: SaleId, actorId: string, claim: (tx: Tx) => void): Promise<Sale> {
    if (!store?.isOn()) throw new ProblemError('sale-not-held')
    if (sales.currentId() !== null) throw new ProblemError('sale-open-already')
    custody.require()
    const claimed = await store.claim(id, actorId)
    switch (claimed.kind) {
      case 'yours':
        break
      case 'taken':
        throw new ProblemError('held-sale-taken', [{ path: 'lane', message: claimed.lane }])
      case 'gone':
        throw new ProblemError('sale-not-held')
      case 'away':
        throw new ProblemError('held-sale-away')
      case 'awaiting':
        throw lanesAwaited('held-sale-lanes-awaited', claimed.lanes)
    }
    try {
      return shown(transact((tx) => makeMine(tx, id, claimed, actorId, claim)))
    } catch (error) {
      store.back(claimed.claim)
      throw error
    }
  }

  function makeMine(tx: Tx, id: SaleId, granted: Granted, actorId: string, claim: (tx: Tx) => void): SaleId {
    if (sales.currentId() !== null) throw new ProblemError('sale-open-already')
    const { content, collector } = granted
    let mine = id
    if (isRowHere(id)) {
      held.end(tx, id, null)
      held.place(tx, id, lane.id)
      wakeUp(tx, id, actorId)
    } else {
      mine = ringHeld(tx, { sales, rows: options.rows, members }, content, collector)
      audit.record(tx, { kind: 'sale-resumed', actorId, subject: mine, detail: { from: id } })
    }
    store?.done(tx, granted.claim, mine)
    claim(tx)
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
     * Throws ProblemError `sale-empty`, `sale-held-by-redemption`, `sale-paid-on`, or `note-holds-number` for a name
     * that is a card number.
     */
    hold: (id: string, version: number, name: string | undefined, who: Who): Sale =>
      sales.command(id, version, 'hold', (tx, now) => {
        if (name !== undefined && (looksLikePaymentCard(name) || holdsCollectorNumber(name)))
          throw new ProblemError('note-holds-number')
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
     * `held-sale-taken` where another lane has it, `held-sale-away` where the store does not answer, or
     * `held-sale-lanes-awaited` where it lends none yet.
     */
    resume(id: SaleId, version: number, actorId: string, claim: (tx: Tx) => void): Sale | Promise<Sale> {
      const here = placeOf(id)
      if (here === lane.id) return resumeHere(id, version, actorId, claim)
      if (here !== IN_STORE) throw new ProblemError('sale-not-held')
      return resumeFromStore(id, actorId, claim)
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
}
