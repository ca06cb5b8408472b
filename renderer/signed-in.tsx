import './core/ui/primitives-later.css'
import { lazy, Suspense, useEffect, useLayoutEffect } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { WeighDialog } from './sales/screen/weigh-dialog.tsx'
import { ApprovalDialog } from './sales/approval-dialog.tsx'
import { SaleScreen, ShortcutCard } from './sales/screen/sale-screen.tsx'
import { useI18n } from './core/i18n/i18n.ts'
import { loadChunk } from './core/loading/chunks.ts'
import { notifyActivity, useShell } from './core/state/window.ts'
import { useNotices, type Notice } from './core/state/notices.ts'
import { RETURN_PATH } from './payments/returns/returns.ts'
import { useTerminal } from './core/state/terminal.ts'
import styles from './signed-in.module.css'
import { TouchKeyboard } from './core/ui/touch-keyboard.tsx'
import { useKeyboardMap } from './core/ui/use-actions.ts'
import { SwitchCashier } from './staff/switch-cashier.tsx'

// These screens are loaded on demand, so that they do not delay the sale screen.
const ReturnScreen = lazy(() => loadChunk(() => import('./payments/returns/return-screen.tsx')))
const TrainingDevices = lazy(() => loadChunk(() => import('./operations/training-devices.tsx')))
const StorePages = lazy(() => loadChunk(() => import('./store-pages.tsx')))

export { TouchKeyboard }

/** All screens after sign-in, in a chunk of their own, so that a lane's first screen does not wait for them. */
export default function SignedIn({ training }: { readonly training: boolean }) {
  const { t } = useI18n()
  useEffect(() => notifyActivity(), [])
  const trainingOpen = useShell((state) => state.trainingOpen)
  return (
    <div className={styles['body']}>
      {training && trainingOpen && (
        <Suspense fallback={<p role="status">{t('app.loading')}</p>}>
          <TrainingDevices />
        </Suspense>
      )}
      <main className={styles['main']} aria-label={t('app.mainLabel')}>
        <Screens />
        <ApprovalDialog />
        <WeighDialog />
        <TouchKeyboard />
      </main>
    </div>
  )
}

/**
 * Whether a notice disappears when its Store page is left. A notice with a topic stays, and so does the one about a
 * lost connection.
 */
const belongsToPage = ({ page, topic, problem }: Notice): boolean =>
  page?.startsWith('/manager') === true && topic === null && problem !== 'terminal-unreachable'
const removeNoticesOfOtherPages = (path: string): void =>
  useNotices.setState(({ notices }) => ({
    notices: notices.filter((notice) => notice.page === path || !belongsToPage(notice)),
  }))

let lastPerson: string | undefined
/** Shows the sale when a person other than a manager takes over on a Store page, which may be for managers only. */
function useSaleAfterTakeover(): void {
  const person = useTerminal(({ terminal }) => terminal?.signedIn)
  useLayoutEffect(() => {
    if (!person) return
    const isTakeover = lastPerson !== undefined && lastPerson !== person.id
    lastPerson = person.id
    if (isTakeover && person.role !== 'manager' && location.pathname.startsWith('/manager')) navigate('/')
  }, [person])
}

function Screens() {
  const { t } = useI18n()
  useKeyboardMap()
  useSaleAfterTakeover()
  const [path] = useLocation()
  useEffect(() => removeNoticesOfOtherPages(path), [path])
  return (
    <>
      <Switch>
        <Route path="/">
          <SaleScreen />
        </Route>
        <Route path={RETURN_PATH}>
          <Suspense
            fallback={
              <p className="dim pad-6" role="status">
                {t('app.loading')}
              </p>
            }
          >
            <ReturnScreen />
          </Suspense>
        </Route>
        <Route path="/manager/:section?">
          {({ section }) => (
            <Suspense
              fallback={
                <p className="dim pad-6" role="status">
                  {t('app.loading')}
                </p>
              }
            >
              <StorePages section={section ?? 'overview'} />
            </Suspense>
          )}
        </Route>
        <Route>
          <SaleScreen />
        </Route>
      </Switch>
      <ShortcutCard />
      <SwitchCashier />
    </>
  )
}
