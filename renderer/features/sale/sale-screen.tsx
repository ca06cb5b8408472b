import { useEffect, useRef } from 'react'
import { AgeCheckDialog } from '../age-check/age-check-dialog.tsx'
import { HoldDialog } from '../held-sales/hold-dialog.tsx'
import { AfterSale } from '../receipt/after-sale.tsx'
import { PAYMENT_SCREENS } from '../tender/registry.tsx'
import { TakeBackDialog } from '../tender/take-back-dialog.tsx'
import { GiftCardPanel } from '../tender/gift-card-panel.tsx'
import { EarningDialog } from '../member/earning-dialog.tsx'
import { HistoryDialog } from '../member/history-dialog.tsx'
import { KeyedDialog } from '../member/keyed-dialog.tsx'
import { QuickKeysPanel } from '../quick-keys/quick-keys-panel.tsx'
import { RedeemPanel } from '../redeem/redeem-panel.tsx'
import { RedemptionPanel } from '../redeem/redemption-panel.tsx'
import { isPayment } from '../../state/payments.ts'
import { panelOf, useSale } from '../../state/sale.ts'
import { useWords } from '../../i18n/words.tsx'
import { Notices } from '../../ui/notices.tsx'
import { ChangeDialogs } from '../changes/change-dialogs.tsx'
import { OfferLine } from '../basket-offers/offer-line.tsx'
import { OffersDialog } from '../basket-offers/offers-dialog.tsx'
import { CancelDialog } from './cancel-dialog.tsx'
import { ItemSearch } from './item-search.tsx'
import { LineActions } from './line-actions.tsx'
import { Lines } from './lines.tsx'
import { PayPanel } from './pay-panel.tsx'
import styles from './sale-screen.module.css'
import { TotalBoard } from './total-board.tsx'

/** The lines on the left stay through the whole sale; the panel on the right is where the sale goes on. */
export function SaleScreen() {
  const { t } = useWords()
  const state = useSale()
  const panel = panelOf(state)
  const { current, closed } = state
  const Payment = isPayment(panel) ? PAYMENT_SCREENS[panel].Panel : null
  const stage = useRef<HTMLDivElement>(null)
  const asks = panel !== 'ring'
  // In one column the screen may stand at its lines when a question comes.
  useEffect(() => {
    if (asks) stage.current?.scrollIntoView({ block: 'nearest' })
  }, [asks, panel])
  if (panel === 'after' && closed)
    return (
      <>
        <AfterSale key={closed.id} sale={closed} />
        <KeyedDialog />
      </>
    )
  return (
    <div className={styles['screen']}>
      <h1 className="spoken">{t('actions.sale')}</h1>
      <section className={styles['basket']} aria-label={t('sale.linesLabel')}>
        <ItemSearch />
        <Lines sale={current} />
        <OfferLine />
        <Notices />
        <LineActions />
      </section>
      <section className={styles['panel']} aria-label={t('sale.pay')}>
        <TotalBoard sale={current} />
        <div ref={stage} className={styles['stage']} data-whole data-asks={asks}>
          {panel === 'ring' && <PayPanel sale={current} />}
          {panel === 'quick' && <QuickKeysPanel />}
          {panel === 'redeem' && current?.redemptionChoice && (
            <RedeemPanel sale={current} choice={current.redemptionChoice} />
          )}
          {panel === 'redemption' && current?.redemption && (
            <RedemptionPanel sale={current} redemption={current.redemption} />
          )}
          {panel === 'gift-card' && <GiftCardPanel />}
          {Payment && current && <Payment totals={current.totals} />}
        </div>
      </section>
      <CancelDialog />
      <TakeBackDialog />
      <ChangeDialogs />
      <HoldDialog />
      <EarningDialog sale={current} />
      <HistoryDialog />
      <KeyedDialog />
      <OffersDialog />
      <AgeCheckDialog sale={current} />
    </div>
  )
}
