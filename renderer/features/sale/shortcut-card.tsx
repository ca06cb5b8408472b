import { ACTIONS, GROUPS, type Action } from '../../actions.ts'
import { useWords } from '../../i18n/words.tsx'
import type { MessageKey } from '../../i18n/message-key.ts'
import { useShell } from '../../stores/shell.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Key } from '../../ui/key.tsx'
import styles from './shortcut-card.module.css'

/** Words without an amount, for actions that name one. */
const PLAIN: Partial<Record<string, MessageKey>> = { 'redeem': 'actions.redeem-plain', 'redeem-confirm': 'shortcuts.pay', 'cash-exact': 'actions.cash-exact-plain', 'return-confirm': 'actions.return-confirm-plain' }

/** What the card says of each action of a group, once: two screens that have the same words for the same key are one line. */
export function linesOfGroup(group: Action['group'], say: (key: MessageKey) => string): { id: string; words: string; keys: readonly string[] }[] {
  const lines = ACTIONS.filter((action) => action.group === group).map((action: Action) => ({ id: action.id, words: say(PLAIN[action.id] ?? action.labelKey), keys: action.keys }))
  return lines.filter(({ words, keys }, at) => lines.findIndex((other) => other.words === words && other.keys.join() === keys.join()) === at)
}

/** The keyboard map: the list of actions itself, on one card. */
export function ShortcutCard() {
  const { t } = useWords()
  const open = useShell((state) => state.shortcutsOpen)
  return (
    <Dialog open={open} onClose={() => useShell.setState({ shortcutsOpen: false })} title={t('shortcuts.title')} size="l">
      <p className={styles['intro']}>{t('shortcuts.intro')}</p>
      <div className={styles['groups']}>
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{t(`shortcuts.${group}`)}</h3>
            <ul>
              {linesOfGroup(group, t).map(({ id, words, keys }) => (
                <li key={id}>
                  <span>{words}</span>
                  <span className={styles['keys']}>{keys.map((key) => <Key key={key} name={key} told />)}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
