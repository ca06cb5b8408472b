import type { Mutant } from './marks.ts'

/** Rules of every kind: codes, statuses, messages, limits, header rules, conditions, orders, effects. */
export const CONFORMANCE_MUTANTS: readonly Mutant[] = [
  {
    mark: 'cash-0065-status',
    breaks: 'cash 0065 has status 400',
    put: "'0065': { status: 400, message: 'Exceeded daily redemption limit' }",
  },
  {
    mark: 'cash-0051-words',
    breaks: 'cash 0051 has other words',
    put: "'0051': { status: 202, message: 'Insufficient miles' }",
  },
  {
    mark: 'issuance-232-status',
    breaks: 'issuance 232 is answered by 202',
    put: "'232': { status: 202, message: 'Collector Account Deleted' }",
  },
  {
    mark: 'day-limit',
    breaks: 'the day has $760',
    put:
      'if (standing.redeemedTodayCents + askedCents > DAILY_REDEMPTION_LIMIT_CENTS + 1_000) return { kind: ' +
      "'decline', code: '0065' }",
  },
  {
    mark: 'offer-units-uncounted',
    breaks: "the offer's daily units are not counted",
    put: "if (standing.redeemedUnits + units > 10 * offer.dailyUnitLimit) return { kind: 'decline', code: '0065' }",
  },
  {
    mark: 'whole-purchase-refused',
    breaks: 'a redemption equal to the purchase is refused',
    put: "if (askedCents >= basketCents) return { kind: 'decline', code: '0066' }",
  },
  { mark: 'reversal-hour', breaks: 'the reversal window ends at four', put: 'const REVERSAL_HOUR = 4' },
  { mark: 'keyed-redeems', breaks: 'a keyed card redeems', put: ';' },
  {
    mark: 'offer-always-told',
    breaks: 'the offer is told whatever the balance and the day',
    put: 'const redeemable = true',
  },
  { mark: 'echo-without-no-cache', breaks: 'ECHO needs no cache-control', put: '...{}' },
  { mark: 'key-with-other-body', breaks: 'another body under a used key is executed', put: ';' },
  {
    mark: 'duplicate-without-key',
    breaks: 'without a key no duplicate is found',
    put: "return repeats === 'content' ? `content:${fingerprint}` : undefined",
  },
  { mark: 'history-of-three-years', breaks: 'a history may span three years', put: 'const TWO_YEARS = 3' },
  { mark: 'parallel-goes-on', breaks: 'a parallel transaction goes on', put: ';' },
  { mark: 'lost-answer-kept', breaks: 'a returned answer that was lost keeps its redemption', put: 'void received' },
  {
    mark: 'location-of-five',
    breaks: 'a location code may have five characters',
    put: 'locationCode: z.string().regex(/^[A-Za-z0-9]{1,5}$/).optional()',
  },
  {
    mark: 'bonus-by-lines',
    breaks: 'an item bonus counts lines, not pieces',
    put: 'count + (item.quantity > 0 ? 1 : 0)',
  },
  { mark: 'list-of-97', breaks: 'the list shows at most 97', put: 'limit: whole(1, 97).default(20)' },
  {
    mark: 'availability-of-all',
    breaks: 'values of availability are ANDed',
    put: 'availability && ((offer: StoredOffer) => availability.every((place) => offer.availability.includes(place)))',
  },
  {
    mark: 'region-kept-back',
    breaks: 'err-region keeps the offer back',
    put: "'err-region': { returned: false, message: 'This offer is not for this region' }",
  },
  {
    mark: 'posted-when-asked',
    breaks: 'a history is posted when it is asked for',
    put: 'postingDate: new Date(movement.transactedAt).toISOString()',
  },
  { mark: 'history-without-channel', breaks: 'a history without Channel-Code is told', put: '...{}' },
  { mark: 'sponsor-list-ignored', breaks: 'a history does not look at sponsorList', put: 'sponsors: null' },
  {
    mark: 'least-popular-first',
    breaks: 'the least popular offer comes first',
    put: 'regionRelevance: (a, b) => (a.popularity[region] ?? 0) - (b.popularity[region] ?? 0)',
  },
  {
    mark: 'preferences-ignored',
    breaks: 'what a collector likes is not looked at',
    put: 'collectorRelevance: () => 0',
  },
  {
    mark: 'partner-priorities-reversed',
    breaks: 'partner priorities are turned round',
    put:
      'const byPriorities: Order = (a, b) => b.partnerPriority - a.partnerPriority || a.displayPriority - ' +
      'b.displayPriority || text(a.id, b.id)',
  },
  {
    mark: 'one-midnight',
    breaks: 'the day begins at one midnight for all',
    put: "startOfDay(now, 'America/Toronto')",
  },
  { mark: 'units-by-the-day', breaks: 'the units of an offer count by the day', put: 'dayAgo: midnight' },
  {
    mark: 'cancelled-counts',
    breaks: 'a cancelled redemption counts against the day',
    put: `\`
  SELECT coalesce(sum(units * unit_cents) FILTER (WHERE transacted_at >= @midnight), 0) AS cents,
         coalesce(sum(units) FILTER (WHERE offer_id = @offerId AND transacted_at > @dayAgo), 0) AS units
    FROM redemption
   WHERE collector_number = @collectorNumber AND transacted_at BETWEEN min(@midnight, @dayAgo) AND @now
   AND state <> 'reversed'\``,
  },
  { mark: 'clock-change-ignored', breaks: 'a change of the clocks is not looked at', put: ';' },
  { mark: 'revoked-token-stands', breaks: 'a revoked token stands', put: ';' },
  { mark: 'second-sort-ignored', breaks: 'FIND does not look at its second sort', put: '0' },
]
