/** One rule of the reference services, broken: in `file`, `find` (which stands there exactly once) becomes `put`. */
export interface Mutation { readonly name: string, readonly file: string, readonly find: string, readonly put: string }

/** Twenty rules of every kind: codes, statuses, messages, limits, header rules, conditions, orders, effects. */
export const MUTATIONS: readonly Mutation[] = [
  { name: 'cash 0065 has status 400', file: 'contracts/central/cash.ts', find: "'0065': { status: 202,", put: "'0065': { status: 400," },
  { name: 'cash 0051 has other words', file: 'contracts/central/cash.ts', find: 'Insufficient reward miles', put: 'Insufficient miles' },
  { name: 'issuance 232 is answered by 202', file: 'contracts/central/issuance.ts', find: "'232': { status: 400,", put: "'232': { status: 202," },
  { name: 'the day has $760', file: 'central/cash/rules.ts', find: 'askedCents > DAILY_REDEMPTION_LIMIT_CENTS)', put: 'askedCents > DAILY_REDEMPTION_LIMIT_CENTS + 1_000)' },
  { name: 'the offer\'s daily units are not counted', file: 'central/cash/rules.ts', find: 'standing.redeemedUnits + units > offer.dailyUnitLimit', put: 'standing.redeemedUnits + units > 10 * offer.dailyUnitLimit' },
  { name: 'a redemption equal to the purchase is refused', file: 'central/cash/rules.ts', find: 'askedCents > basketCents', put: 'askedCents >= basketCents' },
  { name: 'the reversal window ends at four', file: 'central/cash/service.ts', find: 'REVERSAL_HOUR = 3', put: 'REVERSAL_HOUR = 4' },
  { name: 'a keyed card redeems', file: 'central/cash/service.ts', find: "const timeZone = program.timeZoneOfStore(request.sponsorCode, request.storeId)\n      const echo = { ...request, ...stamp(now, timeZone) }\n      if (request.cardEntryMode === 'KEYED')", put: "const timeZone = program.timeZoneOfStore(request.sponsorCode, request.storeId)\n      const echo = { ...request, ...stamp(now, timeZone) }\n      if (request.cardEntryMode === 'NEVER' as string)" },
  { name: 'the offer is told whatever the balance and the day', file: 'central/cash/service.ts', find: "const redeemable = code !== '0051' && availabilityOf(standing).units > 0", put: 'const redeemable = true' },
  { name: 'ECHO needs no cache-control', file: 'central/cash/routes.ts', find: ", checkHeaders: noCache", put: '' },
  { name: 'another body under a used key is executed', file: 'central/http/call.ts', find: 'stored && stored.fingerprint !== fingerprint', put: 'stored && stored.fingerprint === undefined' },
  { name: 'without a key no duplicate is found', file: 'central/idempotency/stored-answers.ts', find: "repeats === 'content' || repeats === 'key-or-content' ?", put: "repeats === 'content' ?" },
  { name: 'a history may span three years', file: 'contracts/central/history.ts', find: 'const TWO_YEARS = 2', put: 'const TWO_YEARS = 3' },
  { name: 'a parallel transaction goes on', file: 'central/http/call.ts', find: 'if (desk.busyCollectors.has(collector))', put: 'if (desk.busyCollectors.has(`not ${collector}`))' },
  { name: 'a returned answer that was lost keeps its redemption', file: 'central/http/call.ts', find: 'if (!heard && decision.cancel)', put: 'if (!decision && decision.cancel)' },
  { name: 'a location code may have five characters', file: 'contracts/central/issuance.ts', find: "tender: z.array(z.string()).optional(),\n}", put: "tender: z.array(z.string()).optional(),\n  ...{ locationCode: z.string().regex(/^[A-Za-z0-9]{1,5}$/).optional() },\n}" },
  { name: 'an item bonus counts lines, not pieces', file: 'central/issuance/earning.ts', find: 'count + item.quantity', put: 'count + 1' },
  { name: 'the list shows at most 97', file: 'central/offers/query.ts', find: 'whole(1, 96)', put: 'whole(1, 97)' },
  { name: 'values of availability are ANDed', file: 'central/offers/query.ts', find: 'availability.some(', put: 'availability.every(' },
  { name: 'err-region keeps the offer back', file: 'central/offers/warnings.ts', find: "'err-region': { returned: true", put: "'err-region': { returned: false" },
]
