import type { ReadCard } from '../../core/devices/reads.ts'
import { cents } from '../../../contracts/core/money.ts'
import type { Sale, NoRedemptionReason } from '../../../contracts/sales/sales.ts'
import { CashResponse, type InquireRequest } from '../../../contracts/central/cash.ts'
import { gatewayState, jsonOf } from '../../core/central/wire.ts'
import type { Answer } from '../../core/central/transport.ts'
import { centralMessage, hidesBalances } from '../../core/central/response-codes.ts'
import { meaningOfInquire } from '../services/answers.ts'
import { balancesOf } from './balances.ts'
import { inquiryFacts } from '../../sales/sale/redemption.ts'
import { ProblemError } from '../../core/problem.ts'
import { type SaleRow, saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { type SaleParts, type StoredInquiry, isAged, totalsOf } from '../../sales/sale/sale-parts.ts'
import type { App } from '../../core/http/app.ts'
import { memberContract } from '../../../contracts/loyalty/loyalty.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { salesOf } from '../../sales/sales.ts'
import { inputEventsOf } from '../../sales/input/dispatcher.ts'
import { attachCollector, collectorOf, detachCollector, refuseWhenTied, sealedCardOf } from '../../sales/collector.ts'
import { cashClientOf } from '../services/cash.ts'
import { storeTaxesOf } from '../../catalog/tax.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'
import { onStart } from '../../core/lifecycle.ts'

export type Members = ReturnType<typeof membersOf>

const membersStateOf = perLane(() => {
  /** The newest unanswered INQUIRE of each sale. Answers to earlier INQUIREs of the sale are ignored. */
  const newest = new Map<string, { readonly traceId: string; readonly card: string }>()
  return {
    newest,
  }
})

async function inquire(ctx: Ctx, saleId: string): Promise<void> {
  const sales = salesOf(ctx)
  const cash = cashClientOf(ctx)
  const state = membersStateOf(ctx)
  const before = sales.parts(saleId)
  const collectorNumber = collectorOf(ctx, before.sale)
  if (before.sale.state !== 'open' || !collectorNumber || !before.sale.memberEntryMode || !before.sale.memberHash)
    return
  const memberHash = before.sale.memberHash
  const keyed = before.sale.memberEntryMode === 'KEYED'
  // Empty containers may make the total negative; then there is nothing to redeem.
  const toldCents = cents(Math.max(0, totalsOf(before, storeTaxesOf(ctx)()).totalCents))
  const request = cash.inquireRequest(
    { collectorNumber, entryMode: before.sale.memberEntryMode },
    toldCents,
    ctx.clock.now(),
    receiptLocaleOf(ctx)(),
  )
  state.newest.set(saleId, { traceId: request.traceId, card: readOf(before.sale) })
  // No INQUIRE is sent for a keyed card number, so the shown state of the service does not change.
  const inquiry = {
    toldCents,
    ...(keyed ? refused('keyed') : inquiryFromAnswer(await cash.inquire(request), request)),
  }
  if (state.newest.get(saleId)?.traceId !== request.traceId) return
  state.newest.delete(saleId)
  const stored = ctx.transact((tx) => {
    const now = sales.row(saleId)
    if (now.state !== 'open' || !now.memberHash?.equals(memberHash)) return false
    saleRowsOf(ctx).setInquiry(
      tx,
      saleId,
      inquiry.responseCode === null && !keyed ? 'unknown' : 'known',
      JSON.stringify(inquiry),
    )
    return true
  })
  if (stored) sales.publish(saleId, 'member')
}

/** Returns the collector and entry mode of a sale as one text: if it changes, INQUIRE is sent again. */
const readOf = ({ memberHash, memberEntryMode }: SaleRow): string => `${memberHash?.toString('hex')} ${memberEntryMode}`

function inquireInBackground(ctx: Ctx, saleId: string): void {
  ctx.transact.afterCommit(() => {
    const { sale } = salesOf(ctx).parts(saleId)
    if (sale.memberState !== 'pending' || membersStateOf(ctx).newest.get(saleId)?.card === readOf(sale)) return
    inquire(ctx, saleId).catch((error: unknown) => {
      ctx.log.error({ err: error }, 'could not store the answer to an inquiry')
    })
  })
}

function publishAndInquire(ctx: Ctx, saleId: string): Sale {
  const sale = salesOf(ctx).publish(saleId, 'member')
  inquireInBackground(ctx, saleId)
  return sale
}

const mayAge = (sale: SaleRow, redemption: SaleParts['redemption']): boolean =>
  sale.state === 'open' &&
  (sale.memberState === 'known' || sale.memberState === 'unknown') &&
  (redemption === undefined || redemption.state === 'declined' || redemption.state === 'reversed')

const isInquiryOutdated = (ctx: Ctx, now: SaleParts): boolean =>
  mayAge(now.sale, now.redemption) && isAged(now.inquiry, totalsOf(now, storeTaxesOf(ctx)()).totalCents)

function inquireIf(ctx: Ctx, saleId: string, holds: (now: SaleParts) => boolean): void {
  try {
    const asking = ctx.transact((tx) => {
      if (!holds(salesOf(ctx).parts(saleId))) return false
      saleRowsOf(ctx).setInquiring(tx, saleId)
      return true
    })
    if (asking) publishAndInquire(ctx, saleId)
  } catch (error) {
    ctx.log.error({ err: error }, 'could not send another inquiry about the collector')
  }
}

function identify(ctx: Ctx, card: ReadCard): Sale {
  const sales = salesOf(ctx)
  const id = ctx.transact((tx) => {
    const sale = sales.openSale(tx)
    refuseWhenTied(ctx, sale.id)
    const before = sealedCardOf(sale)
    attachCollector(ctx, tx, sale.id, card)
    sales.changedBy(tx, sale.id, { kind: 'member', before: { of: 'member', card: before } })
    return sale.id
  })
  const sale = sales.publish(id, 'member')
  inquireInBackground(ctx, id)
  return sale
}

/**
 * Sends INQUIRE again for the card on the sale. Throws ProblemError `sale-not-open`, `sale-stale`, `member-missing`,
 * `redemption-not-allowed` for a keyed number, `inquiry-pending`, or an error of `refuseWhenTied`.
 */
function inquireAgain(ctx: Ctx, id: string, version: number): Sale {
  ctx.transact((tx) => {
    const { sale } = salesOf(ctx).forCommand(id, version)
    if (sale.memberState === null) throw new ProblemError('member-missing')
    if (sale.memberEntryMode === 'KEYED') throw new ProblemError('redemption-not-allowed')
    if (sale.memberState === 'pending') throw new ProblemError('inquiry-pending')
    refuseWhenTied(ctx, id)
    saleRowsOf(ctx).setInquiring(tx, id)
  })
  return publishAndInquire(ctx, id)
}

function watch(ctx: Ctx): void {
  salesOf(ctx).onChange((now) => {
    if (now.sale.memberState === 'pending') inquireInBackground(ctx, now.sale.id)
    // Let the other listeners of this change run first.
    else if (isInquiryOutdated(ctx, now))
      ctx.clock.after(0, () => {
        inquireIf(ctx, now.sale.id, (now) => isInquiryOutdated(ctx, now))
      })
  })
}

const remove = (ctx: Ctx, id: string, version: number): Sale =>
  salesOf(ctx).command(id, version, 'member', (tx, { sale }) => ({
    kind: 'member-removed',
    before: { of: 'member', card: detachCollector(ctx, tx, sale) },
  }))

function inquireAfterMove(ctx: Ctx, saleId: string): void {
  inquireIf(ctx, saleId, ({ sale, redemption }) => mayAge(sale, redemption))
}

/**
 * Sends INQUIRE again for a sale whose answer is missing, for example after a restart, or outdated (`isAged`). INQUIRE
 * changes nothing at the program.
 */
function resume(ctx: Ctx, saleId: string): void {
  if (salesOf(ctx).row(saleId).memberState === 'pending') inquireInBackground(ctx, saleId)
  else inquireIf(ctx, saleId, (now) => isInquiryOutdated(ctx, now))
}

/** The collector of a sale. The number comes from a card read and never leaves the backend. */
export const membersOf = perLane((ctx: Ctx) => {
  membersStateOf(ctx)
  onStart(ctx, () => watch(ctx), 'watch')
  inputEventsOf(ctx).on('card.presented', (card) => void identify(ctx, card))
  return bound(ctx, {
    identify,
    inquireAgain,
    remove,
    inquireAfterMove,
    resume,
  })
})

type Answered = Omit<StoredInquiry, 'toldCents'>

const refused = (noRedemption: NoRedemptionReason, responseCode: string | null = null): Answered => ({
  responseCode,
  noRedemption,
  facts: null,
  balances: null,
})

/**
 * Returns why no redemption is possible after an answer without a response code: the same cause as in the status bar.
 */
function withoutCode(status: number): NoRedemptionReason {
  const gateway = gatewayState(status)
  if (gateway !== null) return gateway === 'outage' ? 'central-outage' : 'central-unreachable'
  return status >= 500 ? 'temporarily-unavailable' : 'central-refused'
}

/** Converts an answer to INQUIRE for storage with the sale, without the balances that its response code hides. */
export function inquiryFromAnswer(answer: Answer, request: InquireRequest): Answered {
  if (answer.kind !== 'answer')
    return refused(
      answer.kind === 'no-token' && answer.cause === 'refused' ? 'central-secret-refused' : 'central-unreachable',
    )
  const parsed = CashResponse.safeParse(jsonOf(answer.bytes))
  if (!parsed.success) return refused(withoutCode(answer.status))
  const response = parsed.data
  const meaning = meaningOfInquire(response, request)
  // Ignore the balances of an answer to another request, or of an answer with an unknown meaning: they may be another
  // collector's.
  if (meaning.kind === 'unknown') return refused(meaning.noRedemption ?? 'central-refused', meaning.responseCode)
  // Code 0006 means that nothing can be redeemed, so no redeemable amount is shown or printed.
  const hidden = hidesBalances(response.responseCode) || meaning.noRedemption === 'not-allowed'
  const facts = inquiryFacts(response)
  return {
    responseCode: meaning.responseCode,
    noRedemption: meaning.noRedemption,
    ...(meaning.noRedemption === null ? {} : { message: centralMessage(response) }),
    ...(hidden ? {} : { available: { miles: facts.availableCashMiles, cents: facts.availableCents } }),
    facts: meaning.noRedemption === null ? facts : null,
    balances: balancesOf(response),
  }
}

export function memberRoutes(ctx: Ctx, app: App): void {
  const members = membersOf(ctx)
  serve(app, memberContract['POST /sales/:id/member/remove'], (request) => ({
    sale: members.remove(request.params.id, request.body.version),
  }))

  serve(app, memberContract['POST /sales/:id/member/inquire'], (request) => ({
    sale: members.inquireAgain(request.params.id, request.body.version),
  }))
}
