import './core/ui/primitives.css'
import { LoaderCircle, Unplug } from 'lucide-react'
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react'
import { Router } from 'wouter'
import styles from './app.module.css'
import { SignIn } from './staff/sign-in.tsx'
import { StatusBar } from './operations/status-bar/status-bar.tsx'
import { Stopped } from './operations/status-bar/stopped.tsx'
import { preloadCatalogs } from './core/i18n/catalogs.ts'
import { useI18n, LanguageProvider } from './core/i18n/i18n.ts'
import { WithStoreTexts } from './core/i18n/store-texts.tsx'
import { loadChunk, preloadChunk } from './core/loading/chunks.ts'
import { reloadState } from './core/state/events.ts'
import { followEvents } from './core/state/follow-events.ts'
import { problemText } from './core/state/notices.ts'
import { openTerminal, useTerminal, windowRole as role } from './core/state/terminal.ts'
import { Button } from './core/ui/button.tsx'
import { LiveRegions, Notices } from './core/ui/notices.tsx'
import { FullPage } from './core/ui/surface.tsx'

// Only the sign-in screen is part of the first load; this chunk is preloaded when that screen is visible.
const loadSignedIn = () => import('./signed-in.tsx')
const SignedIn = lazy(() => loadChunk(loadSignedIn))
/** Preloads the other screens and languages when the sign-in screen is painted and the browser is idle. */
const preloadRest = (): void => {
  requestAnimationFrame(() =>
    requestIdleCallback(() => {
      void preloadChunk(loadSignedIn)
      void preloadCatalogs()
    }),
  )
}
const FirstStart = lazy(() => loadChunk(() => import('./operations/enrol-lane.tsx')))
const CustomerDisplay = lazy(() => loadChunk(() => import('./payments/customer-display/customer-display.tsx')))

export function App() {
  const { phase, locale, theme, terminal } = useTerminal()
  useEffect(() => {
    void openTerminal()
    // A new launch link entered in a window without a session changes only the fragment, so the browser does not load
    // the page again.
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
    <LanguageProvider locale={locale} timeZone={terminal?.timeZone}>
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
          <StartScreen />
        )}
      </Router>
    </LanguageProvider>
  )
}

const RETRY_MS = 2_000

function StartScreen() {
  const i18n = useI18n()
  const { t } = i18n
  const { phase, problem } = useTerminal()
  const late = useLate(5_000)
  // A restarting terminal responds soon, so the window retries by itself.
  useEffect(() => {
    if (phase !== 'unreachable') return undefined
    const timer = setTimeout(() => void openTerminal(), RETRY_MS)
    return () => clearTimeout(timer)
  }, [phase])
  if (phase === 'opening') {
    return (
      <FullPage tone="calm" icon={<LoaderCircle className="spin" />} title={t('app.opening')}>
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
      {problem && <p>{problemText(problem)(i18n)}</p>}
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

const signIn = (below?: ReactNode) => <SignIn onShown={preloadRest}>{below}</SignIn>

function Cashier() {
  const { t } = useI18n()
  const terminal = useTerminal((state) => state.terminal)
  const signedIn = terminal?.signedIn?.id
  const training = terminal?.mode === 'training'
  // The enrolment screen keeps showing the result of an enrolment, also when the lane is ready to sell.
  const [first, setFirst] = useState(false)
  if (terminal?.toEnrol && !first) setFirst(true)
  // Only a signed-in person may read the lane's state, so an open sale is loaded after the sign-in.
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
          {signedIn ? (
            <WithStoreTexts>
              <SignedIn training={training} />
            </WithStoreTexts>
          ) : (
            <FirstStart signIn={signIn} />
          )}
        </Suspense>
      ) : (
        signIn()
      )}
      {!signedIn && (
        <div className={styles['start']}>
          <Notices />
        </div>
      )}
      <LiveRegions />
    </div>
  )
}
