import { useWords } from '../../i18n/words.tsx'
import { resumeSale, useHeldSales } from '../../state/held-sales.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ApprovalFacts } from '../approval/approval-facts.tsx'
import styles from './held-sales.module.css'

/** Another lane held the sale at prices that this lane does not have: which of them count? */
export function HeldPricesDialog() {
  const { t } = useWords()
  const differing = useHeldSales((state) => state.differing)
  if (differing === null) return null
  const { sale, request } = differing
  const close = (): void => useHeldSales.setState({ differing: null })
  return (
    <Dialog open onClose={close} title={t('held.differsTitle')} size="l">
      <div className={styles['form']}>
        <p>{t('held.differs', { lane: sale.lane })}</p>
        <ApprovalFacts request={request} heads={{ before: t('held.today'), after: t('held.asHeld') }} />
        <Button look="primary" size="l" wide onPress={() => void resumeSale(sale, { prices: 'today' })}>
          {t('held.takeToday')}
        </Button>
        <Button size="l" wide onPress={() => void resumeSale(sale, { prices: 'held', covers: request.covers })}>
          {t('held.keepHeld')}
        </Button>
      </div>
    </Dialog>
  )
}
