import { Coins, Gift, Ticket, Undo2 } from 'lucide-react'
import type { z } from 'zod'
import type { Sale, Tender } from '../../../contracts/sales/sales.ts'
import { api } from '../../core/api/terminal-api.ts'
import { useMilesText, useWords } from '../../core/i18n/words.tsx'
import { cashKept, giveBackOf, givenBackWords } from './give-back.ts'
import { useSale } from '../../sales/sale.ts'
import { notify, settleTopic } from '../../core/state/notices.ts'
import { Button, IconButton } from '../../core/ui/button.tsx'
import { useAction } from '../../core/ui/use-actions.ts'
import { partialApproval } from './partial-approval.ts'
import { TENDER_SCREENS } from './registry.tsx'
import styles from './tender.module.css'
import { useEffect } from 'react'
import { onCurrent, refreshSale } from '../../sales/sale-commands.ts'
import { Dialog } from '../../core/ui/dialog.tsx'

/** The payments taken so far, each with what proves it and the way to give it back. */
export function TenderList({ tenders }: { readonly tenders: readonly z.infer<typeof Tender>[] }) {
  const words = useWords()
  const { t, format } = words
  const back = useAction('tender-back')
  const sale = useSale((state) => state.current)
  const partial = sale && partialApproval(sale)
  if (tenders.length === 0) return null
  return (
    <>
      {partial && <p role="alert">{partial(words)}</p>}
      <ul className={`stack-2 icons-20 ${styles['tenders']}`} aria-label={t('sale.tenders')}>
        {tenders.map((tender, index) => (
          <li key={index} className="stack-3 middle tone-ok weight-600 round-m pad-2-4 figures">
            <span aria-hidden="true">{TENDER_SCREENS[tender.kind].icon}</span>
            <span className="words">
              {t(`tender.kind.${tender.kind}`)}
              {tender.reference && (
                <small className="block dim weight-500 selectable">
                  {TENDER_SCREENS[tender.kind].proof(tender, tender.reference, words)}
                </small>
              )}
            </span>
            {/* Cash as it lies in the drawer: rounded, and without the change. */}
            <strong>{format.money(tender.kind === 'cash' ? cashKept(tender) : tender.amountCents)}</strong>
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

/** What the customer gets back when a sale is cancelled, each in the form in which it was paid; the cash largest. */
export function GiveBack({ sale }: { readonly sale: Pick<Sale, 'tenders' | 'redemption'> }) {
  const words = useWords()
  const { t, format } = words
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
          {givenBackWords(other, words)}
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

/** One payment is given back and the sale goes on: which one, what to hand over, and what is due then. */
export function TakeBackDialog() {
  const { t, format } = useWords()
  const { current, givingBack } = useSale()
  const tender = current?.tenders.find(({ number }) => number === givingBack)
  const close = (): void => useSale.setState({ givingBack: null })
  const open = tender !== undefined
  // What miles go back as depends on the hour: the backend says it of this moment.
  useEffect(() => {
    if (open) void refreshSale()
  }, [open])
  const worth = (one: NonNullable<typeof tender>): string =>
    format.money(one.kind === 'cash' ? cashKept(one) : one.amountCents)
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

/** Gives one payment back; the sale goes on. What to hand over stays to be read, since the drawer opens now. */
async function takeTenderBack(number: number): Promise<void> {
  const { current } = useSale.getState()
  const tender = current?.tenders.find((one) => one.number === number)
  useSale.setState({ givingBack: null })
  if (!tender || !(await onCurrent('tender', (sale) => api.takeTenderBack(sale.id, number, sale.version)))) return
  // As the answer has it: the window may have closed since the question.
  const { cashCents, others, miles, lateCents } = giveBackOf({
    tenders: [tender],
    redemption: useSale.getState().current?.redemption ?? null,
  })
  notify(
    'success',
    (words) => {
      const { t, format } = words
      return [
        ...(cashCents > 0 ? [t('tender.giveBackCash', { amount: format.money(cashCents) })] : []),
        ...others.map((other) => givenBackWords(other, words)),
        ...(miles > 0 ? [t('redeem.outcome.reversing')] : []),
        ...(lateCents > 0 ? [t('tender.giveBackLate', { amount: format.money(lateCents) })] : []),
      ].join(' ')
    },
    { topic: TAKEN_BACK_TOPIC },
  )
}

const TAKEN_BACK_TOPIC = 'tender-back'
// It was handed over: what comes next says so.
useSale.subscribe(({ current }, before) => {
  if (current?.id !== before.current?.id || (current?.tenders.length ?? 0) > (before.current?.tenders.length ?? 0))
    settleTopic(TAKEN_BACK_TOPIC)
})
