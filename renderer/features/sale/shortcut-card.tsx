import { GROUPS } from '../../actions.ts'
import { useWords } from '../../i18n/words.tsx'
import { NO_PAYMENTS } from '../../state/payments.ts'
import { useShell } from '../../state/shell.ts'
import { useTerminal } from '../../state/terminal.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Key } from '../../ui/key.tsx'
import styles from './shortcut-card.module.css'
import { linesOfGroup } from './shortcut-lines.ts'

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
      <p className={styles['intro']}>{t('shortcuts.intro')}</p>
      <div className={styles['groups']}>
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{t(`shortcuts.${group}`)}</h3>
            <ul>
              {linesOfGroup(group, t, { training, payments }).map(({ id, words, keys }) => (
                <li key={id}>
                  <span>{words}</span>
                  <span className={styles['keys']}>
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
