import type { TenderKind } from '../../../contracts/payments/tenders/registry.ts'
import { card, cardTerminal } from './card.ts'
import { cash } from './cash.ts'
import { cheque } from './cheque.ts'
import { manufacturerCoupon } from './manufacturer-coupon.ts'
import { miles } from './miles.ts'
import type { TenderType } from './type.ts'
import { giftCard, storeCredit } from './voucher.ts'

/** Every tender type, in the order in which refunds use their payments; miles last. */
export const TENDER_TYPES: Readonly<Record<TenderKind, TenderType>> = {
  card,
  'card-terminal': cardTerminal,
  cash,
  cheque,
  'manufacturer-coupon': manufacturerCoupon,
  'store-credit': storeCredit,
  'gift-card': giftCard,
  miles,
}
