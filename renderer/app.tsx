import './core/ui/primitives.css'
import { LoaderCircle, Unplug } from 'lucide-react'
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react'
import { Router } from 'wouter'
import styles from './app.module.css'
import { SignIn } from './staff/sign-in.tsx'
import { StatusBar } from './operations/status-bar/status-bar.tsx'
import { Stopped } from './operations/status-bar/stopped.tsx'
import { catalogsSoon } from './core/i18n/catalogs.ts'
import { useWords, Words } from './core/i18n/words.tsx'
import { needed, soon } from './core/loading/parts.ts'
import { reloadState } from './core/state/events.ts'
import { followEvents } from './core/state/follow-events.ts'
import { problemSaying } from './core/state/notices.ts'
import { openTerminal, useTerminal, windowRole as role } from './core/state/terminal.ts'
import { Button } from './core/ui/button.tsx'
import { LiveRegions, Notices } from './core/ui/notices.tsx'
import { FullPage } from './core/ui/surface.tsx'

// A lane shows who may sign in at once; what comes after is asked for as soon as that stands there.
const loadSignedIn = () => import('./signed-in.tsx')
const SignedIn = lazy(() => needed(loadSignedIn))
/** When the sign-in is painted and the browser has nothing else to do. */
const askForTheRest = (): void => {
  requestAnimationFrame(() =>
    requestIdleCallback(() => {
      void soon(loadSignedIn)
      void catalogsSoon()
    }),
  )
}
const FirstStart = lazy(() => needed(() => import('./operations/enrol-lane.tsx')))
const CustomerDisplay = lazy(() => needed(() => import('./payments/customer-display/customer-display.tsx')))

export function App() {
  const { phase, locale, theme, terminal } = useTerminal()
  useEffect(() => {
    void openTerminal()
    // A newer link typed into the address of a window that was refused: only the fragment differs, and the browser
    // loads nothing.
    const again = (): void => {
      if (useTerminal.getState().phase === 'refused') void openTerminal()
    }
    addEventListener('hashchange', again)
    return () => removeEventListener('hashchange', again)
  }, [])
  useEffect(() => {
    document.documentElement.lang = locale
    document.documentElement.dataset['theme'] = theme
  }, [locale, theme])
  useEffect(() => (phase === 'ready' ? followEvents(role) : undefined), [phase])
  return (
    <Words locale={locale} timeZone={terminal?.timeZone}>
      <Router>
        {phase === 'ready' ? (
          role === 'display' ? (
            <Suspense fallback={null}>
              <CustomerDisplay />
            </Suspense>
          ) : (
            <Cashier />
          )
        ) : (
          <Door />
        )}
      </Router>
    </Words>
  )
}

const RETRY_MS = 2_000

/** Before the terminal is open: what is being waited for, and what to do when it does not come. */
function Door() {
  const words = useWords()
  const { t } = words
  const { phase, problem } = useTerminal()
  const late = useLate(5_000)
  // A terminal that is starting again answers soon: nobody has to press for it.
  useEffect(() => {
    if (phase !== 'unreachable') return undefined
    const timer = setTimeout(() => void openTerminal(), RETRY_MS)
    return () => clearTimeout(timer)
  }, [phase])
  if (phase === 'opening') {
    return (
      <FullPage tone="calm" icon={<LoaderCircle className="turning" />} title={t('app.opening')}>
        {late && <p>{t('app.openingLong')}</p>}
      </FullPage>
    )
  }
  return (
    <FullPage
      tone="danger"
      icon={<Unplug />}
      title={t(phase === 'unreachable' ? 'app.unreachableTitle' : 'app.refusedTitle')}
    >
      {problem && <p>{problemSaying(problem)(words)}</p>}
      <Button look="primary" size="l" autoFocus onPress={() => void openTerminal()}>
        {t('app.tryAgain')}
      </Button>
    </FullPage>
  )
}

function useLate(afterMs: number): boolean {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), afterMs)
    return () => clearTimeout(timer)
  }, [afterMs])
  return late
}

const signIn = (below?: ReactNode) => <SignIn onShown={askForTheRest}>{below}</SignIn>

function Cashier() {
  const { t } = useWords()
  const terminal = useTerminal((state) => state.terminal)
  const signedIn = terminal?.signedIn?.id
  const training = terminal?.mode === 'training'
  // What came is told where it was asked for, also once the lane is one that sells.
  const [first, setFirst] = useState(false)
  if (terminal?.toEnrol && !first) setFirst(true)
  // What the lane holds may be asked only by who is signed in: a sale left open comes back with the next cashier.
  useEffect(() => {
    if (signedIn) void reloadState()
  }, [signedIn])
  if (terminal?.stopped) return <Stopped reason={terminal.stopped} />
  return (
    <div className={`grid single full-height ${styles['shell']} ${training ? styles['training'] : ''}`}>
      <StatusBar />
      {signedIn || first ? (
        <Suspense
          fallback={
            <p className="dim pad-6" role="status">
              {t('app.loading')}
            </p>
          }
        >
          {signedIn ? <SignedIn training={training} /> : <FirstStart signIn={signIn} />}
        </Suspense>
      ) : (
        signIn()
      )}
      {!signedIn && (
        <div className={styles['door']}>
          <Notices />
        </div>
      )}
      <LiveRegions />
    </div>
  )
}
