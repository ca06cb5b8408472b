import { CircleUserRound, Keyboard, LogOut, Moon, Sun, Users } from 'lucide-react'
import { LANGUAGES, localeAfter } from '../../../contracts/i18n/languages.ts'
import { useWords } from '../../i18n/words.tsx'
import { chooseLocale, chooseTheme, useTerminal } from '../../state/terminal.ts'
import { ActionButton, Button, IconButton } from '../../ui/button.tsx'
import { SoundVolume } from '../sounds/sound-volume.tsx'
import { Explain } from './explain.tsx'
import styles from './status-bar.module.css'

/** Who is signed in, with what they may set and how they leave. */
export function Person() {
  const { t } = useWords()
  const signedIn = useTerminal((state) => state.terminal?.signedIn)
  if (!signedIn) return null
  return (
    <Explain
      name={t(signedIn.role === 'cashier' ? 'status.cashier' : `signIn.${signedIn.role}`)}
      state={signedIn.name}
      signal="person"
      icon={<CircleUserRound />}
    >
      <Preferences />
      <SoundVolume />
      <ActionButton id="shortcuts" icon={<Keyboard />} wide />
      <ActionButton id="switch-cashier" slot="close" icon={<Users />} wide />
      <ActionButton id="sign-out" icon={<LogOut />} wide />
    </Explain>
  )
}

/**
 * Language and appearance, also before anybody has signed in. The button has the name of the next language, in itself:
 * pressed again and again it comes round to each of them.
 */
export function Preferences() {
  const { t } = useWords()
  const { locale, theme } = useTerminal()
  const next = localeAfter(locale)
  return (
    <div className={styles['preferences']} role="group" aria-label={t('app.language')}>
      <Button look="quiet" lang={next} onPress={() => void chooseLocale(next)}>
        {LANGUAGES[next].name}
      </Button>
      <IconButton
        label={t(theme === 'dark' ? 'app.themeLight' : 'app.themeDark')}
        icon={theme === 'dark' ? <Sun /> : <Moon />}
        onPress={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}
      />
    </div>
  )
}
