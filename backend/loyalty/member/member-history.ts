import type {
  HistoryPrinted,
  MemberHistory,
  PrintHistory,
  HistoryFailure,
  HistoryShown,
} from '../../../contracts/loyalty/member.ts'
import type { HistoryRange, HistorySponsors } from '../../../contracts/loyalty/kinds.ts'
import type { SaleId, CollectorNumber } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { type ActivityPage, type HistoryQuery, historyClientOf } from '../services/history.ts'
import { type Failed, type ServiceResult, isTokenRefused } from '../../core/central/service-result.ts'
import { composeHistory, sortsOf, transactionOf } from './history-view.ts'
import { ProblemError } from '../../core/problem.ts'
import type { MemberAccess } from '../services/member-sign-in.ts'
import type { App } from '../../core/http/app.ts'
import { memberContract } from '../../../contracts/loyalty/loyalty.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { signedIn } from '../../core/http/guards.ts'
import { Temporal } from 'temporal-polyfill/implementation'
import { rangeFlaw } from '../../../contracts/central/history.ts'
import { epochOf, localDateTimeAt } from '../../core/zone.ts'
import { memberSessionsOf } from './member-session.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { collectorOf } from '../../sales/collector.ts'
import { columnsOfLane } from '../../core/paper/document.ts'
import { devicesOf } from '../../core/devices/hub.ts'
import { receiptLocaleOf } from '../../core/profile/profile-lane.ts'
import { type Ctx, perLane, bound } from '../../core/context.ts'

const PAGE = 10

interface Member {
  readonly access: MemberAccess
  readonly collectorNumber: CollectorNumber
}

interface Asked extends Pick<HistoryQuery, 'page' | 'sort'> {
  readonly range: HistoryRange
  readonly sponsors: HistorySponsors
}

/**
 * Returns the member who is signed in on the sale. Throws ProblemError `not-found`, `sale-not-open` or
 * `member-signed-out`.
 */
function memberOf(ctx: Ctx, saleId: string): Member {
  const sale = saleRowsOf(ctx).byId(saleId)
  if (!sale) throw new ProblemError('not-found')
  if (sale.state !== 'open') throw new ProblemError('sale-not-open')
  const access = memberSessionsOf(ctx).accessOf(saleId)
  const collectorNumber = collectorOf(ctx, sale)
  if (!access || collectorNumber === null) throw new ProblemError('member-signed-out')
  return { access, collectorNumber }
}

/**
 * Requests the member's transactions. Throws like `memberOf`, and also ProblemError `member-history-off`, and
 * `member-signed-out` if the answer arrives after the sign-in has ended.
 */
async function ask(
  ctx: Ctx,
  saleId: string,
  { range, sponsors, ...paging }: Asked,
  locale: Locale,
): Promise<ServiceResult<ActivityPage>> {
  const client = historyClientOf(ctx)
  if (!client) throw new ProblemError('member-history-off')
  const { access, collectorNumber } = memberOf(ctx, saleId)
  const query = { ...historyRange(range, ctx.clock.now(), ctx.profile.timeZone), ...paging, size: PAGE }
  const call = { locale, ...access }
  const answer =
    sponsors === 'store'
      ? await client.sponsors({ ...query, sponsorList: [ctx.profile.program.sponsorCode], collectorNumber }, call)
      : await client.cards(query, call)
  if (access.signal.aborted) throw new ProblemError('member-signed-out')
  if (answer.kind === 'failed' && isTokenRefused(answer)) memberSessionsOf(ctx).refused(saleId)
  return answer
}

/** Cut an answer that has more transactions than were requested. */
const transactionsOf = (ctx: Ctx, { activities }: ActivityPage, locale: Locale) =>
  activities.slice(0, PAGE).map((activity) => transactionOf(activity, locale, ctx.profile.program.sponsors ?? []))

/**
 * Returns a page of transactions in this language, or the service's `failure`. Rejects with ProblemError
 * `member-history-off`, `not-found`, `sale-not-open` or `member-signed-out`.
 */
async function page(
  ctx: Ctx,
  saleId: string,
  { sort, ...asked }: HistoryShown,
  locale: Locale,
): Promise<MemberHistory> {
  const answer = await ask(ctx, saleId, { ...asked, sort: sortsOf(sort, locale) }, locale)
  if (answer.kind === 'failed') return { kind: 'failed', failure: failureOf(answer) }
  const { number, totalPages, totalElements } = answer.body.page
  return {
    kind: 'page',
    transactions: transactionsOf(ctx, answer.body, locale),
    page: number,
    pages: totalPages,
    total: totalElements,
  }
}

function show(ctx: Ctx, saleId: SaleId, shown: HistoryShown | null): void {
  if (shown !== null) memberOf(ctx, saleId)
  ctx.publish({ type: 'member-history-shown', saleId, shown })
}

/**
 * Prints the newest transactions of the range from a new request, without a stored print job or document. Rejects like
 * `page`, and with `printer-unavailable`.
 */
async function print(ctx: Ctx, saleId: string, asked: PrintHistory, staffId: string): Promise<HistoryPrinted> {
  const printer = devicesOf(ctx).printer
  if (!printer) throw new ProblemError('printer-unavailable')
  const locale = receiptLocaleOf(ctx)()
  const answer = await ask(ctx, saleId, { ...asked, sort: sortsOf(['newest'], locale) }, locale)
  if (answer.kind === 'failed') return { kind: 'failed', failure: failureOf(answer) }
  const transactions = transactionsOf(ctx, answer.body, locale)
  if (transactions.length === 0) return { kind: 'empty' }
  const document = composeHistory({
    profile: ctx.profile,
    locale,
    lane: ctx.lane.id,
    columns: columnsOfLane(ctx.lane),
    cashierName: ctx.staffName(staffId),
    at: ctx.clock.now(),
    copy: 0,
    transactions,
  })
  const { state } = await printer.print({ document, openDrawer: false, copy: 0 })
  return { kind: 'printed', state }
}

/**
 * History of the member who is signed in on the sale. Each view is a new request; no table, log or event contains a
 * transaction. The sale never waits for the history.
 */
const memberHistoryOf = perLane((ctx: Ctx) =>
  bound(ctx, {
    page,
    show,
    print,
  }),
)

const failureOf = ({ cause, code, correlationId }: Failed): HistoryFailure => ({ cause, code, correlationId })

export function memberHistoryRoutes(ctx: Ctx, app: App): void {
  const history = memberHistoryOf(ctx)
  serve(app, memberContract['GET /sales/:id/member-history'], (request) => {
    const { locale, ...asked } = request.query
    return history.page(request.params.id, asked, locale ?? signedIn(request).locale)
  })

  serve(app, memberContract['PUT /sales/:id/member-history/shown'], async (request) => {
    history.show(request.params.id, request.body.shown)
    return request.body
  })

  serve(app, memberContract['POST /sales/:id/member-history/print'], async (request) =>
    history.print(request.params.id, request.body, signedIn(request).id),
  )
}

const DURATIONS = {
  '30-days': { days: 30 },
  '3-months': { months: 3 },
  '1-year': { years: 1 },
  '2-years': { years: 2 },
} as const satisfies Record<HistoryRange, Temporal.DurationLike>

const DAY_MS = 86_400_000

/**
 * Returns the range of the history in epoch milliseconds, inclusive, at most two years long (specification 2 §8). The
 * range ends with the store's day of `now`, so that it includes purchases of the last minute regardless of the
 * service's clock, and pages stay the same during the day.
 */
export function historyRange(range: HistoryRange, now: number, timeZone: string): { from: number; to: number } {
  const tomorrow = localDateTimeAt(now, timeZone).toPlainDate().add({ days: 1 }).toPlainDateTime()
  const to = epochOf(tomorrow, timeZone) - 1
  // Calculate the start in UTC, as the service counts: a DST change must not lengthen the range.
  const end = Temporal.Instant.fromEpochMilliseconds(to).toZonedDateTimeISO('UTC')
  const from = end.subtract(DURATIONS[range]).epochMilliseconds + 1
  // Two years before 29 February is 28 February, which is one day too many.
  return { from: rangeFlaw({ from, to }) === null ? from : from + DAY_MS, to }
}
