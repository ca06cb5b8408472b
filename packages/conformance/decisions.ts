/**
 * Where a specification does not say it, or says that it is not shown: decided or assumed here once, for every service
 * alike.
 */
export interface Decision {
  readonly section: string
  readonly point: string
  readonly decided: string
  /** Ids of the checks that rest on it; a star stands for any characters. */
  readonly checks: readonly string[]
}

export const DECISIONS: readonly Decision[] = [
  {
    section: '3 §4.1',
    point: 'an Idempotency-Key on calls that do not accept one (ECHO, INQUIRE, RECORD)',
    decided: 'assumed: it is not read. §4.1 says only which calls accept it',
    checks: ['cash.echo.no-key', 'cash.inquire.no-key', 'idempotency.record.key'],
  },
  {
    section: '3 §4.1',
    point: 'duplicates without a key: "this does not guarantee idempotency and is a last resort"',
    decided: 'an identical request with an identical timestamp is not executed twice',
    checks: ['idempotency.*.content'],
  },
  {
    section: '3 §2.4',
    point: '"Response fields: the request fields, plus ...", where empty ones are left out',
    decided: 'assumed: INQUIRE returns every field of its request that is not empty',
    checks: ['cash.inquire.echoes'],
  },
  {
    section: '3 §2.1, §4.2',
    point: 'a RETURN whose `originalTransactionId` names no issue',
    decided: '400, and no miles move',
    checks: ['issuance.return.unknown'],
  },
  {
    section: '1 §4.1',
    point: 'the texts that Accept-Language chooses',
    decided: 'assumed: `legalText` is in the language asked for',
    checks: ['offers.one.language'],
  },
  {
    section: '1 §4.2, §8',
    point: 'an offset below zero',
    decided: 'assumed: refused, 400. §8 says only that it is an integer and counts offers',
    checks: ['offers.offset.-1'],
  },
  {
    section: '2 §4.1, §4.2',
    point: 'headers that are listed without "required": Content-Type on every call, those without a body too',
    decided: 'required: it has one value for all. Without it, or with another: 400',
    checks: ['offer-state.*.content-type.*', 'history.*.content-type.*', 'offer-state.put.required.content-type'],
  },
  {
    section: '2 §4.1, §4.2',
    point: 'Channel-Code',
    decided:
      'required: "the response differs per channel", so that there is none without a channel. Which channels ' +
      'there are is not shown: any is taken',
    checks: ['offer-state.health.channel-code.*', 'history.*.channel-code.*'],
  },
  {
    section: '1 §4.1, 2 §4.1, §4.2',
    point: 'headers that choose a form of the answer: Accept-Language, Accept',
    decided: 'may be left out: English, JSON. A value that is not listed is refused: 400',
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
    decided: '"not on PUT": refused',
    checks: ['offers.states.language'],
  },
  {
    section: '1 §4.1, §5',
    point: "Collector-Number without a token, or of nobody; a machine's token alone, or on PUT",
    decided:
      'refused: "must be sent only with a machine-to-machine token", which is for reads. Alone it sees what ' +
      'the public sees',
    checks: [
      'offers.public.collector-number',
      'offers.partner.collector.unknown',
      'offers.partner.alone',
      'offers.states.partner',
    ],
  },
  {
    section: '1 §5',
    point: 'an invalid token where none is required',
    decided: 'refused, not taken for none',
    checks: ['offers.token.invalid', 'offers.one.token.invalid'],
  },
  {
    section: '1 §4.1',
    point: 'the shape of X-Correlation-Id and X-Origin-Client',
    decided: 'another shape is refused',
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
    point: 'Content-Type of answers, and of PUT /offers/{id}/states',
    decided: 'application/json; another one is refused',
    checks: ['offers.json', 'offers.states.content-type*'],
  },
  {
    section: '1 §4.2',
    point: 'values of a parameter that are none of its type or its list',
    decided: 'refused, not passed over',
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
    point: 'event_based, experiment, exclude_partner_id: "types and allowed values: not shown"; the two types of offer',
    decided: 'a boolean, a word, ids of partners; no offer is of both types',
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
    point: 'what the orders go by: offer priority, popularity, preferences, several sorts',
    decided:
      "`displayPriority` upward is the priority; relevances by the bench's lists, and another region has " +
      'another order; a second sort decides where the first does not',
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
    point: 'one offer beside the list, and PUT for an offer that is none',
    decided: 'the same fields in both; a client error',
    checks: ['offers.one.same', 'offers.states.unknown'],
  },
  {
    section: '1 §2.3',
    point: 'sums over the counts of the metadata',
    decided: 'those of the partners make `total`',
    checks: ['offers.metadata.counts.*'],
  },
  {
    section: '2 §4.1',
    point:
      'parameters of FIND and COUNT: "the grammar of `state`, formats of `partnerId` and `region`", sort ' +
      'fields and pages are not shown',
    decided: '`<name>:<value>`, UUID, region code; the fields of `findSorts`; pages from zero. Anything else: 400',
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
    point: 'the shape of x-local-time, x-origin-client and offerId',
    decided: 'a zone, another shape, no UUID: 400',
    checks: [
      'offer-state.*.local-time',
      'offer-state.*.origin',
      'offer-state.get.uuid',
      'offer-state.put.bad.offer-id',
    ],
  },
  {
    section: '2 §3, §4.1',
    point: 'values of the write beyond the two moves, the same move again, an offer that is none',
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
    point: 'paths with another version segment, and paths that are no operation',
    decided: '404',
    checks: ['offer-state.version', 'bad-input.version', 'bad-input.path'],
  },
  {
    section: '2 §4.2',
    point: 'page, size, sort and ranges of a history that are out of order',
    decided:
      'a page below zero, a size of nothing, an unknown field, a missing direction, a range that ends before ' +
      'it begins: 400. Times without a zone are taken',
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
    point: 'the fields that a history sorts by',
    decided: 'every field of the record',
    checks: ['history.sort.field.*', 'history.sort.order'],
  },
  {
    section: '2 §2.3',
    point: '`next` of the last page',
    decided: 'left out, as everything that is empty',
    checks: ['history.page.last'],
  },
  {
    section: '2 §2.3',
    point: 'what the fields of an activity record hold',
    decided:
      'all that the record lists; cash and dream make the value, ratios are shares; a redemption and its ' +
      'reversal are two records with the confirmation number; `cardNumber` ends as the number; ' +
      '`balancePostTransaction` is cash and dream',
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
    point: 'which date the range is over',
    decided: '`transactionDate`, both ends included',
    checks: ['history.range.edges'],
  },
  {
    section: '2 §5',
    point: "who may ask for a collector's history",
    decided: 'a partner for anybody, a member for themselves',
    checks: ['history.sponsors.member.other', 'history.cards.partner'],
  },
  {
    section: '3 §4',
    point: 'Content-Type of the checkout calls',
    decided: 'required on all: 0035, or 400 with responseCode; a charset may stand beside it',
    checks: ['cash.*.content-type*', 'issuance.*.content-type*'],
  },
  {
    section: '3 §4, §4.1, §5',
    point: 'headers that come twice, an Idempotency-Key without a character or with 300',
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
    point: 'bodies that are too large or too deep, and bytes that are no UTF-8',
    decided: '400 or 413, with responseCode',
    checks: ['bad-input.*.huge', 'bad-input.*.deep', 'bad-input.*.bytes'],
  },
  {
    section: '3 §4.5',
    point: '`cache-control: no-cache` of ECHO',
    decided: 'required: "ECHO headers also include" it',
    checks: ['cash.echo.no-cache'],
  },
  {
    section: '3 §5',
    point: 'tokens that are ended at the identity provider, and the words of a refusal',
    decided: 'refused from then on (RFC 7009); `message` speaks of the token',
    checks: ['token.revoked.*', 'token.message'],
  },
  {
    section: '3 §2.4',
    point: 'a number that was keyed or read in an unknown way, at INQUIRE',
    decided: '0009; an unknown mode 0009 or 0035',
    checks: ['cash.inquire.mode.keyed', 'cash.inquire.mode.unknown'],
  },
  {
    section: '3 §7.2',
    point: 'the code of a number that does not have 11 digits from 8 on; of a deleted account; of an unknown sponsor',
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
    point: '`availableDollarAmount` and `availableOfferUnits`',
    decided: 'whole units of `availableCashBalance`, within `dailyOfferLimit` and the day',
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
    point: 'dollar amounts of the cash service',
    decided:
      'below nothing, in another JSON type, with a third decimal: 0035; of zero to redeem, or of no whole ' +
      'unit, too. A purchase of $0.00 may be inquired about',
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
    point: 'what a request says that is empty',
    decided: 'taken as if it were left out',
    checks: ['cash.inquire.nothing-empty.sent', 'issuance.*.nothing-empty.sent'],
  },
  {
    section: '3 §7.2',
    point: 'a redemption of more than the purchase',
    decided: '0066, not a smaller redemption',
    checks: ['cash.redeem.0066'],
  },
  {
    section: '3 §8',
    point: 'the day of the $750',
    decided: 'the calendar day at the store that asks, over all sponsors; a reversal gives its dollars back',
    checks: ['cash.redeem.limit.midnight.*', 'cash.redeem.limit.reversal'],
  },
  {
    section: '3 §2.4, §8',
    point: '`dailyOfferLimit`',
    decided: '"units per 24 hours": the 24 hours before the call',
    checks: ['cash.redeem.limit.24-hours'],
  },
  {
    section: '3 §3',
    point: 'the zone of "3:00 AM the day after"',
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
    point: 'fields and codes of REVERSE (cash): not shown',
    decided:
      "those of REDEEM and `txnConfirmationNumber`; 0001 where balances are suppressed, 0057 for another's or " +
      "a second one, 0025 for nobody's",
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
    point: 'fields of POST and POST/EVENT: not shown',
    decided: 'as REVERSE and REVERSE/EVENT show them',
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
    point: 'amounts and quantities below nothing',
    decided:
      'refused: 400. Returned goods are told as they were sold, the call says the direction. An amount of zero ' +
      'is an amount; a quantity is one or more',
    checks: ['issuance.*.amount.*', 'issuance.*.quantity.*', 'issuance.*.item.negative', 'issuance.issue.free'],
  },
  {
    section: '3 §2.1, §2.2',
    point: 'values in another JSON type, a `finalAmount` that is not the product, a location code in another shape',
    decided: 'refused: 400, before 202 could say that it is not found',
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
    point: 'the sign of `milesAmount` in requests',
    decided:
      'POST and POST/EVENT: one mile or more, else 400. REVERSE and REVERSE/EVENT: the miles to withdraw with ' +
      'either sign, zero is 400',
    checks: ['issuance.*.miles.0', 'issuance.*.miles.-4', 'issuance.reverse.miles.sign'],
  },
  {
    section: '3 §2.3',
    point: 'the sign of `milesAmount` in the answer of RETURN',
    decided: 'negative; the bench tells another (`returnMiles`)',
    checks: ['issuance.return.sign'],
  },
  {
    section: '3 §4.2',
    point: 'how miles are calculated',
    decided:
      "whole steps of the pre-tax total, pieces, what a department's or category's items cost, once per " +
      'coupon: the rules of the bench. A return in parts withdraws what the rest no longer earns',
    checks: ['issuance.earn.*', 'issuance.return.part'],
  },
  {
    section: '3 §4.2',
    point: "a basket that is returned twice, or another collector's",
    decided: '400',
    checks: ['issuance.return.twice', 'issuance.return.other'],
  },
  {
    section: '3 §4.1, §4.2',
    point: 'the key of a request that was refused',
    decided: 'free: the corrected record may have it',
    checks: ['issuance.issue.400.key'],
  },
  {
    section: '3 §4.1',
    point: 'what a repetition hears, and a key that comes with another request',
    decided:
      'the same bytes, declines too; another body or another call under a known key is refused. Another key is ' +
      'another transaction',
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
/** Whether a check's id is meant by a pattern of a decision. */
export function meant(pattern: string, id: string): boolean {
  const expression = compiled.get(pattern) ?? new RegExp(`^${pattern.split('*').map(escaped).join('.*')}$`)
  compiled.set(pattern, expression)
  return expression.test(id)
}

const known = new Map<string, Decision | undefined>()
/** The decision that a check rests on; undefined: it shows what a specification says. */
export function decisionOf(id: string): Decision | undefined {
  if (!known.has(id))
    known.set(
      id,
      DECISIONS.find(({ checks }) => checks.some((pattern) => meant(pattern, id))),
    )
  return known.get(id)
}
