import type {
  HistoryFailure,
  HistoryPrinted,
  HistoryShown,
  MemberHistory,
  PrintHistory,
} from '../../../contracts/api/member-history.ts'
import type { TerminalEvent } from '../../../contracts/events.ts'
import type { HistoryRange, HistorySponsors } from '../../../contracts/history-kinds.ts'
import type { CollectorNumber, SaleId } from '../../../contracts/ids.ts'
import type { Locale } from '../../../contracts/locales.ts'
import type { Lane, Profile } from '../../../contracts/profile.ts'
import type { ActivityPage, HistoryClient, HistoryQuery } from '../../central/history.ts'
import { isTokenRefused, type Failed, type ServiceResult } from '../../central/service-result.ts'
import type { Clock } from '../../clock.ts'
import type { HubPrinter } from '../../devices/hub.ts'
import { composeHistory } from '../../domain/history-paper.ts'
import { historyRange } from '../../domain/history-range.ts'
import { ProblemError } from '../../http/problem.ts'
import type { MemberAccess } from '../../loyalty/offer-states.ts'
import type { MemberSessions } from '../member-session/service.ts'
import type { SaleRow } from '../sales/repository.ts'
import { sortsOf, transactionOf } from './view.ts'

export interface MemberHistoryOptions {
  /** Null where the profile names no history service. */
  readonly client: Pick<HistoryClient, 'cards' | 'sponsors'> | null
  readonly sessions: Pick<MemberSessions, 'accessOf' | 'refused'>
  /** The sale; undefined when there is none of that id. */
  readonly saleOf: (id: string) => SaleRow | undefined
  readonly collectorOf: (sale: SaleRow) => CollectorNumber | null
  /** Null where the lane has none. */
  readonly printer: Pick<HubPrinter, 'print'> | null
  readonly profile: Profile
  readonly lane: Lane
  readonly clock: Pick<Clock, 'now'>
  /** Of the paper. */
  readonly locale: () => Locale
  readonly staffName: (id: string) => string
  readonly publish: (event: TerminalEvent) => void
}

export type MemberHistoryService = ReturnType<typeof createMemberHistory>

/** Transactions on a page of the screen, and on paper. */
const PAGE = 10
const DEFAULT_COLUMNS = 42

/** Everything that one question to the service takes. */
interface Member {
  readonly access: MemberAccess
  readonly collectorNumber: CollectorNumber
}

interface Asked extends Pick<HistoryQuery, 'page' | 'sort'> {
  readonly range: HistoryRange
  readonly sponsors: HistorySponsors
}

/**
 * The history of the member who has signed in on the sale. It is asked for each time and kept nowhere: no table, log or
 * event has a transaction. Nothing of a sale waits for it.
 */
export function createMemberHistory(options: MemberHistoryOptions) {
  const { client, sessions, saleOf, collectorOf, printer, profile, lane, clock, publish } = options

  /** Throws ProblemError `not-found`, `sale-not-open` or `member-signed-out`. */
  function memberOf(saleId: string): Member {
    const sale = saleOf(saleId)
    if (!sale) throw new ProblemError('not-found')
    if (sale.state !== 'open') throw new ProblemError('sale-not-open')
    const access = sessions.accessOf(saleId)
    const collectorNumber = collectorOf(sale)
    if (!access || collectorNumber === null) throw new ProblemError('member-signed-out')
    return { access, collectorNumber }
  }

  /**
   * Throws ProblemError `member-history-off` too. What arrives after the sign-in has ended is nobody's any more: it
   * throws `member-signed-out`.
   */
  async function ask(
    saleId: string,
    { range, sponsors, ...paging }: Asked,
    locale: Locale,
  ): Promise<ServiceResult<ActivityPage>> {
    if (!client) throw new ProblemError('member-history-off')
    const { access, collectorNumber } = memberOf(saleId)
    const query = { ...historyRange(range, clock.now(), profile.timeZone), ...paging, size: PAGE }
    const call = { locale, ...access }
    const answer =
      sponsors === 'store'
        ? await client.sponsors({ ...query, sponsorList: [profile.program.sponsorCode], collectorNumber }, call)
        : await client.cards(query, call)
    if (access.signal.aborted) throw new ProblemError('member-signed-out')
    if (answer.kind === 'failed' && isTokenRefused(answer)) sessions.refused(saleId)
    return answer
  }

  /** A service that answers with more than was asked for fills neither a screen nor a roll of paper. */
  const transactionsOf = ({ activities }: ActivityPage, locale: Locale) =>
    activities.slice(0, PAGE).map((activity) => transactionOf(activity, locale, profile.program.sponsors ?? []))

  return {
    /**
     * A page in this language; what the service does is told by `failure`, never thrown. Rejects with ProblemError
     * `member-history-off`, `not-found`, `sale-not-open` or `member-signed-out`.
     */
    async page(saleId: string, { sort, ...asked }: HistoryShown, locale: Locale): Promise<MemberHistory> {
      const answer = await ask(saleId, { ...asked, sort: sortsOf(sort, locale) }, locale)
      if (answer.kind === 'failed') return { kind: 'failed', failure: failureOf(answer) }
      const { number, totalPages, totalElements } = answer.body.page
      return {
        kind: 'page',
        transactions: transactionsOf(answer.body, locale),
        page: number,
        pages: totalPages,
        total: totalElements,
      }
    },

    /** Tells the customer's display what the cashier has open. Throws as `page` does, of what is open. */
    show(saleId: SaleId, shown: HistoryShown | null): void {
      if (shown !== null) memberOf(saleId)
      publish({ type: 'member-history-shown', saleId, shown })
    },

    /**
     * Prints the newest transactions of the range. They are asked for anew and go to the printer at once: no print job
     * and no document of it is stored. Rejects as `page` does, and with `printer-unavailable`.
     */
    async print(saleId: string, asked: PrintHistory, staffId: string): Promise<HistoryPrinted> {
      if (!printer) throw new ProblemError('printer-unavailable')
      const locale = options.locale()
      const answer = await ask(saleId, { ...asked, sort: sortsOf(['newest'], locale) }, locale)
      if (answer.kind === 'failed') return { kind: 'failed', failure: failureOf(answer) }
      const transactions = transactionsOf(answer.body, locale)
      if (transactions.length === 0) return { kind: 'empty' }
      const document = composeHistory({
        profile,
        locale,
        lane: lane.id,
        columns: lane.devices.printer?.columns ?? DEFAULT_COLUMNS,
        cashierName: options.staffName(staffId),
        at: clock.now(),
        copy: 0,
        transactions,
      })
      const { state } = await printer.print({ document, openDrawer: false, copy: 0 })
      return { kind: 'printed', state }
    },
  }
}

const failureOf = ({ cause, code, correlationId }: Failed): HistoryFailure => ({ cause, code, correlationId })
