import type { AddTender } from '../../../../contracts/tenders/registry.ts'
import type { Vouchers } from '../../vouchers/service.ts'
import { createTakeCard, type CardTakingOptions } from './card.ts'
import { takeCash } from './cash.ts'
import { takeCheque } from './cheque.ts'
import { checkAmount, type Take } from './take.ts'

export type Taking = { readonly [Kind in AddTender['kind']]: Take<Kind> }

/** How each type of tender is taken. */
export const createTaking = ({
  vouchers,
  ...options
}: CardTakingOptions & { readonly vouchers: Pick<Vouchers, 'pay'> }): Taking => ({
  cash: takeCash,
  card: createTakeCard(options),
  cheque: takeCheque,
  voucher({ tx, saleId, dueCents }, { voucherId, amountCents }) {
    checkAmount(amountCents, dueCents)
    return vouchers.pay(tx, saleId, voucherId, amountCents)
  },
})
