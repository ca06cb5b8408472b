import './core/ui/primitives-later.css'
import { lazy, Suspense, useEffect, useLayoutEffect } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import { navigate } from 'wouter/use-browser-location'
import { ApprovalDialog } from './sales/approval-dialog.tsx'
import { SaleScreen, ShortcutCard } from './sales/screen/sale-screen.tsx'
import { BehindStoreWords } from './core/i18n/store-words.tsx'
import { useWords } from './core/i18n/words.tsx'
import { needed } from './core/loading/parts.ts'
import { notifyActivity, useShell } from './core/state/window.ts'
import { useNotices, type Notice } from './core/state/notices.ts'
import { RETURN_PATH } from './payments/returns/returns.ts'
import { useTerminal } from './core/state/terminal.ts'
import styles from './signed-in.module.css'
import { TouchKeyboard } from './core/ui/touch-keyboard.tsx'
import { useKeyboardMap } from './core/ui/use-actions.ts'
import { SwitchCashier } from './staff/switch-cashier.tsx'

// Nor do the manager's pages, the returns and the training devices wait in the way of the sale.
const ReturnScreen = lazy(() => needed(() => import('./payments/returns/return-screen.tsx')))
const TrainingDevices = lazy(() => needed(() => import('./operations/training-devices.tsx')))
const StorePages = lazy(() => needed(() => import('./store-pages.tsx')))

export { TouchKeyboard }

/**
 * Everything behind the sign-in: a part of the program of its own, so that a lane's first picture does not wait for it.
 */
export default function SignedIn({ training }: { readonly training: boolean }) {
  const { t } = useWords()
  useEffect(() => notifyActivity(), [])
  const trainingOpen = useShell((state) => state.trainingOpen)
  return (
    <div className={styles['body']}>
      {training && trainingOpen && (
        <BehindStoreWords>
          <Suspense fallback={<p role="status">{t('app.loading')}</p>}>
            <TrainingDevices />
          </Suspense>
        </BehindStoreWords>
      )}
      <main className={styles['main']} aria-label={t('app.mainLabel')}>
        <Screens />
        <ApprovalDialog />
        <TouchKeyboard />
      </main>
    </div>
  )
}

/** A notice of a Store page goes when that page is left; one with a topic, or of the lost connection, stays. */
const belongsToPage = ({ page, topic, problem }: Notice): boolean =>
  page?.startsWith('/manager') === true && topic === null && problem !== 'terminal-unreachable'
const removeNoticesOfOtherPages = (path: string): void =>
  useNotices.setState(({ notices }) => ({
    notices: notices.filter((notice) => notice.page === path || !belongsToPage(notice)),
  }))

/** Who was signed in at this window last. It outlasts a lane that locks itself. */
let lastPerson: string | undefined
/** A cashier who takes over from another person comes to the sale: the page may be for managers only. */
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
  const { t } = useWords()
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
            <BehindStoreWords>
              <ReturnScreen />
            </BehindStoreWords>
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
