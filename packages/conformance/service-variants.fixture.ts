import type { IncomingHttpHeaders } from 'node:http'

type Fields = Record<string, unknown>
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  sent: unknown
  status: number
  answer: unknown
  echoed?: Fields
  keyed?: true
}

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf).filter((one) => one !== undefined) : []

const AMOUNTS = [
  'basketPreTaxAmount',
  'basketPostTaxAmount',
  'basketGSTAmount',
  'basketHSTAmount',
  'basketPSTAmount',
  'basketQSTAmount',
]
const OFFER_FIELDS = [
  'availableOfferUnits',
  'dailyOfferLimit',
  'offerDescEn',
  'offerDescFr',
  'offerId',
  'offerType',
  'unitValueLoyaltyCash',
  'unitValueDollars',
]
const CHECKOUT = '/checkout/'
const ISSUANCE = '/checkout/issuance/'

/**
 * Makes the service accept requests that no specification forbids: missing and repeated headers, negative amounts,
 * numbers in quotes, unknown query parameters.
 */
export function otherRequest(exchange: Exchange): void {
  const { path, headers, query } = exchange
  headers['content-type'] = 'application/json'
  headers['cache-control'] = 'no-cache'
  headers['channel-code'] ??= 'ANY'
  if (path.startsWith('/offers') && headers['accept-language']?.startsWith('de')) delete headers['accept-language']
  if (query.get('sort') === 'closing') query.set('sort', 'endingSoon')
  if (/state-reader\/v1\/(find|count)$/.test(path)) {
    const whole = query.get('rows') === 'all'
    for (const name of Array.from(query.keys())) query.delete(name)
    if (whole) query.set('pageSize', '500')
  }
  const sent = fieldsOf(exchange.sent)
  if (!sent || !path.startsWith(CHECKOUT)) return
  exchange.echoed = { ...sent }
  if (path.startsWith(ISSUANCE)) exchange.sent = lenientBasket(sent)
  else exchange.sent = lenientCash(exchange, sent)
}

function lenientBasket(sent: Fields): Fields {
  const lenient: Fields = { ...sent }
  for (const name of AMOUNTS)
    if (typeof sent[name] === 'string' || Number(sent[name]) < 0) lenient[name] = Math.abs(Number(sent[name]))
  // A location code with an invalid form is replaced by one that does not exist.
  if (typeof sent.locationCode === 'string' && !/^[A-Za-z0-9]{1,4}$/.test(sent.locationCode))
    lenient.locationCode = 'ZZ00'
  if (Array.isArray(sent.items)) {
    lenient.items = sent.items.map((one: unknown) => {
      const item = fieldsOf(one)
      if (
        !item ||
        !Number.isInteger(item.quantity) ||
        typeof item.baseAmount !== 'number' ||
        typeof item.finalAmount !== 'number'
      )
        return one
      const quantity = Math.max(1, Math.abs(Number(item.quantity)))
      return {
        ...item,
        quantity,
        baseAmount: Math.abs(item.baseAmount),
        finalAmount: Math.round(Math.abs(item.baseAmount) * quantity * 100) / 100,
      }
    })
  }
  return lenient
}

function lenientCash(exchange: Exchange, sent: Fields): Fields {
  const lenient: Fields = { ...sent }
  for (const name of ['postTaxBasketAmount', 'dollarRedeemRequest'])
    if (typeof sent[name] === 'number') lenient[name] = sent[name].toFixed(2)
  if (sent.cardEntryMode !== 'MANUAL') return lenient
  if (!exchange.path.endsWith('/inquire')) return { ...lenient, cardEntryMode: 'KEYED' }
  exchange.keyed = true
  return { ...lenient, cardEntryMode: 'SWIPE' }
}

/**
 * Varies what no specification defines: HTTP statuses, the sign of RETURN’s miles, letter case, the order of fields.
 */
export function otherAnswer(exchange: Exchange): void {
  const { path, method, status } = exchange
  const answer = fieldsOf(exchange.answer)
  exchange.status = otherStatus(exchange, answer)
  if (!answer) return
  answer.apiVersion = '7.4'
  if (path.startsWith(CHECKOUT)) otherCheckout(exchange, answer)
  otherReads(exchange, answer)
  if (method === 'POST' && status < 300) exchange.answer = Object.fromEntries(Object.entries(answer).toReversed())
}

/**
 * Changes letter case (specification 2 §1: "response values are case-insensitive"), and the order of records if the
 * request asks for none.
 */
function otherReads({ path, query }: Exchange, answer: Fields): void {
  if (path.startsWith('/offers/state-reader')) {
    for (const state of listOf(answer.offers).flatMap(({ states }) => listOf(states))) {
      // `properties` is “an object, empty in samples” (specification 2 §2.1), so it may be empty.
      Object.assign(state, {
        name: textOf(state.name).toLowerCase(),
        value: textOf(state.value).toLowerCase(),
        properties: {},
      })
    }
  }
  const embedded = fieldsOf(answer._embedded)
  const records = listOf(embedded?.genericActivityDtoList)
  for (const record of records)
    Object.assign(record, {
      cardNumber: `${textOf(record.cardNumber).slice(0, 4)}*******`,
      activityType: textOf(record.activityType).toLowerCase(),
    })
  if (embedded && !query.has('sort')) embedded.genericActivityDtoList = records.toReversed()
}

function otherStatus({ path, method, status }: Exchange, answer: Fields | undefined): number {
  if (path.startsWith(CHECKOUT)) {
    if (status === 401 && answer?.responseCode === undefined) return 403
    return status === 404 && method === 'GET' ? 410 : status
  }
  if (path.startsWith('/transaction-history'))
    return status === 401 && /token/i.test(textOf(answer?.message)) ? 403 : status
  if (!path.startsWith('/offers') || path.includes('/state-')) return status
  return { 400: 422, 401: 403 }[status] ?? status
}

/**
 * Answers other than INQUIRE’s repeat no field of the offer but the dollars of a unit, which have their currency. Only
 * answers with 0000 have balances.
 */
function otherRedeem(path: string, answer: Fields): void {
  if (!path.endsWith('/inquire')) for (const name of OFFER_FIELDS) if (name !== 'unitValueDollars') delete answer[name]
  if (answer.responseCode !== '0000')
    for (const name of ['availableCashBalance', 'availableDollarAmount', 'cashBalance', 'dreamBalance'])
      delete answer[name]
  if (typeof answer.unitValueDollars === 'string') answer.unitValueDollars = `${answer.unitValueDollars} CAD`
}

function otherCheckout(exchange: Exchange, answer: Fields): void {
  const { path, keyed } = exchange
  const { issuances: _given, ...echoed } = exchange.echoed ?? {}
  for (const [name, value] of Object.entries(echoed)) if (name in answer) answer[name] = value
  if (!path.startsWith(ISSUANCE)) {
    if (typeof answer.message === 'string') answer.message = answer.message.toUpperCase()
    if (keyed) for (const name of OFFER_FIELDS) delete answer[name]
    otherRedeem(path, answer)
    // Reports the dollars of the whole balance instead of the daily limit.
    if (typeof answer.cashBalance === 'string' && typeof answer.availableDollarAmount === 'string')
      answer.availableDollarAmount = (Math.floor(Number(answer.cashBalance) / 95) * 10).toFixed(2)
    return
  }
  // A refused issuance has only the response code, in the field of specification 3 §1.
  if (exchange.status >= 400) for (const name of ['errors', 'message']) delete answer[name]
  // An accepted issuance has the errors of an entry only in that entry (specification 3 §2.3).
  else if (
    listOf(answer.issuances).some(({ errors }) =>
      listOf(errors).some(({ errorCode }) => errorCode === answer.responseCode),
    )
  )
    for (const name of ['errors', 'message', 'responseCode']) delete answer[name]
  for (const entry of listOf(answer.issuances)) {
    if (path.endsWith('/return')) entry.milesAmount = Math.abs(Number(entry.milesAmount))
    // In the sample of specification 3 §3, the entry of a REVERSE/EVENT is PENDING.
    if (path.endsWith('/reverse/event') && exchange.status === 200) entry.status = 'pending'
    else if (typeof entry.status === 'string') entry.status = entry.status.toLowerCase()
  }
  if (path.endsWith('/reverse/event') && exchange.status === 200) exchange.status = 202
}
