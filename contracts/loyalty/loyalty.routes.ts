import { z } from 'zod'
import { SaleId } from '../core/ids.ts'
import { Locale } from '../core/locales.ts'
import { SaleAnswer, SaleCommand } from '../sales/sales.ts'
import { ApplyOfferCoupon, BasketOffers, ChangeOfferStates, OfferStatesChanged } from './basket-offers.ts'
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
  ShelfCardOrder,
} from './offers.ts'
import { routes } from '../core/route.ts'

const OfLocale = z.object({
  locale: Locale.optional().describe("Left out: the signed-in person's language"),
})
const Empty = z.strictObject({})

export const memberContract = routes('member', {
  'POST /sales/:id/member/remove': {
    summary: 'Take the collector off the sale',
    params: { id: SaleId },
    body: SaleCommand,
    answer: SaleAnswer,
  },
  'POST /sales/:id/member/inquire': {
    summary: 'Ask about the collector once more, without another read of the card',
    params: { id: SaleId },
    body: SaleCommand,
    answer: SaleAnswer,
  },
  'GET /member-session': {
    summary: 'The sign-in of the collector of the open sale; null when there is none',
    answer: MemberSessionNow,
  },
  'POST /sales/:id/member-session': {
    summary: 'Ask the collector of the sale to sign in with their own phone',
    command: 'awaited',
    params: { id: SaleId },
    body: Empty,
    answer: MemberSessionNow,
  },
  'POST /sales/:id/member-session/cancel': {
    summary: 'End the sign-in, and forget whoever has signed in',
    command: 'awaited',
    params: { id: SaleId },
    body: Empty,
    answer: MemberSessionNow,
  },
  'POST /sales/:id/member-session/print': {
    summary: 'Print the code that waits for the collector’s phone; it is no document and is not kept',
    command: 'awaited',
    params: { id: SaleId },
    body: Empty,
    answer: SignInSlipAnswer,
  },
  'GET /sales/:id/member-history': {
    summary: 'A page of the transactions of the member who has signed in on the sale, from the program',
    params: { id: SaleId },
    query: MemberHistoryQuery,
    answer: MemberHistory,
  },
  'PUT /sales/:id/member-history/shown': {
    summary: 'Show the customer the history that the cashier has open; null when it was closed',
    command: 'awaited',
    params: { id: SaleId },
    body: ShowHistory,
    answer: ShowHistory,
  },
  'POST /sales/:id/member-history/print': {
    summary: 'Print the newest transactions of the member; nothing of them is stored',
    command: 'awaited',
    params: { id: SaleId },
    body: PrintHistory,
    answer: HistoryPrinted,
  },
  'GET /sales/:id/offers': {
    summary: 'The offers of the program as they stand to the basket, from memory',
    params: { id: SaleId },
    query: OfLocale,
    answer: BasketOffers,
  },
  'POST /sales/:id/offer-coupons': {
    summary: 'Apply the code of an offer to the sale, or take it off again',
    params: { id: SaleId },
    body: ApplyOfferCoupon,
    answer: SaleAnswer,
  },
  'POST /sales/:id/offer-states': {
    summary: 'Opt the member who is signed in into offers, or save them; sent after it is recorded',
    params: { id: SaleId },
    body: ChangeOfferStates,
    answer: OfferStatesChanged,
  },
  // An image element cannot send the session header. A picture has no personal data; its name is its SHA-256.
  'GET /offer-images/:sha': {
    summary: 'A picture of an offer, by its content; never fetched for this',
    access: 'public',
    byItself: true,
    params: { sha: z.string().regex(/^[0-9a-f]{64}$/) },
    file: ['image/png', 'image/jpeg', 'image/webp'],
  },
})

export const offersContract = routes('offers', {
  'GET /offers': {
    description: 'The offers of the region that may be shown now. `stale` when the offer service could not be asked.',
    query: OfLocale,
    answer: OfferList,
  },
  'POST /offers/refresh': {
    description: 'Asks the offer service now, and answers as GET /api/offers.',
    command: 'awaited',
    body: OfLocale,
    answer: OfferList,
  },
  'GET /manager/offers': {
    summary: 'Public offers of the region, live; else from the list of the lane, with the cause',
    access: 'manager',
    query: ManagerOfferQuery,
    answer: ManagerOfferPage,
  },
  'GET /manager/offers/:id': {
    summary: 'One offer with what the service warns of',
    access: 'manager',
    params: { id: z.uuid() },
    query: ManagerOfferLocale,
    answer: ManagerOfferAnswer,
  },
  'GET /manager/offer-lists': {
    summary: 'How old the lists of the lane are',
    access: 'manager',
    byItself: true,
    answer: OfferLists,
  },
  'POST /manager/offer-lists/refresh': {
    summary: 'Load the lists of every language anew',
    access: 'manager',
    command: 'awaited',
    answer: OfferLists,
  },
  'POST /manager/offers/:id/shelf-card': {
    summary: 'Order a card for the shelf; stands in the audit trail',
    access: 'manager',
    command: 'awaited',
    params: { id: z.uuid() },
    answer: ShelfCardOrder,
  },
  'GET /manager/shelf-cards/:number': {
    summary: 'The ordered card, once, for whoever ordered it',
    access: 'manager',
    params: { number: z.coerce.number().pipe(z.int().min(1)) },
    file: ['application/pdf'],
  },
})
