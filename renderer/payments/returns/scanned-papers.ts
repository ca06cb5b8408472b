import type { EarlierSale } from '../../../contracts/day/search.ts'
import { notify, clearTopic } from '../../core/state/notices.ts'
import { beginReturn, enteredPieces, showReturn, useReturn } from './returns.ts'

const TOPIC = 'receipt'

/**
 * Opens a scanned receipt on the return screen. If goods were entered or a completed return is shown, a notice only
 * offers to open it.
 */
export function takeScannedReturn(saleId: string): void {
  const state = useReturn.getState()
  if (!state.done && state.sale?.saleId === saleId) return
  if (!state.done && enteredPieces(state) === 0) return void beginReturn(saleId)
  notify('info', ({ t }) => t('returns.scannedOther', { id: saleId }), {
    topic: TOPIC,
    offer: { text: ({ t }) => t('returns.openOther'), perform: () => openInstead(saleId) },
  })
}

/**
 * Opens a scanned receipt in place of the current return. A return that is being committed stays, because its answer
 * has the instructions; the notice stays too.
 */
function openInstead(saleId: string): void {
  const { busy, opening } = useReturn.getState()
  if (busy && opening === null) return
  clearTopic(TOPIC)
  void beginReturn(saleId)
}

/** Explains that goods are returned by the receipt of their sale, never by the paper of a return. */
export function notifyReturnSlip({ id, ofSale }: Pick<EarlierSale, 'id' | 'ofSale'>): void {
  if (ofSale === null) return notify('warning', ({ t }) => t('returns.slipUnrecorded', { id }), { topic: TOPIC })
  const known = useReturn.getState().sale?.saleId === ofSale
  notify('warning', ({ t }) => t('returns.slip', { id, sale: ofSale }), {
    topic: TOPIC,
    offer: known
      ? null
      : {
          text: ({ t }) => t('returns.openSale'),
          perform: () => {
            clearTopic(TOPIC)
            void showReturn(ofSale)
          },
        },
  })
}
