import type { Bench } from './bench.ts'
import { localTimestamp, need } from './expect.ts'

export type CashCall = 'echo' | 'inquire' | 'redeem' | 'reverse'
export type IssuanceCall =
  | 'calculate'
  | 'issue'
  | 'return'
  | 'record'
  | 'reverseEvent'
  | 'post'
  | 'postEvent'
  | 'reverse'

export function pathOf({ paths }: Bench, call: CashCall | IssuanceCall): string {
  switch (call) {
    case 'echo':
    case 'inquire':
    case 'redeem':
      return `/checkout/loyaltycash/${call}`
    case 'calculate':
    case 'issue':
    case 'return':
    case 'record':
      return `/checkout/issuance/${call}`
    case 'reverseEvent':
      return '/checkout/issuance/reverse/event'
    case 'reverse':
      return need(paths.reverse, 'the bench has no path for REVERSE (issuance)')
    case 'post':
      return need(paths.post, 'the bench has no path for POST')
    case 'postEvent':
      return need(paths.postEvent, 'the bench has no path for POST/EVENT')
  }
}

export function timeAt({ store, otherStore }: Bench, storeId?: unknown, secondsLater = 0): string {
  return localTimestamp(
    Date.now() + secondsLater * 1_000,
    otherStore !== null && storeId === otherStore.id ? otherStore.timeZone : store.timeZone,
  )
}

const inquiry = (bench: Bench, id: string) => ({
  acquirerId: bench.sponsor,
  cardEntryMode: 'SWIPE',
  collectorNumber: bench.collectors.fine,
  dateTime: timeAt(bench),
  deviceId: 'LANE-01',
  postTaxBasketAmount: '43.35',
  sponsorCode: bench.sponsor,
  storeId: bench.store.id,
  traceId: id,
  vendorId: bench.sponsor,
})

const basket = (bench: Bench, id: string) => ({
  basketPostTaxAmount: 43.35,
  basketPreTaxAmount: 38.36,
  checkoutDateTime: timeAt(bench),
  checkoutTransactionId: id,
  collectorNumber: bench.collectors.fine,
  locationCode: bench.location.active,
  sponsorCode: bench.sponsor,
  tender: ['CASH'],
})

const event = (bench: Bench, id: string) => ({
  clientTransactionId: id,
  collectorNumber: bench.collectors.fine,
  issuances: issuances(bench),
  sponsorCode: bench.sponsor,
  transactionDateTime: timeAt(bench),
})

const issuances = ({ issuanceOffers: { valid } }: Bench) => [
  { issuanceOfferCode: valid, milesAmount: 4, offerId: valid },
]

export function goodRequest(
  bench: Bench,
  id: string,
  call: CashCall | IssuanceCall,
  cash: boolean,
): Record<string, unknown> {
  const { moreFields } = bench
  switch (call) {
    case 'echo':
      return {
        deviceId: 'LANE-01',
        sponsorCode: bench.sponsor,
        storeId: bench.store.id,
        traceId: id,
        vendorId: bench.sponsor,
      }
    case 'inquire':
      return inquiry(bench, id)
    case 'redeem':
      return { ...inquiry(bench, id), dollarRedeemRequest: '10.00' }
    case 'calculate':
    case 'record':
      return { ...basket(bench, id), transactionType: 'PURCHASE' }
    case 'issue':
      return basket(bench, id)
    case 'return':
      return { ...basket(bench, id), originalTransactionId: 'NONE' }
    case 'post':
      return { ...basket(bench, id), issuances: issuances(bench), ...moreFields.post }
    case 'postEvent':
      return { ...event(bench, id), ...moreFields.postEvent }
    case 'reverseEvent':
      return event(bench, id)
    case 'reverse':
      return cash
        ? {
            ...inquiry(bench, id),
            dollarRedeemRequest: '10.00',
            txnConfirmationNumber: 'NONE',
            ...moreFields.cashReverse,
          }
        : { ...basket(bench, id), issuances: issuances(bench), ...moreFields.reverse }
  }
}
