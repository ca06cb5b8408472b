import { lazy, Suspense, useEffect } from 'react'
import { Route, Switch, useLocation } from 'wouter'
import styles from './app.module.css'
import { ApprovalDialog } from './features/approval/approval-dialog.tsx'
import { SaleScreen } from './features/sale/sale-screen.tsx'
import { ShortcutCard } from './features/sale/shortcut-card.tsx'
import { SwitchCashier } from './features/sign-in/switch-cashier.tsx'
import { BehindStoreWords } from './i18n/store-words.tsx'
import { useWords } from './i18n/words.tsx'
import { needed } from './loading/parts.ts'
import { notifyActivity } from './state/activity.ts'
import { leavePages } from './state/notices.ts'
import { RETURN_PATH } from './state/returns.ts'
import { useShell } from './state/shell.ts'
import { Notices } from './ui/notices.tsx'
import { TouchKeyboard } from './ui/touch-keyboard.tsx'
import { useKeyboardMap } from './ui/use-actions.ts'

// Nor do the manager's pages, the returns and the training devices wait in the way of the sale.
const ReturnScreen = lazy(() => needed(() => import('./features/returns/return-screen.tsx')))
const TrainingDevices = lazy(() => needed(() => import('./features/training/training-devices.tsx')))
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

function Screens() {
  const { t } = useWords()
  useKeyboardMap()
  const [path] = useLocation()
  useEffect(() => leavePages(path), [path])
  return (
    <>
      <Switch>
        <Route path="/">
          <SaleScreen />
        </Route>
        <Route path={RETURN_PATH}>
          <Suspense
            fallback={
              <p className={styles['loading']} role="status">
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
            <div className={styles['pages']}>
              <Suspense
                fallback={
                  <p className={styles['loading']} role="status">
                    {t('app.loading')}
                  </p>
                }
              >
                <StorePages section={section ?? 'overview'} />
              </Suspense>
              <Notices />
            </div>
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
