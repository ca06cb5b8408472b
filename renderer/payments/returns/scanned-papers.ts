import type { EarlierSale } from '../../../contracts/day/search.ts'
import { notify, settleTopic } from '../../core/state/notices.ts'
import { beginReturn, piecesInHand, showReturn, useReturn } from './returns.ts'

const TOPIC = 'receipt'

/** A receipt that was scanned while the goods of another lie on the counter does not throw them away unasked. */
export function takeScannedReturn(saleId: string): void {
  const state = useReturn.getState()
  if (!state.done && state.sale?.saleId === saleId) return
  if (!state.done && piecesInHand(state) === 0) return void beginReturn(saleId)
  notify('info', ({ t }) => t('returns.scannedOther', { id: saleId }), {
    topic: TOPIC,
    offer: { say: ({ t }) => t('returns.openOther'), perform: () => openInstead(saleId) },
  })
}

/** While the return in hand is being made it stays: its answer says what to hand out. The offer stays too. */
function openInstead(saleId: string): void {
  const { busy, opening } = useReturn.getState()
  if (busy && opening === null) return
  settleTopic(TOPIC)
  void beginReturn(saleId)
}

/** Goods come back by the receipt of their sale, never by the slip of a return. */
export function notifyReturnSlip({ id, ofSale }: Pick<EarlierSale, 'id' | 'ofSale'>): void {
  if (ofSale === null) return notify('warning', ({ t }) => t('returns.slipUnrecorded', { id }), { topic: TOPIC })
  const known = useReturn.getState().sale?.saleId === ofSale
  notify('warning', ({ t }) => t('returns.slip', { id, sale: ofSale }), {
    topic: TOPIC,
    offer: known
      ? null
      : {
          say: ({ t }) => t('returns.openSale'),
          perform: () => {
            settleTopic(TOPIC)
            void showReturn(ofSale)
          },
        },
  })
}
