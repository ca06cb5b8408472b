import type { SaleTotals } from '../../../contracts/sales/sales.ts'
import { SaleId } from '../../../contracts/core/ids.ts'
import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { type BasketLine, without, type Pieces } from '../../sales/sale/basket.ts'
import { only } from './return-rules.ts'
import { pricedLines, type SaleParts } from '../../sales/sale/sale-parts.ts'
import { storeLinkOf } from '../../store/store-link.ts'
import { storeReturnsRepositoryOf } from '../rows/store-returns.sql.ts'
import { returnRowsOf } from '../rows/returns.sql.ts'
import { storeReturnsOf } from './store-returns.ts'
import { issuingOf } from '../../loyalty/issuance/issuance.ts'
import { domainEventsOf } from '../../sales/sale/domain-events.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { isStopping, onStop, runLater } from '../../core/lifecycle.ts'

export interface DueGoods {
  readonly returnId: SaleId
  readonly sale: SaleParts
  readonly at: number
  readonly lines: readonly BasketLine[]
  readonly left: readonly BasketLine[]
  /** Empty, because the miles of another lane's sale are calculated from its pieces, not from earlier returns. */
  readonly earlier: readonly never[]
  readonly totals: Pick<SaleTotals, 'subtotalCents' | 'taxes' | 'totalCents'>
  readonly tenders: readonly TenderKind[]
}

const CHECK_MS = 5_000

/**
 * Takes back miles of another lane's sale whose ISSUE was unanswered when its goods were returned here. RETURN must
 * follow the answered ISSUE (specification 3 §4.2), whose outcome the store server reports.
 */
export const milesDueOf = perLane((ctx: Ctx) => {
  const { transact, clock, log } = ctx
  const repository = storeReturnsRepositoryOf(ctx)
  const returns = returnRowsOf(ctx)
  const store = storeReturnsOf(ctx)
  const takeBackNow = issuingOf(ctx).takeBackNow
  const events = domainEventsOf(ctx)
  let cancelNext: (() => void) | null = null
  let looking: Promise<void> = Promise.resolve()

  function goodsOf(returnId: string, saleId: string, left: readonly Pieces[]): DueGoods | null {
    const row = returns.byId(returnId)
    const sale = store.foreign(saleId)
    if (!row || !sale) return null
    const sold = pricedLines(sale)
    const back = returns
      .lines(returnId)
      .map(({ saleLineNumber, quantity }) => ({ number: saleLineNumber ?? 0, quantity }))
    const stays = (line: BasketLine): number => left.find(({ number }) => number === line.number)?.quantity ?? 0
    const returned = sold.map((line) => ({ number: line.number, quantity: line.quantity - stays(line) }))
    const tenders = returns.refunds(returnId).flatMap(({ kind }) => (kind === 'store-credit' ? [] : [kind]))
    return {
      returnId: SaleId.parse(returnId),
      sale,
      at: row.at,
      lines: only(sold, back),
      left: without(sold, returned),
      earlier: [],
      totals: row.totals,
      tenders,
    }
  }

  async function sendAllDue(): Promise<void> {
    for (const { returnId, saleId, left } of repository.openDue()) {
      if (isStopping(ctx) || !(await store.load(saleId))) return
      const goods = goodsOf(returnId, saleId, left)
      if (goods === null) continue
      transact((tx) => {
        if (takeBackNow(tx, goods)) repository.endDue(tx, returnId, clock.now())
      })
    }
  }

  function sendDue(): void {
    cancelNext?.()
    cancelNext = null
    looking = looking
      .then(sendAllDue)
      .catch((error: unknown) => {
        log.error({ err: error }, 'could not take back miles of another lane’s sale')
      })
      .then(() => {
        if (!isStopping(ctx) && cancelNext === null && repository.openDue().length > 0)
          cancelNext = runLater(ctx, CHECK_MS, sendDue)
      })
  }

  events.on('return.miles-later', (tx, returnId, left) => {
    repository.insertDue(tx, returnId, left)
    transact.afterCommit(sendDue)
  })

  storeLinkOf(ctx)?.events.on('reached', sendDue)
  onStop(ctx, () => looking)
})
