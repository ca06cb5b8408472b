import { useEffect } from 'react'
import { useWords } from '../../i18n/words.tsx'
import { itemCount, useSale } from '../../state/sale.ts'
import { cancelSale, refreshSale } from '../../state/sale-commands.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { GiveBack } from '../tender/give-back.tsx'
import styles from './cancel-dialog.module.css'

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
      <div className={styles['choices']}>
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
