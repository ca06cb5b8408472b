import { z } from 'zod'
import {
  Activity,
  HISTORY_PATHS,
  HistoryHealthResponse,
  HistoryPage,
  MOST_SORTS,
  rangeFlaw,
  type SortField,
} from '../../../contracts/central/history.ts'
import type { CollectorNumber } from '../../../contracts/core/ids.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { isoOf } from '../../core/clock.ts'
import type { Breaker } from '../../core/central/breaker.ts'
import { channelHeaders } from '../../core/central/wire.ts'
import { callService, READ_TIMEOUT_MS, type CallTiming, type ServiceResult } from '../../core/central/service-result.ts'
import { perLane, type Ctx } from '../../core/context.ts'
import { centralOf } from '../../core/central/services.ts'
import { programOf } from '../../core/program/lane-program.ts'

/** Parameters of both histories (specification 2 §4.2). */
export interface HistoryQuery {
  /** Epoch milliseconds, both included; two years at most between them. */
  readonly from: number
  readonly to: number
  /** From 0. */
  readonly page?: number
  /** Transactions on a page. */
  readonly size?: number
  /** Three at most, in the order of their weight; without any, as the service likes. */
  readonly sort?: readonly { readonly field: SortField; readonly descending: boolean }[]
}
export interface SponsorsQuery extends HistoryQuery {
  /** Ids of sponsors, one at least. */
  readonly sponsorList: readonly string[]
  readonly collectorNumber: CollectorNumber
}

export interface HistoryCall extends CallTiming {
  readonly locale: Locale
}

/** A page of transactions; a page without any is one too. */
export interface ActivityPage {
  readonly activities: readonly Activity[]
  /** `number` from 0. */
  readonly page: {
    readonly size: number
    readonly totalElements: number
    readonly totalPages: number
    readonly number: number
  }
}

export type HistoryClient = ReturnType<typeof createHistoryClient>

/**
 * Requests of the transaction-history service (specification 2 §4.2), all of them reads. None throws for what the
 * service does. `cards` and `sponsors` reject with a RangeError for a range, a page or a sort that it cannot take.
 */
export function createHistoryClient(ctx: Ctx, breaker?: Breaker) {
  const { transport } = centralOf(ctx)
  const { originClient } = ctx.profile.program
  const read = async <Body>(
    path: string,
    { locale, timeoutMs, signal, memberToken }: HistoryCall & { readonly memberToken?: string | undefined },
    bodyOf: (json: unknown) => Body | undefined,
  ): Promise<ServiceResult<Body>> => {
    const result = await callService(
      transport,
      {
        service: 'history',
        method: 'GET',
        path,
        headers: channelHeaders(originClient, locale),
        timeoutMs: timeoutMs ?? READ_TIMEOUT_MS,
        signal,
        authenticate: true,
        ...(memberToken === undefined ? {} : { memberToken }),
      },
      bodyOf,
      breaker,
    )
    // 401 is about the collector; want of a token has no status of its own (§7). A code in the body tells them apart.
    const isOfCollector = result.kind === 'failed' && result.code === 'HTTP 401' && result.errorCode !== null
    return isOfCollector ? { ...result, cause: 'collector-refused' } : result
  }

  return {
    /** Whether the service calls itself well: `{status}`, "up" in whatever letters (§1, §2.2). By the lane's token. */
    health: (call: HistoryCall): Promise<ServiceResult<boolean>> =>
      read(HISTORY_PATHS.health, call, (json) => {
        const status = HistoryHealthResponse.safeParse(json).data?.status
        return status === undefined ? undefined : status.toLowerCase() === 'up'
      }),

    /** Transactions of the member who is signed in, of all sponsors. */
    async cards(
      query: HistoryQuery,
      call: HistoryCall & { readonly memberToken: string },
    ): Promise<ServiceResult<ActivityPage>> {
      return read(`${HISTORY_PATHS.cards}?${parametersOf(query).toString()}`, call, pageOf)
    },

    /** Transactions of a collector with some sponsors, by the lane's own token or by the member's. */
    async sponsors(
      query: SponsorsQuery,
      call: HistoryCall & { readonly memberToken?: string | undefined },
    ): Promise<ServiceResult<ActivityPage>> {
      if (query.sponsorList.length === 0) throw new RangeError('one sponsor at least (specification 2 §4.2)')
      const parameters = parametersOf(query)
      parameters.set('sponsorList', query.sponsorList.join(','))
      parameters.set('collectorNumber', query.collectorNumber)
      return read(`${HISTORY_PATHS.sponsors}?${parameters.toString()}`, call, pageOf)
    },
  }
}

function parametersOf({ from, to, page, size, sort = [] }: HistoryQuery): URLSearchParams {
  const flaw = rangeFlaw({ from, to })
  if (flaw !== null) throw new RangeError(`the end of the range ${flaw} (specification 2 §8)`)
  if (sort.length > MOST_SORTS) throw new RangeError(`${MOST_SORTS} sorts at most (specification 2 §8)`)
  if ([page, size].some((value) => value !== undefined && !(Number.isInteger(value) && value >= 0)) || size === 0)
    throw new RangeError(`page ${page} of ${size} is none`)
  const parameters = new URLSearchParams({ from: isoOf(from), to: isoOf(to) })
  if (page !== undefined) parameters.set('page', String(page))
  if (size !== undefined) parameters.set('size', String(size))
  for (const { field, descending } of sort) parameters.append('sort', `${field},${descending ? 'desc' : 'asc'}`)
  return parameters
}

const count = z.int().min(0)
/** `_embedded` is left out of a page without records (§1). A record that is none is left out. */
const Page = z.object({
  _embedded: z.object({ genericActivityDtoList: z.array(z.unknown()).optional() }).optional(),
  page: HistoryPage.shape.page.extend({ totalElements: count, totalPages: count, number: count }),
})

function pageOf(json: unknown): ActivityPage | undefined {
  const { _embedded: embedded, page } = Page.safeParse(json).data ?? {}
  return (
    page && {
      activities: (embedded?.genericActivityDtoList ?? []).flatMap((entry) => Activity.safeParse(entry).data ?? []),
      page,
    }
  )
}

/** Null where the profile names no history service. */
export const historyClientOf = perLane((ctx) => {
  if (programOf(ctx).endpoints.history === undefined) return null
  return createHistoryClient(ctx, centralOf(ctx).breakers.of('history'))
})
