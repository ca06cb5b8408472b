import { z } from 'zod'
import {
  Activity,
  HISTORY_PATHS,
  HistoryHealthResponse,
  HistoryPage,
  MAX_SORTS,
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

/** Parameters of the history of a member and of sponsors (specification 2 §4.2). */
export interface HistoryQuery {
  /** Start and end in epoch milliseconds, inclusive, at most two years apart. */
  readonly from: number
  readonly to: number
  readonly page?: number
  readonly size?: number
  /** Sort keys: at most three, the most significant first. The default order is the service's. */
  readonly sort?: readonly { readonly field: SortField; readonly descending: boolean }[]
}
export interface SponsorsQuery extends HistoryQuery {
  readonly sponsorList: readonly string[]
  readonly collectorNumber: CollectorNumber
}

export interface HistoryCall extends CallTiming {
  readonly locale: Locale
}

export interface ActivityPage {
  readonly activities: readonly Activity[]
  readonly page: {
    readonly size: number
    readonly totalElements: number
    readonly totalPages: number
    readonly number: number
  }
}

export type HistoryClient = ReturnType<typeof createHistoryClient>

/**
 * Requests of the transaction-history service (specification 2 §4.2), all of them reads. Failures are results, never
 * thrown. `cards` and `sponsors` reject with a RangeError for an invalid range, page, sort or list of sponsors.
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
    // A 401 with a code in the body concerns the collector; without a code, the token (specification 2 §7).
    const isOfCollector = result.kind === 'failed' && result.code === 'HTTP 401' && result.errorCode !== null
    return isOfCollector ? { ...result, cause: 'collector-refused' } : result
  }

  return {
    /**
     * Returns whether the history service reports the `{status}` "up", in any case (specification 2 §1, §2.2). Uses the
     * lane's token.
     */
    health: (call: HistoryCall): Promise<ServiceResult<boolean>> =>
      read(HISTORY_PATHS.health, call, (json) => {
        const status = HistoryHealthResponse.safeParse(json).data?.status
        return status === undefined ? undefined : status.toLowerCase() === 'up'
      }),

    async cards(
      query: HistoryQuery,
      call: HistoryCall & { readonly memberToken: string },
    ): Promise<ServiceResult<ActivityPage>> {
      return read(`${HISTORY_PATHS.cards}?${parametersOf(query).toString()}`, call, pageOf)
    },

    async sponsors(
      query: SponsorsQuery,
      call: HistoryCall & { readonly memberToken?: string | undefined },
    ): Promise<ServiceResult<ActivityPage>> {
      if (query.sponsorList.length === 0)
        throw new RangeError('at least one sponsor is required (specification 2 §4.2)')
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
  if (sort.length > MAX_SORTS) throw new RangeError(`at most ${MAX_SORTS} sorts are allowed (specification 2 §8)`)
  if ([page, size].some((value) => value !== undefined && !(Number.isInteger(value) && value >= 0)) || size === 0)
    throw new RangeError(`invalid page ${page} of size ${size}: use whole numbers, and a size of at least 1`)
  const parameters = new URLSearchParams({ from: isoOf(from), to: isoOf(to) })
  if (page !== undefined) parameters.set('page', String(page))
  if (size !== undefined) parameters.set('size', String(size))
  for (const { field, descending } of sort) parameters.append('sort', `${field},${descending ? 'desc' : 'asc'}`)
  return parameters
}

const count = z.int().min(0)
/** The service omits `_embedded` from a page without records (specification 2 §1). Invalid records are skipped. */
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

export const historyClientOf = perLane((ctx) => {
  if (programOf(ctx).endpoints.history === undefined) return null
  return createHistoryClient(ctx, centralOf(ctx).breakers.of('history'))
})
