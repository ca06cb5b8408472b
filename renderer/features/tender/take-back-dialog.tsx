import { useEffect } from 'react'
import { useWords } from '../../i18n/words.tsx'
import { cashKept } from '../../state/give-back.ts'
import { useSale } from '../../state/sale.ts'
import { refreshSale, takeTenderBack } from '../../state/sale-commands.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { GiveBack } from './give-back.tsx'
import styles from './tender.module.css'

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
            <div className={styles['which']} role="group" aria-label={t('sale.tenders')}>
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
          <div className={styles['choices']}>
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
