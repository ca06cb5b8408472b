import { z } from 'zod'
import { SaleId, Sku } from '../core/ids.ts'
import { Locale } from '../core/locales.ts'
import { SaleAnswer, SaleCommand } from '../sales/sales.ts'
import { ApplyOfferCoupon, BasketOffers, ChangeOfferStates, ItemOffers, OfferStatesChanged } from './basket-offers.ts'
import {
  HistoryPrinted,
  MemberHistory,
  MemberHistoryQuery,
  MemberSessionNow,
  PrintHistory,
  ShowHistory,
  SignInSlipAnswer,
} from './member.ts'
import {
  ManagerOfferAnswer,
  ManagerOfferLocale,
  ManagerOfferPage,
  ManagerOfferQuery,
  OfferList,
  OfferLists,
  ShelfCardExport,
} from './offers.ts'
import { routes } from '../core/route.ts'

const OfLocale = z.object({
  locale: Locale.optional().describe("Left out: the signed-in person's language"),
})
const Empty = z.strictObject({})

export const memberContract = routes('member', {
  'POST /sales/:id/member/remove': {
    summary: 'Remove the collector from the sale',
    params: { id: SaleId },
    body: SaleCommand,
    answer: SaleAnswer,
  },
  'POST /sales/:id/member/inquire': {
    summary: 'Repeat INQUIRE for the collector without another card read',
    params: { id: SaleId },
    body: SaleCommand,
    answer: SaleAnswer,
  },
  'GET /member-session': {
    summary: 'The sign-in of the collector of the open sale; null when there is no sign-in',
    answer: MemberSessionNow,
  },
  'POST /sales/:id/member-session': {
    summary: 'Start the sign-in of the collector of the sale with their own phone',
    command: 'awaited',
    params: { id: SaleId },
    body: Empty,
    answer: MemberSessionNow,
  },
  'POST /sales/:id/member-session/cancel': {
    summary: 'End the sign-in, and forget the member',
    command: 'awaited',
    params: { id: SaleId },
    body: Empty,
    answer: MemberSessionNow,
  },
  'POST /sales/:id/member-session/print': {
    summary: 'Print the code for the collector’s phone; the slip is not stored',
    command: 'awaited',
    params: { id: SaleId },
    body: Empty,
    answer: SignInSlipAnswer,
  },
  'GET /sales/:id/member-history': {
    summary: 'A page of the transactions of the signed-in member of the sale, from the program',
    params: { id: SaleId },
    query: MemberHistoryQuery,
    answer: MemberHistory,
  },
  'PUT /sales/:id/member-history/shown': {
    summary: 'Show the history that the cashier opened to the customer; null when it was closed',
    command: 'awaited',
    params: { id: SaleId },
    body: ShowHistory,
    answer: ShowHistory,
  },
  'POST /sales/:id/member-history/print': {
    summary: 'Print the newest transactions of the member; they are not stored',
    command: 'awaited',
    params: { id: SaleId },
    body: PrintHistory,
    answer: HistoryPrinted,
  },
  'GET /sales/:id/offers': {
    summary: 'The program’s offers with their status for the basket, from memory',
    params: { id: SaleId },
    query: OfLocale,
    answer: BasketOffers,
  },
  'GET /offers/of-item': {
    summary: 'The current offers for which an item counts, as the store configured them, from memory',
    query: OfLocale.extend({ sku: Sku }),
    answer: ItemOffers,
  },
  'POST /sales/:id/offer-coupons': {
    summary: 'Apply the code of an offer to the sale, or remove it',
    params: { id: SaleId },
    body: ApplyOfferCoupon,
    answer: SaleAnswer,
  },
  'POST /sales/:id/offer-states': {
    summary: 'Opt the signed-in member into offers, or save them; sent after it is recorded',
    params: { id: SaleId },
    body: ChangeOfferStates,
    answer: OfferStatesChanged,
  },
  // The route of an offer picture needs no session, because an image element cannot send the session header. A picture
  // has no personal data, and its name is its SHA-256.
  'GET /offer-images/:sha': {
    summary: 'An image of an offer, by its hash; never fetched for this call',
    access: 'public',
    byItself: true,
    params: { sha: z.string().regex(/^[0-9a-f]{64}$/) },
    file: ['image/png', 'image/jpeg', 'image/webp'],
  },
})

export const offersContract = routes('offers', {
  'GET /offers': {
    description: 'Current offers of the region. `stale` when the offer service could not be reached.',
    query: OfLocale,
    answer: OfferList,
  },
  'POST /offers/refresh': {
    description: 'Refreshes the list from the offer service, and answers as GET /api/offers.',
    command: 'awaited',
    body: OfLocale,
    answer: OfferList,
  },
  'GET /manager/offers': {
    summary: 'Public offers of the region, live; otherwise from the stored list of the lane, with the cause',
    access: 'manager',
    query: ManagerOfferQuery,
    answer: ManagerOfferPage,
  },
  'GET /manager/offers/:id': {
    summary: 'One offer with the service’s warnings',
    access: 'manager',
    params: { id: z.uuid() },
    query: ManagerOfferLocale,
    answer: ManagerOfferAnswer,
  },
  'GET /manager/offer-lists': {
    summary: 'Age of the lane’s stored lists',
    access: 'manager',
    byItself: true,
    answer: OfferLists,
  },
  'POST /manager/offer-lists/refresh': {
    summary: 'Reload the lists of all languages',
    access: 'manager',
    command: 'awaited',
    answer: OfferLists,
  },
  'POST /manager/offers/:id/shelf-card': {
    summary: 'Request a shelf card; recorded in the audit trail',
    access: 'manager',
    command: 'awaited',
    params: { id: z.uuid() },
    answer: ShelfCardExport,
  },
  'GET /manager/shelf-cards/:number': {
    summary: 'The requested card, once, for the person who requested it',
    access: 'manager',
    params: { number: z.coerce.number().pipe(z.int().min(1)) },
    file: ['application/pdf'],
  },
})
