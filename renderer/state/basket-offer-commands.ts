import type { ChangeOfferStates, OfferChange } from '../../contracts/api/basket-offers.ts'
import { api } from '../api/terminal-api.ts'
import { refreshBasketOffers, useBasketOffers } from './basket-offers.ts'
import { inTurn, isUnderWay } from './command-queue.ts'
import { report } from './notices.ts'
import { onCurrent } from './sale-commands.ts'
import { useSale } from './sale.ts'

/** Applies the code of an offer to the sale, or takes it off again. */
export const applyOfferCoupon = (offerId: string, applied: boolean): Promise<boolean> =>
  onCurrent('change', (sale) => api.applyOfferCoupon(sale.id, { version: sale.version, offerId, applied }))

/** `kind`: a second of it is a double tap. What the program says comes by an event. */
async function change(kind: string, changes: ChangeOfferStates['changes']): Promise<void> {
  const saleId = useSale.getState().current?.id
  if (saleId === undefined || changes.length === 0 || isUnderWay(kind)) return
  try {
    await inTurn(kind, () => api.changeOfferStates(saleId, { changes }))
    await refreshBasketOffers()
  } catch (error) {
    report(error)
  }
}

/** While this kind of command is on its way, the member's opt-ins are. */
export const OPT_IN_ALL = 'offer-states'
export const changeKind = (offerId: string): string => `${OPT_IN_ALL} ${offerId}`

/** What the member who is signed in wants with one offer. */
export const changeOffer = (offerId: string, wanted: OfferChange): Promise<void> =>
  change(changeKind(offerId), [{ offerId, change: wanted }])

/** Opts in to all offers that this basket would earn. */
export const optInToAll = (): Promise<void> => {
  const { answer } = useBasketOffers.getState()
  const offerIds = answer?.member ? (answer.optInAll?.offerIds ?? []) : []
  return change(
    OPT_IN_ALL,
    offerIds.map((offerId) => ({ offerId, change: 'opt-in' })),
  )
}
