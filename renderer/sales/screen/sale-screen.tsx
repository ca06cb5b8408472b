import { GROUPS } from '../../actions/action.ts'
import { linesOfGroup } from '../../actions/shortcut-lines.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { useShell } from '../../core/state/window.ts'
import { useTerminal } from '../../core/state/terminal.ts'
import { Dialog } from '../../core/ui/dialog.tsx'
import { Key } from '../../core/ui/key.tsx'
import styles from './sale-screen.module.css'
import { useEffect, useRef } from 'react'
import { isPayment, itemCount, lastLine, NO_PAYMENTS, panelOf, useSale } from '../sale.ts'
import { cancelSale, refreshSale } from '../sale-commands.ts'
import { ActionButton, Button } from '../../core/ui/button.tsx'
import { GiveBack, TakeBackDialog, TenderList } from '../../payments/tender/tender-list.tsx'
import { Gift, List } from 'lucide-react'
import type { Sale } from '../../../contracts/sales/sales.ts'
import { useAction } from '../../core/ui/use-actions.ts'
import { MemberCard } from '../../loyalty/member/member-card.tsx'
import { PAYMENT_SCREENS, PayKeys } from '../../payments/tender/registry.tsx'
import { AgeCheckDialog } from '../age-check-dialog.tsx'
import { HoldDialog } from '../held-sales-page.tsx'
import { AfterSale } from '../../payments/receipt/after-sale.tsx'
import { GiftCardPanel } from '../../payments/tender/voucher-panel.tsx'
import { EarningDialog, HistoryDialog, KeyedDialog } from '../../loyalty/member/member-dialogs.tsx'
import { QuickKeysPanel } from '../quick-keys/quick-keys-panel.tsx'
import { RedeemPanel, RedemptionPanel } from '../../loyalty/redeem-panel.tsx'
import { Notices } from '../../core/ui/notices.tsx'
import { ChangeDialogs } from '../changes/change-dialogs.tsx'
import { OfferLine, OffersDialog } from '../../loyalty/offers/offers-dialog.tsx'
import { EmptiesDialog } from './empties-dialog.tsx'
import { ItemSearch } from './item-search.tsx'
import { LineActions, Lines } from './lines.tsx'
import { NextQuantity } from './next-quantity.tsx'
import { PriceCheckDialog } from './price-check-dialog.tsx'
import { TotalBoard } from './total-board.tsx'

export function ShortcutCard() {
  const { t } = useI18n()
  const open = useShell((state) => state.shortcutsOpen)
  const training = useTerminal((state) => state.terminal?.mode === 'training')
  const payments = useTerminal((state) => state.terminal?.payments) ?? NO_PAYMENTS
  return (
    <Dialog
      open={open}
      onClose={() => useShell.setState({ shortcutsOpen: false })}
      title={t('shortcuts.title')}
      size="l"
    >
      <p className="note">{t('shortcuts.intro')}</p>
      <div className={`text-s line-tight ${styles['groups']}`}>
        {GROUPS.map((group) => (
          <section className="below-3" key={group}>
            <h3 className="text-xs dim">{t(`shortcuts.${group}`)}</h3>
            <ul>
              {linesOfGroup(group, t, { training, payments }).map(({ id, text, keys }) => (
                <li className="row-2 between" key={id}>
                  <span>{text}</span>
                  <span className="inline gap-1 rigid">
                    {keys.map((key) => (
                      <Key key={key} name={key} announced />
                    ))}
                  </span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

export function CancelDialog() {
  const { t, format } = useI18n()
  const { current, confirmingCancel } = useSale()
  const close = (): void => useSale.setState({ confirmingCancel: false })
  const open = confirmingCancel && current !== null
  // The form in which miles are returned depends on the time, so ask the backend when the dialog opens.
  useEffect(() => {
    if (open) void refreshSale()
  }, [open])
  return (
    <Dialog open={open} onClose={close} role="alertdialog" title={t('sale.cancelTitle')}>
      {current && (
        <p>{t('sale.cancelText', { count: itemCount(current), total: format.money(current.totals.totalCents) })}</p>
      )}
      {current && <GiveBack sale={current} />}
      <div className="stack-3 halves above-2">
        <Button size="l" autoFocus onPress={close}>
          {t('sale.cancelKeep')}
        </Button>
        <Button size="l" look="danger" onPress={() => void cancelSale()}>
          {t('sale.cancelConfirm')}
        </Button>
      </div>
    </Dialog>
  )
}

const isOutcomeUnknown = ({ state }: NonNullable<Sale['redemption']>): boolean =>
  state === 'escalated' || state === 'reversal-escalated'

export function PayPanel({ sale }: { readonly sale: Sale | null }) {
  const { t, format } = useI18n()
  const milesText = useMilesText()
  const earning = useAction('earning')
  const choice = sale?.redemptionChoice
  return (
    <div className={`grid with-foot min-height-0 ${styles['payPanel']}`}>
      <div className={`grid top min-height-0 scroll ${styles['facts']}`} data-whole>
        <MemberCard member={sale?.member ?? null} />
        {sale && (sale.milesPreview !== null || (sale.member && lastLine(sale) !== undefined)) && (
          <p className={`row-3 tone-miles weight-600 round-m pad-3-4 ${styles['earn']}`}>
            <span className="grow min-width-0">{t('sale.milesToEarn')}</span>
            <strong className="text-l nowrap figures">
              {sale.member?.noEarning || sale.milesPreview === 0
                ? t('sale.milesNone')
                : sale.milesPreview === null
                  ? t('sale.milesUnknown')
                  : milesText(sale.milesPreview)}
            </strong>
            {earning.enabled && !sale.member?.noEarning && (
              <ActionButton id="earning" look="quiet" hint={false} label="" icon={<List />} />
            )}
          </p>
        )}
        {sale && <TenderList tenders={sale.tenders} />}
      </div>
      <div className={`stack-2 ${styles['ways']}`}>
        {sale?.redemption?.state === 'reversing' && (
          <p className="tone-warn text-s weight-550 round-s pad-2-3" role="status">
            {t(`redeem.outcome.${sale.redemption.outcome}`)}
          </p>
        )}
        {sale?.redemption && isOutcomeUnknown(sale.redemption) && (
          <p className="tone-warn text-s weight-550 round-s pad-2-3">{t('member.redemptionOpen')}</p>
        )}
        {choice && (
          <div className={`stack-2 ${styles['redeem']}`}>
            <ActionButton
              id="redeem"
              look="miles"
              size="l"
              wide
              icon={<Gift />}
              note={t('redeem.costs', { miles: format.miles(choice.defaultUnits * choice.unitMiles) })}
            />
            <ActionButton id="redeem-other" />
          </div>
        )}
        <PayKeys />
      </div>
    </div>
  )
}

/**
 * Screen of a sale: the lines on the left stay during the whole sale; the panel on the right shows the current step.
 */
export function SaleScreen() {
  const { t } = useI18n()
  const state = useSale()
  const panel = panelOf(state)
  const { current, closed } = state
  const Payment = isPayment(panel) ? PAYMENT_SCREENS[panel].Panel : null
  const stage = useRef<HTMLDivElement>(null)
  const asks = panel !== 'ring'
  // In one column, scroll to a question that appears while the lines are in view.
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
    <div className={`stack-4 full-height pad-4 ${styles['screen']}`}>
      <h1 className="sr-only">{t('actions.sale')}</h1>
      <section
        className={`grid single min-width-0 min-height-0 panel ${styles['basket']}`}
        aria-label={t('sale.linesLabel')}
      >
        <ItemSearch />
        <Lines sale={current} />
        <OfferLine />
        <Notices />
        <NextQuantity />
        <LineActions />
      </section>
      <section className={`stack-3 single min-width-0 min-height-0 ${styles['panel']}`} aria-label={t('sale.pay')}>
        <TotalBoard sale={current} />
        <div ref={stage} className={`grid single min-height-0 scroll ${styles['stage']}`} data-whole data-asks={asks}>
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
      <PriceCheckDialog />
      <EmptiesDialog />
      <OffersDialog />
      <AgeCheckDialog sale={current} />
    </div>
  )
}
