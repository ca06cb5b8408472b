import { useWords } from '../../i18n/words.tsx'
import { dropReturn, keepReturn, piecesInHand, useReturn } from '../../state/returns.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './returns.module.css'

/** Goods that were entered go only when the cashier says so. What is scanned meanwhile is among them. */
export function DropDialog() {
  const { t } = useWords()
  const state = useReturn()
  return (
    <Dialog open={state.dropping !== null} onClose={keepReturn} role="alertdialog" title={t('returnScreen.dropTitle')}>
      <p>{t('returnScreen.dropText', { count: piecesInHand(state) })}</p>
      <div className={styles['choices']}>
        <Button size="l" autoFocus onPress={keepReturn}>
          {t('returnScreen.dropKeep')}
        </Button>
        <Button size="l" look="danger" onPress={dropReturn}>
          {t('returnScreen.dropConfirm')}
        </Button>
      </div>
    </Dialog>
  )
}
