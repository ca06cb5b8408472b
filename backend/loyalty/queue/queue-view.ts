import type { IssuanceNotice, QueueDetail, QueueEntry } from '../../../contracts/loyalty/queue.ts'
import { isNoticeCode } from '../../../contracts/central/cash.ts'
import { EntryMode, maskCollectorNumber } from '../../../contracts/core/ids.ts'
import type { Situation } from '../../../contracts/i18n/en-CA/exceptions.ts'
import { momentForm, writtenDate } from '../../../contracts/i18n/written-date.ts'
import { perLocale } from '../../../contracts/i18n/languages.ts'
import type { Localized, Locale } from '../../../contracts/core/locales.ts'
import { type Cents, cents, miles } from '../../../contracts/core/money.ts'
import { isoOf } from '../../core/clock.ts'
import { centralMessage, findCode, correctionOf } from '../../core/central/response-codes.ts'
import { last4 } from '../../core/masking.ts'
import { reversalDeadline } from '../../core/central/reversal-window.ts'
import { localDateTimeAt } from '../../core/zone.ts'
import { exceptionMessages } from '../../core/i18n.ts'
import type { TakenAnyway } from '../../core/outbox/operation-lists.ts'
import type { Notice } from '../../core/outbox/notices.ts'
import { isOpen } from '../../core/outbox/states.ts'
import type { MilesOperation } from '../../core/outbox/operation.ts'
import {
  actionsFor,
  isNameless,
  issuedMiles,
  isUnanswered,
  needsAttention,
  requestOf,
  type RequestFacts,
} from './queue-facts.ts'
import { queueRowsOf } from './queue.sql.ts'
import type { Ctx } from '../../core/context.ts'

/**
 * Returns the offers of the store's own rules, the only offers under which a manager may give miles. Empty if the
 * program calculates the miles.
 */
export const offerCodesToGive = ({ profile: { issuance } }: Ctx): string[] =>
  issuance.mode === 'partner' ? [...new Set(issuance.rules.map(({ offerCode }) => offerCode))] : []

const milesOrNull = (count: number | null) => (count === null ? null : miles(count))

/** A manager may give miles only to the collector of a POST of this lane (specification 3 §4.4, POST/EVENT). */
const mayGive = (ctx: Ctx, { type, state }: MilesOperation): boolean =>
  type === 'post' && !isOpen(state) && offerCodesToGive(ctx).length > 0

/** Converts an operation for the manager, with only the last four digits of the collector number. */
export function entryOf(ctx: Ctx, operation: MilesOperation): QueueEntry {
  const repository = queueRowsOf(ctx)
  const resolution = repository.resolutionOf(operation.id)
  const words =
    needsAttention(operation) || isPending(operation)
      ? messagesFor(operation, {
          credited: repository.isCredited(operation.id),
          nameless: isNameless(operation, ctx.outbox.journal),
          doubtful: operation.state === 'dead' && ctx.outbox.journal.mayBeDone(operation.id),
          closes: closesOf(operation, ctx.profile.timeZone),
        })
      : null
  return {
    id: operation.id,
    kind:
      operation.kind === 'issuance'
        ? issuanceKind(operation)
        : operation.state.startsWith('revers')
          ? 'reverse'
          : 'redeem',
    saleId: operation.saleId,
    state: operation.state,
    windowClosesAt: windowOf(operation, ctx.profile.timeZone),
    attention: needsAttention(operation) && !resolution,
    attempts: operation.sends,
    createdAt: isoOf(operation.createdAt),
    changedAt: isoOf(operation.changedAt),
    amountCents: operation.amountCents === null ? null : cents(operation.amountCents),
    miles: milesOrNull(operation.miles),
    pendingMiles: milesOrNull(operation.pendingMiles),
    rejectedMiles: milesOrNull(operation.rejectedMiles),
    responseCode: operation.responseCode,
    // With a response code, `detail` is the program's message. Hide it if it only repeats the lane's own text for the
    // code.
    detail: operation.responseCode === null ? operation.detail : centralMessage({ message: operation.detail }),
    says: words?.says ?? null,
    todo: words?.todo ?? null,
    resolution: resolution
      ? {
          at: isoOf(resolution.at),
          by: ctx.staffName(resolution.staffId),
          found: resolution.found,
          note: resolution.note,
        }
      : null,
  }
}

export function detailOf(ctx: Ctx, operation: MilesOperation): QueueDetail {
  const repository = queueRowsOf(ctx)
  const entry = entryOf(ctx, operation)
  const request = openedRequest(ctx, operation)
  const issued = request ? issuedMiles(operation, ctx.outbox.journal, repository) : []
  const correctedById = repository.correctedBy(operation.id)
  const nothingToTakeBack = isRefused(ctx, operation.afterOperationId)
  const taken = repository.takenOf(operation)
  const creditCents = creditCentsOf(ctx, operation, taken)
  return {
    ...entry,
    actions: actionsFor({
      operation,
      resolved: entry.resolution !== null,
      corrected: correctedById !== null,
      nothingToTakeBack,
      issued,
      neverAccepted: repository.everySendRefused(operation.id),
      mayGive: mayGive(ctx, operation),
      isCreditDue: creditCents !== null,
      nameless: isNameless(operation, ctx.outbox.journal),
    }),
    mend: correctionOf(operation.responseCode),
    collector: request?.collectorNumber === undefined ? null : maskCollectorNumber(last4(request.collectorNumber)),
    entryMode: EntryMode.safeParse(request?.cardEntryMode).data ?? null,
    locationCode: request?.locationCode ?? null,
    confirmationNumber: operation.confirmationNumber,
    transactionId: operation.transactionId,
    transDateTime: operation.transDateTime,
    units: operation.units,
    taken: taken && { amountCents: cents(taken.amountCents), miles: miles(taken.miles) },
    creditCents,
    calls: repository.calls(operation.id).map(({ firstSentAt, ...call }) => ({
      ...call,
      firstSentAt: firstSentAt === null ? null : isoOf(firstSentAt),
    })),
    issued,
    givable: mayGive(ctx, operation) ? offerCodesToGive(ctx) : [],
    given: repository.countsOf(operation.saleId).given,
    history: repository.history(operation.id).map(({ at, from, to, orderedBy }) => ({
      at: isoOf(at),
      from,
      to,
      orderedBy: orderedBy === null ? null : ctx.staffName(orderedBy),
    })),
    correctsId: operation.correctsId,
    correctedById,
  }
}

/**
 * Returns the store credit due for miles that cannot be reversed: the amount that the program reports as taken, else
 * the requested amount. Null if no store credit is due.
 */
function creditCentsOf(ctx: Ctx, { id, state, amountCents }: MilesOperation, taken: TakenAnyway | null): Cents | null {
  const owed = taken?.amountCents ?? amountCents ?? 0
  return state === 'reversal-expired' && owed > 0 && !queueRowsOf(ctx).isCredited(id) ? cents(owed) : null
}

/**
 * Decrypts the request; null if that fails, for example with the key of another terminal. The other fields still help
 * support.
 */
function openedRequest(ctx: Ctx, operation: MilesOperation): RequestFacts | null {
  try {
    return requestOf(ctx.outbox.journal, operation)
  } catch {
    return null
  }
}

function isRefused(ctx: Ctx, id: string | null): boolean {
  const operation = id === null ? undefined : ctx.outbox.journal.get(id)
  if (!operation || operation.state !== 'dead') return false
  const copy = queueRowsOf(ctx).correctedBy(operation.id)
  return copy === null || isRefused(ctx, copy)
}

export function noticeOf(ctx: Ctx, notice: Notice): IssuanceNotice[] {
  const operation = ctx.outbox.journal.get(notice.newestOperationId)
  if (!operation || !isNoticeCode(notice.code)) return []
  const { id, code, subject, times, newestOperationId } = notice
  return [
    {
      id,
      code,
      subject,
      times,
      firstAt: isoOf(notice.firstAt),
      lastAt: isoOf(notice.lastAt),
      newestId: newestOperationId,
      saleId: operation.saleId,
      ...exceptionMessages({ notice: code }),
    },
  ]
}

function issuanceKind({ type }: MilesOperation): QueueEntry['kind'] {
  if (type === 'redeem') throw new Error('an issuance operation has the type redeem')
  return type
}

/** Response codes that add nothing to the state of the entry: approvals, and 0080 for a closed reversal window. */
const ADDS_NOTHING: ReadonlySet<string> = new Set(['0000', '0001', '0080'])

function messagesFor(
  operation: MilesOperation,
  {
    credited,
    nameless,
    doubtful,
    closes,
  }: { credited: boolean; nameless: boolean; doubtful: boolean; closes: Localized },
): { says: Localized; todo: Localized } {
  const situation = nameless ? 'issuance-nameless' : doubtful ? 'issuance-doubtful' : situationOf(operation, credited)
  const state = exceptionMessages({ state: situation, closes })
  const code = findCode(operation.responseCode ?? '')
  if (code === undefined) return state
  const byCode = exceptionMessages({ code })
  const isRefused = !doubtful && (operation.state === 'dead' || operation.state === 'rejected')
  const explanation = ADDS_NOTHING.has(code) ? state.says : bothOf(state.says, byCode.says)
  const todo = isRefused
    ? byCode.todo
    : isPending(operation) && isNoticeCode(code)
      ? exceptionMessages({ notice: code }).todo
      : state.todo
  return { says: explanation, todo }
}

/** An accepted call needs no action itself, but its code may name a setting to correct. */
const isPending = ({ kind, state }: MilesOperation): boolean => kind === 'issuance' && state === 'accepted'

const bothOf = (one: Localized, other: Localized): Localized => perLocale((locale) => `${one[locale]} ${other[locale]}`)

function closesOf({ kind, transDateTime }: MilesOperation, timeZone: string): Localized {
  const at = kind === 'redemption' && transDateTime !== null ? reversalDeadline(transDateTime, timeZone) : Number.NaN
  const words = (locale: Locale): string => (Number.isNaN(at) ? '' : writtenMoment(at, timeZone, locale))
  return perLocale(words)
}

function windowOf({ state, transDateTime }: MilesOperation, timeZone: string): string | null {
  if ((state !== 'reversing' && state !== 'reversal-escalated') || transDateTime === null) return null
  const at = reversalDeadline(transDateTime, timeZone)
  return Number.isNaN(at) ? null : isoOf(at)
}

const MOMENTS = perLocale((locale) => momentForm(locale, { timeZone: 'UTC' }))

/**
 * Formats a time as screens do. The time is first converted with the program's zone data, because the runtime's may be
 * older; Intl only formats UTC.
 */
function writtenMoment(epochMs: number, timeZone: string, locale: Locale): string {
  const onStoreClock = new Date(`${localDateTimeAt(epochMs, timeZone).toString({ smallestUnit: 'second' })}Z`)
  return writtenDate(MOMENTS[locale], onStoreClock, locale)
}

function situationOf(operation: MilesOperation, credited: boolean): Situation {
  const { kind, state, refusals, sends } = operation
  if (isUnanswered(operation)) return 'reversal-unanswered'
  switch (state) {
    case 'accepted':
      return 'issuance-accepted'
    // Store credit already replaced these miles, so the remedy must not suggest to give them a second time.
    case 'reversal-expired':
      return credited ? 'reversal-credited' : state
    case 'reversal-escalated':
      return state
    case 'dead':
      return 'issuance-dead'
    case 'rejected':
      return 'issuance-rejected'
    default:
      return kind === 'redemption'
        ? 'redemption-escalated'
        : sends === 0
          ? 'issuance-unsent'
          : refusals > 0
            ? 'issuance-refused'
            : 'issuance-escalated'
  }
}
