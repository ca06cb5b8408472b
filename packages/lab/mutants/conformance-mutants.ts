import type { Mutant } from './mutant.ts'

/**
 * Mutants of the reference services: of codes, statuses, messages, limits, header rules, conditions, sort orders and
 * effects.
 */
export const CONFORMANCE_MUTANTS: readonly Mutant[] = [
  {
    name: 'cash-0065-status',
    file: 'contracts/central/cash.ts',
    breaks: 'cash 0065 has status 400',
    find: "'0065': { status: 202, message: 'Exceeded daily redemption limit' }",
    put: "'0065': { status: 400, message: 'Exceeded daily redemption limit' }",
  },
  {
    name: 'cash-0051-message',
    file: 'contracts/central/cash.ts',
    breaks: 'cash 0051 has another message',
    find: "'0051': { status: 202, message: 'Insufficient reward miles' }",
    put: "'0051': { status: 202, message: 'Insufficient miles' }",
  },
  {
    name: 'issuance-232-status',
    file: 'contracts/central/issuance.ts',
    breaks: 'issuance 232 has status 202',
    find: "'232': { status: 400, message: 'Collector Account Deleted' }",
    put: "'232': { status: 202, message: 'Collector Account Deleted' }",
  },
  {
    name: 'day-limit',
    file: 'packages/central/cash/rules.ts',
    breaks: 'the daily limit is $760',
    find:
      'if (status.redeemedTodayCents + askedCents > DAILY_REDEMPTION_LIMIT_CENTS) return { ' +
      "kind: 'decline', code: '0065' }",
    put:
      'if (status.redeemedTodayCents + askedCents > DAILY_REDEMPTION_LIMIT_CENTS + 1_000) return { kind: ' +
      "'decline', code: '0065' }",
  },
  {
    name: 'offer-units-uncounted',
    file: 'packages/central/cash/rules.ts',
    breaks: "the offer's daily units are not counted",
    find: "if (status.redeemedUnits + units > offer.dailyUnitLimit) return { kind: 'decline', code: " + "'0065' }",
    put: "if (status.redeemedUnits + units > 10 * offer.dailyUnitLimit) return { kind: 'decline', code: '0065' }",
  },
  {
    name: 'whole-purchase-refused',
    file: 'packages/central/cash/rules.ts',
    breaks: 'a redemption equal to the purchase is refused',
    find: "if (askedCents > basketCents) return { kind: 'decline', code: '0066' }",
    put: "if (askedCents >= basketCents) return { kind: 'decline', code: '0066' }",
  },
  {
    name: 'reversal-hour',
    file: 'packages/central/cash/cash.ts',
    breaks: 'the reversal window ends at four',
    find: 'const REVERSAL_HOUR = 3',
    put: 'const REVERSAL_HOUR = 4',
  },
  {
    name: 'keyed-card-redeems',
    file: 'packages/central/cash/cash.ts',
    breaks: 'a keyed card can redeem',
    find: `const { now } = caller
const timeZone = timeZoneOf(ctx, request)
const echoed = echoOf(request, now, timeZone)
if (request.cardEntryMode === 'KEYED') return cashAnswer('0009', echoed)`,
    put: `const { now } = caller
const timeZone = timeZoneOf(ctx, request)
const echoed = echoOf(request, now, timeZone)
;`,
  },
  {
    name: 'offer-always-returned',
    file: 'packages/central/cash/cash.ts',
    breaks: 'the offer is returned regardless of balance and daily limit',
    find: "const redeemable = code !== '0051' && availabilityOf(status).units > 0",
    put: 'const redeemable = true',
  },
  {
    name: 'echo-without-no-cache',
    file: 'packages/central/cash/cash.routes.ts',
    breaks: 'ECHO does not require cache-control',
    find: 'headers: NO_CACHE',
    put: '...{}',
  },
  {
    name: 'key-with-other-body',
    file: 'packages/central/http/call.ts',
    breaks: 'another body under a used key is executed',
    find: `if (stored && stored.fingerprint !== fingerprint)
return await refused(
  call.refuse([{ path: 'Idempotency-Key', message: 'was used before with another request' }], body),
)`,
    put: ';',
  },
  {
    name: 'duplicate-without-key',
    file: 'packages/central/http/stored-answers.ts',
    breaks: 'without a key no duplicate is found',
    find: "return repeats === 'content' || repeats === 'key-or-content' ? `content:${fingerprint}` : " + 'undefined',
    put: "return repeats === 'content' ? `content:${fingerprint}` : undefined",
  },
  {
    name: 'history-of-three-years',
    file: 'contracts/central/history.ts',
    breaks: 'a history may span three years',
    find: 'const TWO_YEARS = 2',
    put: 'const TWO_YEARS = 3',
  },
  {
    name: 'parallel-executed',
    file: 'packages/central/http/call.ts',
    breaks: 'a parallel transaction is executed',
    find: 'if (ctx.busyCollectors.has(collector)) return await refused(call.busy(body))',
    put: ';',
  },
  {
    name: 'lost-response-not-cancelled',
    file: 'packages/central/http/call.ts',
    breaks: 'a redemption remains although its response was lost',
    find: `if (!received && decision.cancel) {
  await ctx.commit(decision.cancel)
  request.log.warn({ path: call.path }, 'the answer could not be returned: the redemption was cancelled')
}`,
    put: 'void received',
  },
  {
    name: 'location-of-five',
    file: 'contracts/central/issuance.ts',
    breaks: 'a location code may have five characters',
    find: `items: z.array(BasketItem).optional(),
locationCode: z
  .string()
  .regex(/^[A-Za-z0-9]{1,4}$/)
  .optional()`,
    put: `items: z.array(BasketItem).optional(),
locationCode: z.string().regex(/^[A-Za-z0-9]{1,5}$/).optional()`,
  },
  {
    name: 'bonus-by-lines',
    file: 'packages/central/issuance/earning.ts',
    breaks: 'an item bonus counts lines, not pieces',
    find: `0,
matching.reduce((count, item) => count + item.quantity`,
    put: `0,
matching.reduce((count, item) => count + (item.quantity > 0 ? 1 : 0)`,
  },
  {
    name: 'list-of-97',
    file: 'packages/central/offers/query.ts',
    breaks: 'the list shows at most 97',
    find: 'limit: whole(1, 96).default(20)',
    put: 'limit: whole(1, 97).default(20)',
  },
  {
    name: 'availability-of-all',
    file: 'packages/central/offers/query.ts',
    breaks: 'values of availability are ANDed',
    find:
      'availability && ((offer: StoredOffer) => availability.some((place) => ' + 'offer.availability.includes(place)))',
    put: 'availability && ((offer: StoredOffer) => availability.every((place) => offer.availability.includes(place)))',
  },
  {
    name: 'region-offer-withheld',
    file: 'packages/central/offers/query.ts',
    breaks: 'err-region returns no offer',
    find: "'err-region': { returned: true, message: 'This offer is not for this region' }",
    put: "'err-region': { returned: false, message: 'This offer is not for this region' }",
  },
  {
    name: 'posted-at-transaction',
    file: 'packages/central/history/activities.ts',
    breaks: 'a history shows the transaction date as the posting date',
    find: 'postingDate: new Date(movement.postedAt).toISOString()',
    put: 'postingDate: new Date(movement.transactedAt).toISOString()',
  },
  {
    name: 'history-without-channel',
    file: 'packages/central/http/declare.ts',
    breaks: 'a history is returned without Channel-Code',
    find: "'Channel-Code': header('is required', (value) => value !== '', 'The calling channel', 'POS')",
    put: '...{}',
  },
  {
    name: 'sponsor-list-ignored',
    file: 'packages/central/history/history.sql.ts',
    breaks: 'a history ignores sponsorList',
    find: 'sponsors: sponsorList ? JSON.stringify(sponsorList) : null',
    put: 'sponsors: null',
  },
  {
    name: 'least-popular-first',
    file: 'packages/central/offers/query.ts',
    breaks: 'the least popular offer comes first',
    find: 'regionRelevance: (a, b) => (b.popularity[region] ?? 0) - (a.popularity[region] ?? 0)',
    put: 'regionRelevance: (a, b) => (a.popularity[region] ?? 0) - (b.popularity[region] ?? 0)',
  },
  {
    name: 'preferences-ignored',
    file: 'packages/central/offers/query.ts',
    breaks: "the collector's preferences are ignored",
    find: 'collectorRelevance: (a, b) => liking(a) - liking(b)',
    put: 'collectorRelevance: () => 0',
  },
  {
    name: 'partner-priorities-reversed',
    file: 'packages/central/offers/query.ts',
    breaks: 'partner priorities are reversed',
    find: `const byPriorities: Order = (a, b) =>
a.partnerPriority - b.partnerPriority || a.displayPriority - b.displayPriority || text(a.id, b.id)`,
    put:
      'const byPriorities: Order = (a, b) => b.partnerPriority - a.partnerPriority || a.displayPriority - ' +
      'b.displayPriority || text(a.id, b.id)',
  },
  {
    name: 'one-midnight',
    file: 'packages/central/cash/cash.ts',
    breaks: 'the day begins at the same midnight in every time zone',
    find: 'startOfDay(now, timeZone)',
    put: "startOfDay(now, 'America/Toronto')",
  },
  {
    name: 'units-by-the-day',
    file: 'packages/central/cash/cash.sql.ts',
    breaks: 'the units of an offer are counted per calendar day',
    find: 'dayAgo: now - DAY_MS',
    put: 'dayAgo: midnight',
  },
  {
    name: 'cancelled-counts',
    file: 'packages/central/cash/cash.sql.ts',
    breaks: 'a cancelled redemption counts towards the daily limit',
    find: "AND state = 'applied'`",
    put: "AND state <> 'reversed'`",
  },
  {
    name: 'clock-change-ignored',
    file: 'packages/central/clock.ts',
    breaks: 'clock changes are ignored',
    find:
      'for (let round = 0; round < 2; round += 1) instant = wanted - wallTime(instant, ' +
      'timeZone).offsetMinutes * 60_000',
    put: ';',
  },
  {
    name: 'revoked-token-valid',
    file: 'packages/central/identity/artifacts.ts',
    breaks: 'a revoked token stays valid',
    find: 'rows.remove(model, id)',
    put: ';',
  },
  {
    name: 'second-sort-ignored',
    file: 'packages/central/offers/offer-state.ts',
    breaks: 'FIND ignores its second sort',
    find: 'by(secondSortBy, secondSortByDescending, a, b)',
    put: '0',
  },
]
