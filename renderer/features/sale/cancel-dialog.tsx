import { useWords } from '../../i18n/words.tsx'
import { itemCount, useSale } from '../../stores/sale.ts'
import { cancelSale } from '../../stores/sale-commands.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { GiveBack } from '../tender/give-back.tsx'
import styles from './cancel-dialog.module.css'

export function CancelDialog() {
  const { t, format } = useWords()
  const { current, confirmingCancel } = useSale()
  const close = (): void => useSale.setState({ confirmingCancel: false })
  return (
    <Dialog open={confirmingCancel && current !== null} onClose={close} role="alertdialog" title={t('sale.cancelTitle')}>
      {current && <p>{t('sale.cancelText', { count: itemCount(current), total: format.money(current.totals.totalCents) })}</p>}
      {current && <GiveBack sale={current} />}
      <div className={styles['choices']}>
        <Button size="l" autoFocus onPress={close}>{t('sale.cancelKeep')}</Button>
        <Button size="l" look="danger" onPress={() => void cancelSale()}>{t('sale.cancelConfirm')}</Button>
      </div>
    </Dialog>
  )
}
