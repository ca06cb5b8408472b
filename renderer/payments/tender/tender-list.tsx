import { Coins, Gift, Ticket, Undo2 } from 'lucide-react'
import type { z } from 'zod'
import type { Sale, Tender } from '../../../contracts/sales/sales.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useMilesText, useI18n } from '../../core/i18n/i18n.ts'
import { cashRetained, giveBackOf, refundText } from './give-back.ts'
import { useSale } from '../../sales/sale.ts'
import { notify, clearTopic } from '../../core/state/notices.ts'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { partialApproval } from './partial-approval.ts'
import { TENDER_SCREENS } from './registry.tsx'
import styles from './tender.module.css'
import { useEffect } from 'react'
import { onCurrent, refreshSale } from '../../sales/sale-commands.ts'
import { Dialog } from '../../core/ui/dialog.tsx'

export function TenderList({ tenders }: { readonly tenders: readonly z.infer<typeof Tender>[] }) {
  const i18n = useI18n()
  const { t, format } = i18n
  const back = useAction('tender-back')
  const sale = useSale((state) => state.current)
  const partial = sale && partialApproval(sale)
  if (tenders.length === 0) return null
  return (
    <>
      {partial && <p role="alert">{partial(i18n)}</p>}
      <ul className={`stack-2 icons-20 ${styles['tenders']}`} aria-label={t('sale.tenders')}>
        {tenders.map((tender, index) => (
          <li key={index} className="stack-3 middle tone-ok weight-600 round-m pad-2-4 figures">
            <span aria-hidden="true">{TENDER_SCREENS[tender.kind].icon}</span>
            <span className="prose">
              {t(`tender.kind.${tender.kind}`)}
              {tender.reference && (
                <small className="block dim weight-500 selectable">
                  {TENDER_SCREENS[tender.kind].proof(tender, tender.reference, i18n)}
                </small>
              )}
            </span>
            {/* The amount of a cash payment is the cash in the drawer: rounded, without the change. */}
            <strong>{format.money(tender.kind === 'cash' ? cashRetained(tender) : tender.amountCents)}</strong>
            {back.enabled && (
              <IconButton
                label={t('tender.takeBackOf', {
                  kind: t(`tender.kind.${tender.kind}`),
                  amount: format.money(tender.amountCents),
                })}
                icon={<Undo2 />}
                onPress={() => useSale.setState({ givingBack: tender.number })}
              />
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

export function GiveBack({ sale }: { readonly sale: Pick<Sale, 'tenders' | 'redemption'> }) {
  const i18n = useI18n()
  const { t, format } = i18n
  const milesText = useMilesText()
  const { cashCents, others, miles, lateCents } = giveBackOf(sale)
  if (cashCents === 0 && others.length === 0 && miles === 0 && lateCents === 0) return null
  return (
    <ul className={`stack-2 ${styles['giveBack']}`}>
      {cashCents > 0 && (
        <li className={styles['giveBackCash']}>
          <Coins aria-hidden="true" />
          {t('tender.giveBackCash', { amount: format.money(cashCents) })}
        </li>
      )}
      {others.map((other, index) => (
        <li key={index}>
          <span aria-hidden="true">{TENDER_SCREENS[other.kind].icon}</span>
          {refundText(other, i18n)}
        </li>
      ))}
      {miles > 0 && (
        <li>
          <Gift aria-hidden="true" />
          {t('tender.giveBackMiles', { miles: milesText(miles) })}
        </li>
      )}
      {lateCents > 0 && (
        <li>
          <Ticket aria-hidden="true" />
          {t('tender.giveBackLate', { amount: format.money(lateCents) })}
        </li>
      )}
    </ul>
  )
}

export function TakeBackDialog() {
  const { t, format } = useI18n()
  const { current, givingBack } = useSale()
  const tender = current?.tenders.find(({ number }) => number === givingBack)
  const close = (): void => useSale.setState({ givingBack: null })
  const open = tender !== undefined
  // The form in which miles are returned depends on the time, so ask the backend when the dialog opens.
  useEffect(() => {
    if (open) void refreshSale()
  }, [open])
  const worth = (one: NonNullable<typeof tender>): string =>
    format.money(one.kind === 'cash' ? cashRetained(one) : one.amountCents)
  return (
    <Dialog open={open} onClose={close} role="alertdialog" title={t('tender.takeBackTitle')}>
      {current && tender && (
        <>
          {current.tenders.length > 1 && (
            <div className="wrap-2" role="group" aria-label={t('sale.tenders')}>
              {current.tenders.map((one) => (
                <Button
                  key={one.number}
                  aria-pressed={one === tender}
                  look={one === tender ? 'primary' : 'plain'}
                  preventFocusOnPress
                  onPress={() => useSale.setState({ givingBack: one.number })}
                >
                  {t('tender.takeBackWhich', { kind: t(`tender.kind.${one.kind}`), amount: worth(one) })}
                </Button>
              ))}
            </div>
          )}
          <GiveBack sale={{ tenders: [tender], redemption: current.redemption }} />
          <p>{t('tender.takeBackDue', { due: format.money(current.totals.dueCents + tender.amountCents) })}</p>
          <div className="wrap-3 end">
            <Button size="l" autoFocus onPress={close}>
              {t('tender.takeBackKeep')}
            </Button>
            <Button size="l" look="danger" onPress={() => void takeTenderBack(tender.number)}>
              {t('tender.takeBackConfirm', { amount: worth(tender) })}
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}

/** Refunds one payment. A notice keeps showing the amount to pay out, because the drawer opens now. */
async function takeTenderBack(number: number): Promise<void> {
  const { current } = useSale.getState()
  const tender = current?.tenders.find((one) => one.number === number)
  useSale.setState({ givingBack: null })
  if (!tender || !(await onCurrent('tender', (sale) => api.takeTenderBack(sale.id, number, sale.version)))) return
  // The form of the refund is that of the answer: the deadline may have passed since the dialog opened.
  const { cashCents, others, miles, lateCents } = giveBackOf({
    tenders: [tender],
    redemption: useSale.getState().current?.redemption ?? null,
  })
  notify(
    'success',
    (i18n) => {
      const { t, format } = i18n
      return [
        ...(cashCents > 0 ? [t('tender.giveBackCash', { amount: format.money(cashCents) })] : []),
        ...others.map((other) => refundText(other, i18n)),
        ...(miles > 0 ? [t('redeem.outcome.reversing')] : []),
        ...(lateCents > 0 ? [t('tender.giveBackLate', { amount: format.money(lateCents) })] : []),
      ].join(' ')
    },
    { topic: REFUNDED_TOPIC },
  )
}

const REFUNDED_TOPIC = 'tender-back'
// The next payment or sale shows that the refund was paid out, so the notice disappears.
useSale.subscribe(({ current }, before) => {
  if (current?.id !== before.current?.id || (current?.tenders.length ?? 0) > (before.current?.tenders.length ?? 0))
    clearTopic(REFUNDED_TOPIC)
})
