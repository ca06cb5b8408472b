import { ACTIONS, type ActionId } from '../../actions.ts'
import { type Action, type ActionContext, GROUPS } from '../../actions/action.ts'
import type { MessageKey } from '../../core/i18n/message-key.ts'
import { useMilesText, useWords } from '../../core/i18n/words.tsx'
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
import { ItemSearch } from './item-search.tsx'
import { LineActions, Lines } from './lines.tsx'
import { TotalBoard } from './total-board.tsx'

/** Words for the card, where those of the button speak of one screen alone. */
const WORDS: Partial<Record<string, MessageKey>> = { 'redeem-confirm': 'shortcuts.pay', reprint: 'shortcuts.reprint' }

/** The same thing done from another screen under the same key: on the card it stands once. */
const SAME: Partial<Record<string, ActionId>> = {
  'reprint-last': 'reprint',
  'reprint-chosen': 'reprint',
  'return-reprint': 'reprint',
  'gift-receipt-chosen': 'gift-receipt',
  'return-chosen': 'return',
}

/**
 * What the card says of each action of a group, once, and only of what this terminal can do: two screens that have the
 * same words for the same key are one line.
 */
export function linesOfGroup(
  group: Action['group'],
  say: (key: MessageKey) => string,
  { training, payments }: Pick<ActionContext, 'training' | 'payments'>,
): { id: string; words: string; keys: readonly string[] }[] {
  const lines = ACTIONS.filter(
    (action: Action) =>
      action.group === group &&
      (training || !action.trainingOnly) &&
      (action.payments ?? []).every((kind) => payments.includes(kind)) &&
      !(action.id in SAME),
  ).map((action: Action) => ({
    id: action.id,
    words: say(WORDS[action.id] ?? action.plainKey ?? action.labelKey),
    keys: action.keys,
  }))
  return lines.filter(
    ({ words, keys }, at) =>
      lines.findIndex((other) => other.words === words && other.keys.join() === keys.join()) === at,
  )
}

/** The keyboard map: the list of actions itself, on one card. */
export function ShortcutCard() {
  const { t } = useWords()
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
              {linesOfGroup(group, t, { training, payments }).map(({ id, words, keys }) => (
                <li className="row-2 between" key={id}>
                  <span>{words}</span>
                  <span className="inline gap-1 rigid">
                    {keys.map((key) => (
                      <Key key={key} name={key} told />
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
  const { t, format } = useWords()
  const { current, confirmingCancel } = useSale()
  const close = (): void => useSale.setState({ confirmingCancel: false })
  const open = confirmingCancel && current !== null
  // What miles go back as depends on the hour: the backend says it of this moment.
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

/** Nobody knows what became of the miles. */
const unsettled = ({ state }: NonNullable<Sale['redemption']>): boolean =>
  state === 'escalated' || state === 'reversal-escalated'

/** While ringing: who the collector is, what the basket earns, and every way to pay in one tap. */
export function PayPanel({ sale }: { readonly sale: Sale | null }) {
  const { t, format } = useWords()
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
        {sale?.redemption && unsettled(sale.redemption) && (
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
    <div className={`stack-4 full-height pad-4 ${styles['screen']}`}>
      <h1 className="spoken">{t('actions.sale')}</h1>
      <section
        className={`grid single min-width-0 min-height-0 panel ${styles['basket']}`}
        aria-label={t('sale.linesLabel')}
      >
        <ItemSearch />
        <Lines sale={current} />
        <OfferLine />
        <Notices />
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
      <OffersDialog />
      <AgeCheckDialog sale={current} />
    </div>
  )
}
