/**
 * A point that a specification leaves open or does not show, and the decision or assumption that applies to every
 * service.
 */
export interface Decision {
  readonly section: string
  readonly point: string
  readonly decided: string
  readonly checks: readonly string[]
}

export const DECISIONS: readonly Decision[] = [
  {
    section: '3 §4.1',
    point: 'Idempotency-Key on ECHO, INQUIRE and RECORD',
    decided: 'ignored',
    checks: ['cash.echo.no-key', 'cash.inquire.no-key', 'idempotency.record.key'],
  },
  {
    section: '3 §4.1',
    point: 'duplicates without a key',
    decided: 'an identical request with the same timestamp runs once',
    checks: ['idempotency.*.content'],
  },
  {
    section: '3 §2.4',
    point: 'empty request fields in the answer of INQUIRE',
    decided: 'left out; all others are returned',
    checks: ['cash.inquire.echoes'],
  },
  {
    section: '3 §2.1, §4.2',
    point: 'RETURN with an unknown `originalTransactionId`',
    decided: '400, no miles move',
    checks: ['issuance.return.unknown'],
  },
  {
    section: '1 §4.1',
    point: 'texts in the language of Accept-Language',
    decided: '`legalText`',
    checks: ['offers.one.language'],
  },
  {
    section: '1 §4.2, §8',
    point: 'a negative offset',
    decided: '400',
    checks: ['offers.offset.-1'],
  },
  {
    section: '2 §4.1, §4.2',
    point: 'Content-Type, listed without "required"',
    decided: 'required on every call; missing or other: 400',
    checks: ['offer-state.*.content-type.*', 'history.*.content-type.*', 'offer-state.put.required.content-type'],
  },
  {
    section: '2 §4.1, §4.2',
    point: 'Channel-Code',
    decided: 'required; every value is accepted',
    checks: ['offer-state.health.channel-code.*', 'history.*.channel-code.*'],
  },
  {
    section: '1 §4.1, 2 §4.1, §4.2',
    point: 'missing Accept-Language or Accept',
    decided: 'English, JSON; an unlisted value: 400',
    checks: [
      'offers.language.missing',
      'offers.language.other',
      'offers.one.language.other',
      'offer-state.health.language*',
      'history.*.language*',
      'offer-state.put.accept.*',
    ],
  },
  {
    section: '1 §4.1',
    point: 'Accept-Language on PUT',
    decided: 'refused',
    checks: ['offers.states.language'],
  },
  {
    section: '1 §4.1, §5',
    point: 'Collector-Number of an unknown collector, without a token, or on PUT; a machine token alone',
    decided: 'refused; alone it reads public offers',
    checks: [
      'offers.public.collector-number',
      'offers.partner.collector.unknown',
      'offers.partner.alone',
      'offers.states.partner',
    ],
  },
  {
    section: '1 §5',
    point: 'an invalid token on a public call',
    decided: 'refused',
    checks: ['offers.token.invalid', 'offers.one.token.invalid'],
  },
  {
    section: '1 §4.1',
    point: 'form of X-Correlation-Id and X-Origin-Client',
    decided: 'another form is refused',
    checks: [
      'offers.correlation.shape',
      'offers.origin.milepost',
      'offers.origin.pos:milepost',
      'offers.origin.sideways:pos:milepost',
      'offers.origin.internal::milepost',
      'offers.one.origin.shape',
    ],
  },
  {
    section: '1 §4.1, §4.4',
    point: 'Content-Type of answers and of PUT',
    decided: 'application/json; others are refused',
    checks: ['offers.json', 'offers.states.content-type*'],
  },
  {
    section: '1 §4.2',
    point: 'invalid or unlisted parameter values',
    decided: 'refused',
    checks: [
      'offers.filter.*.uuid',
      'offers.filter.*.unknown',
      'offers.filter.*.bad',
      'offers.filter.promotion_id.single',
      'offers.filter.*.public',
      'offers.states.filter.*',
      'offers.metadata.boolean',
      'offers.sort.unknown',
      'offers.page.offset.empty',
      'offers.page.limit.*',
      'offers.page.offset.twice',
    ],
  },
  {
    section: '1 §4.2',
    point: '`event_based`, `experiment`, `exclude_partner_id`, offer types',
    decided: 'boolean; text; partner ids; each offer has one type',
    checks: [
      'offers.filter.event_based*',
      'offers.filter.experiment*',
      'offers.filter.exclude_partner_id',
      'offers.metadata.counts.event_based',
      'offers.metadata.counts.experiment',
      'offers.metadata.counts.exclude_partner_id',
      'offers.filter.type.one',
    ],
  },
  {
    section: '1 §4.2',
    point: 'order of offers',
    decided: '`displayPriority` ascending; relevance by the bench; a second sort breaks ties',
    checks: [
      'offers.sort.default.priorities',
      'offers.sort.endingSoon.priorities',
      'offers.sort.regionRelevance.region',
      'offers.sort.collectorRelevance.order',
      'offers.sort.several',
    ],
  },
  {
    section: '1 §4.3, §4.4',
    point: 'one offer compared to the list; PUT for an unknown offer',
    decided: 'same fields; 4xx',
    checks: ['offers.one.same', 'offers.states.unknown'],
  },
  {
    section: '1 §2.3',
    point: 'totals of the metadata',
    decided: 'partner counts add up to `total`',
    checks: ['offers.metadata.counts.*'],
  },
  {
    section: '2 §4.1',
    point: 'parameters of FIND and COUNT',
    decided: '`<name>:<value>`, UUID, region code, `findSorts`, pages from zero; others: 400',
    checks: [
      'offer-state.find.state.*',
      'offer-state.find.partner',
      'offer-state.find.partnerId.*',
      'offer-state.find.pages*',
      'offer-state.find.page.*',
      'offer-state.find.sort.*',
      'offer-state.find.region*',
      'offer-state.find.filters',
      'offer-state.count.state*',
      'offer-state.count.region.*',
      'offer-state.count.partnerId.*',
    ],
  },
  {
    section: '2 §4.1',
    point: 'form of x-local-time, x-origin-client and offerId',
    decided: 'a zone, another form, no UUID: 400',
    checks: [
      'offer-state.*.local-time',
      'offer-state.*.origin',
      'offer-state.get.uuid',
      'offer-state.put.bad.offer-id',
    ],
  },
  {
    section: '2 §3, §4.1',
    point: 'other state values; the same state again; an unknown offer',
    decided: '400; 204; 404',
    checks: [
      'offer-state.put.unsaved',
      'offer-state.put.bad.name',
      'offer-state.put.bad.value',
      'offer-state.put.same',
      'offer-state.put.unknown',
    ],
  },
  {
    section: '2 §9, 3 §9',
    point: 'another version segment, unknown paths',
    decided: '404',
    checks: ['offer-state.version', 'bad-input.version', 'bad-input.path'],
  },
  {
    section: '2 §4.2',
    point: 'invalid page, size, sort or range of a history',
    decided: '400; times without a zone are accepted',
    checks: [
      'history.*.bad.*',
      'history.*.sort.bad',
      'history.sort.direction',
      'history.*.backwards',
      'history.range.zone',
      'history.page.beyond',
    ],
  },
  {
    section: '2 §4.2',
    point: 'sort fields of a history',
    decided: 'every field of a record',
    checks: ['history.sort.field.*', 'history.sort.order'],
  },
  {
    section: '2 §2.3',
    point: '`next` on the last page',
    decided: 'left out',
    checks: ['history.page.last'],
  },
  {
    section: '2 §2.3',
    point: 'content of an activity record',
    decided: 'all listed fields; value is cash plus dream; a reversal is a second record',
    checks: [
      'history.record.fields',
      'history.record.sum',
      'history.record.ratios',
      'history.record.balance',
      'history.record.redeem',
      'history.record.reverse',
      'history.record.return',
      'history.record.posting*',
      'history.cards.own',
      'history.sponsors.other',
      'history.sponsors.unknown-sponsor',
    ],
  },
  {
    section: '2 §4.2',
    point: 'date of a history range',
    decided: '`transactionDate`, both ends included',
    checks: ['history.range.edges'],
  },
  {
    section: '2 §5',
    point: 'access to a history',
    decided: 'partners: every collector; members: their own',
    checks: ['history.sponsors.member.other', 'history.cards.partner'],
  },
  {
    section: '3 §4',
    point: 'Content-Type of checkout calls',
    decided: 'required: 0035, or 400 with responseCode; a charset is accepted',
    checks: ['cash.*.content-type*', 'issuance.*.content-type*'],
  },
  {
    section: '3 §4, §4.1, §5',
    point: 'repeated headers; Idempotency-Key with 0 or 300 characters',
    decided: 'refused',
    checks: [
      'cash.*.authorization.twice',
      'issuance.*.authorization.twice',
      'offers.authorization.twice',
      'bad-input.duplicate-key',
      'bad-input.empty-key',
      'bad-input.key-entropy',
    ],
  },
  {
    section: '3 §4',
    point: 'bodies that are too large, too deep or not UTF-8',
    decided: '400 or 413 with responseCode',
    checks: ['bad-input.*.huge', 'bad-input.*.deep', 'bad-input.*.bytes'],
  },
  {
    section: '3 §4.5',
    point: '`cache-control: no-cache` of ECHO',
    decided: 'required',
    checks: ['cash.echo.no-cache'],
  },
  {
    section: '3 §5',
    point: 'revoked tokens; message of a refusal',
    decided: 'refused (RFC 7009); the message names the token',
    checks: ['token.revoked.*', 'token.message'],
  },
  {
    section: '3 §2.4',
    point: 'INQUIRE with a keyed or unknown entry mode',
    decided: '0009; 0009 or 0035',
    checks: ['cash.inquire.mode.keyed', 'cash.inquire.mode.unknown'],
  },
  {
    section: '3 §7.2',
    point: 'invalid number; deleted account; unknown sponsor',
    decided: '0025; 0025 or 0002; 0035',
    checks: [
      'cash.inquire.number.*.code',
      'cash.redeem.number.*.code',
      'cash.inquire.deleted',
      'cash.inquire.sponsor',
      'cash.redeem.sponsor',
    ],
  },
  {
    section: '3 §2.4',
    point: '`availableDollarAmount`, `availableOfferUnits`',
    decided: 'whole units within balance, `dailyOfferLimit` and daily limit',
    checks: [
      'cash.inquire.units',
      'cash.inquire.units.special',
      'cash.inquire.offer-limit',
      'cash.inquire.near-limit.dollars',
      'cash.inquire.limit-used-dollars',
    ],
  },
  {
    section: '3 §2.4',
    point: 'invalid dollar amounts',
    decided: 'negative, other type, third decimal, or no whole unit: 0035; INQUIRE accepts $0.00',
    checks: [
      'cash.redeem.amount.zero',
      'cash.redeem.amount.unit',
      'cash.redeem.amount.strict',
      'cash.inquire.amount.strict',
      'cash.inquire.purchase.*',
      'cash.inquire.optional',
    ],
  },
  {
    section: '3 §1',
    point: 'empty request fields',
    decided: 'treated as missing',
    checks: ['cash.inquire.nothing-empty.sent', 'issuance.*.nothing-empty.sent'],
  },
  {
    section: '3 §7.2',
    point: 'redemption above the purchase',
    decided: '0066',
    checks: ['cash.redeem.0066'],
  },
  {
    section: '3 §8',
    point: 'day of the $750',
    decided: 'calendar day at the store, over all sponsors; a reversal frees its dollars',
    checks: ['cash.redeem.limit.midnight.*', 'cash.redeem.limit.reversal'],
  },
  {
    section: '3 §2.4, §8',
    point: '`dailyOfferLimit`',
    decided: '24 hours before the call',
    checks: ['cash.redeem.limit.24-hours'],
  },
  {
    section: '3 §3',
    point: 'zone of "3:00 AM the day after"',
    decided: "the store's",
    checks: [
      'cash.reverse.window.store',
      'cash.reverse.window.forward',
      'cash.reverse.window.back',
      'cash.reverse.window.night',
      'cash.reverse.window.before',
      'cash.reverse.window.after',
    ],
  },
  {
    section: '3 §4.5',
    point: 'fields and codes of cash REVERSE',
    decided: 'as REDEEM plus `txnConfirmationNumber`; 0001 suppressed, 0057 wrong or repeated, 0025 unknown',
    checks: [
      'cash.reverse.suppressed',
      'cash.reverse.0057.number',
      'cash.reverse.0057.other',
      'cash.reverse.twice.code',
      'cash.reverse.0025',
      'cash.reverse.refused.json',
    ],
  },
  {
    section: '3 §4.4',
    point: 'fields of POST and POST/EVENT',
    decided: 'as in REVERSE and REVERSE/EVENT',
    checks: [
      'issuance.post.required.*',
      'issuance.postEvent.required.*',
      'issuance.post.entry.*',
      'issuance.postEvent.entry.*',
      'issuance.post.refused.json',
      'issuance.postEvent.refused.json',
    ],
  },
  {
    section: '3 §2.1, §2.2',
    point: 'negative amounts and quantities',
    decided: '400, for returns too; amount zero is valid, quantity starts at one',
    checks: ['issuance.*.amount.*', 'issuance.*.quantity.*', 'issuance.*.item.negative', 'issuance.issue.free'],
  },
  {
    section: '3 §2.1, §2.2',
    point: 'other JSON types, a wrong `finalAmount`, an invalid location code',
    decided: '400 instead of 202',
    checks: [
      'issuance.issue.type.*',
      'issuance.entry.miles.text',
      'issuance.item.final',
      'issuance.issue.location.*',
      'issuance.entry.location',
    ],
  },
  {
    section: '3 §2.3, §4.4',
    point: 'sign of `milesAmount` in requests',
    decided: 'POST: positive; REVERSE: either sign; zero: 400',
    checks: ['issuance.*.miles.0', 'issuance.*.miles.-4', 'issuance.reverse.miles.sign'],
  },
  {
    section: '3 §2.3',
    point: 'sign of `milesAmount` in the answer of RETURN',
    decided: 'negative, or `returnMiles` of the bench',
    checks: ['issuance.return.sign'],
  },
  {
    section: '3 §4.2',
    point: 'calculation of miles',
    decided: 'rules of the bench; a partial return withdraws miles that the rest no longer earns',
    checks: ['issuance.earn.*', 'issuance.return.part'],
  },
  {
    section: '3 §4.2',
    point: 'a basket returned twice or by another collector',
    decided: '400',
    checks: ['issuance.return.twice', 'issuance.return.other'],
  },
  {
    section: '3 §4.1, §4.2',
    point: 'key of a refused request',
    decided: 'free for the corrected request',
    checks: ['issuance.issue.400.key'],
  },
  {
    section: '3 §4.1',
    point: 'repeated requests; a reused key',
    decided: 'identical answer, declines too; another request under the key is refused',
    checks: [
      'idempotency.*.replay.answer',
      'idempotency.*.content.answer',
      'idempotency.*.concurrent.answer',
      'idempotency.*.reused',
      'idempotency.redeem.decline',
      'idempotency.redeem.other-key',
      'idempotency.key.across',
    ],
  },
]

const escaped = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
const compiled = new Map<string, RegExp>()
export function matchesPattern(pattern: string, id: string): boolean {
  const expression = compiled.get(pattern) ?? new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`)
  compiled.set(pattern, expression)
  return expression.test(id)
}

const known = new Map<string, Decision | undefined>()
export function decisionOf(id: string): Decision | undefined {
  if (!known.has(id))
    known.set(
      id,
      DECISIONS.find(({ checks }) => checks.some((pattern) => matchesPattern(pattern, id))),
    )
  return known.get(id)
}
