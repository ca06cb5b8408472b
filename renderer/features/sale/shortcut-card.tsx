import { ACTIONS, type Action } from '../../actions.ts'
import { useWords } from '../../i18n/words.tsx'
import type { MessageKey } from '../../i18n/message-key.ts'
import { useShell } from '../../stores/shell.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Key } from '../../ui/key.tsx'
import styles from './shortcut-card.module.css'

/** Words without an amount, for actions that name one. */
const PLAIN: Partial<Record<string, MessageKey>> = { 'redeem': 'actions.redeem-plain', 'redeem-confirm': 'shortcuts.pay', 'cash-exact': 'actions.cash-exact-plain', 'return-confirm': 'actions.return-confirm-plain' }
const GROUPS = ['selling', 'paying', 'terminal'] as const

/** The keyboard map: the list of actions itself, on one card. */
export function ShortcutCard() {
  const { t } = useWords()
  const open = useShell((state) => state.shortcutsOpen)
  return (
    <Dialog open={open} onClose={() => useShell.setState({ shortcutsOpen: false })} title={t('shortcuts.title')} size="l">
      <p>{t('shortcuts.intro')}</p>
      <div className={styles['groups']}>
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{t(`shortcuts.${group}`)}</h3>
            <ul>
              {ACTIONS.filter((action) => action.group === group).map((action: Action) => (
                <li key={action.id}>
                  <span>{t(PLAIN[action.id] ?? action.labelKey)}</span>
                  <span className={styles['keys']}>{action.keys.map((key) => <Key key={key} name={key} />)}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
