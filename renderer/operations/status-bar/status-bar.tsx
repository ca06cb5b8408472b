import {
  CirclePause,
  CircleUserRound,
  ClockAlert,
  CloudAlert,
  CloudCheck,
  CloudOff,
  GraduationCap,
  Inbox,
  Keyboard,
  LogOut,
  Moon,
  PlugZap,
  Store,
  Sun,
  Undo2,
  Users,
} from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useI18n } from '../../core/i18n/i18n.ts'
import { type QueueFacts, useEvents } from '../../core/state/events.ts'
import { HELD_SALES_PATH, useHeldSales } from '../../sales/held-sales.ts'
import { RETURN_PATH, enteredPieces, showReturn, useReturn } from '../../payments/returns/returns.ts'
import { chooseLocale, chooseTheme, useTerminal } from '../../core/state/terminal.ts'
import { ActionButton, Button, IconButton } from '../../core/ui/button.tsx'
import { Explain, type Signal, useServicesTexts } from './explain.tsx'
import { DeviceStatus, DrawerStatus, PrinterStatus } from './device-status.tsx'
import styles from './status-bar.module.css'
import type { ClockHealth } from '../../../contracts/operations/diagnostics.ts'
import { LANGUAGES, localeAfter } from '../../../contracts/i18n/languages.ts'
import { SoundVolume } from '../sounds/sound-volume.tsx'

export function StatusBar() {
  const { t } = useI18n()
  const terminal = useTerminal((state) => state.terminal)
  const connected = useEvents((state) => state.connected)
  const [path] = useLocation()
  if (!terminal) return null
  const { signedIn } = terminal
  const manager = signedIn?.role === 'manager'
  return (
    <header className={`row-3 surface-1 ${styles['bar']}`} aria-label={t('status.label')}>
      <div className={`flex middle min-width-0 ${styles['lane']}`}>
        <img src="/milepost.svg" alt="" width={28} height={28} />
        <Explain
          name={terminal.store.name}
          state={t('status.lane', { lane: terminal.lane })}
          signal="place"
          help={t('status.laneHelp', { store: terminal.store.name, lane: terminal.lane })}
          detail={t('status.version', { version: terminal.version })}
        />
      </div>
      {terminal.mode === 'training' && (
        <Explain
          name={t('status.training')}
          state=""
          signal="training"
          icon={<GraduationCap />}
          help={t('status.trainingHelp')}
        >
          {signedIn && <ActionButton id="training" />}
        </Explain>
      )}
      <Row>
        {connected ? (
          signedIn && <Signals manager={manager} />
        ) : (
          <span className={`inline gap-2 middle text-s weight-600 nowrap ${styles['offline']}`} role="alert">
            <PlugZap aria-hidden="true" />
            {t('app.reconnecting')}
          </span>
        )}
      </Row>
      <div className={styles['person']}>
        {signedIn && path === '/' && <ActionButton id="store" look="quiet" hint={false} />}
        {signedIn && path !== '/' && <ActionButton id="sale" look="quiet" hint={false} />}
        {signedIn && <Person />}
        {!signedIn && <Preferences />}
        <Clock />
      </div>
    </header>
  )
}

/** Middle row of the status bar: entries about devices and services. Their texts are hidden where they do not fit. */
function Row({ children }: { readonly children: ReactNode }) {
  return (
    <div ref={useAvailableWidth<HTMLDivElement>()} className={`flex middle grow min-width-0 ${styles['signals']}`}>
      {children}
    </div>
  )
}

/**
 * Entries about the lane's devices and services. They show the last known state, and are hidden while the event stream
 * is disconnected.
 */
function Signals({ manager }: { readonly manager: boolean }) {
  const { queue, devices, maintenance } = useEvents()
  const [, navigate] = useLocation()
  return (
    <>
      {maintenance && maintenance.clock.state !== 'right' && <WrongClock clock={maintenance.clock} />}
      <CentralStatus queue={queue} goEcho={manager ? () => navigate('/manager/echo') : undefined} />
      <QueueStatus queue={queue} goQueue={manager ? () => navigate('/manager/queue') : undefined} />
      <StoreStatus goLanes={manager ? () => navigate('/manager/store-lanes') : undefined} />
      <HeldStatus open={() => navigate(HELD_SALES_PATH)} />
      <ReturnStatus />
      {(['card-reader', 'scanner'] as const).map((role) => (
        <DeviceStatus key={role} role={role} device={devices.find((device) => device.role === role)} />
      ))}
      <PrinterStatus device={devices.find((device) => device.role === 'printer')} />
      <DrawerStatus
        printer={devices.find((device) => device.role === 'printer')}
        drawer={devices.find((device) => device.role === 'drawer')}
      />
      {/* The line display, scale and card terminal have an entry only while they exist and need attention. */}
      {devices
        .filter(({ role, state }) => ['line-display', 'scale', 'card-terminal'].includes(role) && state !== 'ready')
        .map((device) => (
          <DeviceStatus key={device.role} role={device.role} device={device} />
        ))}
    </>
  )
}

const CENTRAL_MARKS = {
  online: { signal: 'ok', icon: <CloudCheck /> },
  offline: { signal: 'problem', icon: <CloudOff /> },
  outage: { signal: 'problem', icon: <CloudOff /> },
  'secret-refused': { signal: 'problem', icon: <CloudAlert /> },
  unknown: { signal: 'neutral', icon: <CloudAlert /> },
} as const

function CentralStatus({
  queue,
  goEcho,
}: {
  readonly queue: QueueFacts | null
  readonly goEcho: (() => void) | undefined
}) {
  const { t } = useI18n()
  const central = queue?.central ?? 'unknown'
  const { state, help } = useServicesTexts()(central)
  const { signal, icon } = CENTRAL_MARKS[central]
  return (
    <Explain name={t('status.central')} state={state} help={help} signal={signal} icon={icon}>
      {goEcho && (
        <Button slot="close" onPress={goEcho}>
          {t('status.openEcho')}
        </Button>
      )}
    </Explain>
  )
}

function QueueStatus({
  queue,
  goQueue,
}: {
  readonly queue: QueueFacts | null
  readonly goQueue: (() => void) | undefined
}) {
  const { t } = useI18n()
  const waiting = (queue?.waiting ?? 0) + (queue?.sending ?? 0)
  const attention = queue?.attention ?? 0
  const shown: { state: string; help: string; signal: Signal } =
    attention > 0
      ? {
          state: t('status.queueAttention', { count: attention }),
          help: t('status.queueAttentionHelp'),
          signal: 'problem',
        }
      : waiting > 0
        ? { state: t('status.queueWaiting', { count: waiting }), help: t('status.queueWaitingHelp'), signal: 'busy' }
        : { state: t('status.queueEmpty'), help: t('status.queueEmptyHelp'), signal: 'ok' }
  return (
    <Explain name={t('status.queue')} {...shown} icon={<Inbox />}>
      {goQueue && (
        <Button slot="close" onPress={goQueue}>
          {t('status.openQueue')}
        </Button>
      )}
    </Explain>
  )
}

function HeldStatus({ open }: { readonly open: () => void }) {
  const { t } = useI18n()
  const count = useHeldSales((state) => state.sales.length)
  if (count === 0) return null
  return (
    <Explain
      name={t('held.status')}
      state={t('held.statusCount', { count })}
      help={t('held.statusHelp', { count })}
      signal="busy"
      icon={<CirclePause />}
    >
      <Button slot="close" onPress={open}>
        {t('held.open')}
      </Button>
    </Explain>
  )
}

/** Entry for a return that the cashier left unfinished; a tap opens the return screen. */
function ReturnStatus() {
  const { t } = useI18n()
  const [path] = useLocation()
  const count = useReturn(enteredPieces)
  // A return that is being committed is neither open nor done, so it is hidden.
  const made = useReturn(({ busy }) => busy)
  if (count === 0 || made || path === RETURN_PATH) return null
  return (
    <Explain
      name={t('returns.begun')}
      state={t('returns.begunCount', { count })}
      help={t('returns.begunHelp')}
      signal="busy"
      icon={<Undo2 />}
    >
      <Button slot="close" onPress={() => void showReturn(null)}>
        {t('returns.goOn')}
      </Button>
    </Explain>
  )
}

const HELP = {
  'off-central': 'status.clockOffCentralHelp',
  'off-store': 'status.clockOffStoreHelp',
  'before-journal': 'status.clockBeforeJournalHelp',
} as const satisfies Record<Exclude<ClockHealth['state'], 'right'>, string>

export function useClockTexts({ state, aheadSeconds }: ClockHealth) {
  const { t } = useI18n()
  if (state === 'right')
    return { state: t('status.clockRight'), help: t('status.clockRightHelp'), signal: 'ok' } as const
  const seconds = aheadSeconds ?? 0
  const count = Math.abs(seconds)
  const [unit, size] =
    count >= 172_800
      ? (['days', 86_400] as const)
      : count >= 7_200
        ? (['hours', 3_600] as const)
        : count >= 60
          ? (['minutes', 60] as const)
          : (['seconds', 1] as const)
  const by = t(`status.clockBy.${unit}`, { count: Math.round(count / size) })
  return {
    state: t(seconds > 0 ? 'status.clockAhead' : 'status.clockBehind', { by }),
    help: t(HELP[state]),
    signal: 'problem',
  } as const
}

export function WrongClock({ clock }: { readonly clock: ClockHealth }) {
  const { t } = useI18n()
  return <Explain {...useClockTexts(clock)} name={t('status.clockName')} icon={<ClockAlert />} />
}

/** Healthy clock state, shown until the backend has compared its clock. */
const UNCOMPARED: ClockHealth = { state: 'right', aheadSeconds: null }

export function Clock() {
  const { t, format } = useI18n()
  const [now, setNow] = useState(() => new Date().toISOString())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date().toISOString()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const clock = useClockTexts(useEvents((state) => state.maintenance?.clock) ?? UNCOMPARED)
  return (
    <Explain name={t('status.clock')} state={format.time(now)} signal="clock" help={clock.help}>
      <p>
        <time dateTime={now.slice(0, 16)}>{format.dateTime(now)}</time>
      </p>
    </Explain>
  )
}

export function Person() {
  const { t } = useI18n()
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
 * Buttons for language and appearance, also before sign-in. The language button shows the name of the next language in
 * that language and cycles through all.
 */
export function Preferences() {
  const { t } = useI18n()
  const { locale, theme } = useTerminal()
  const next = localeAfter(locale)
  return (
    <div className={`between ${styles['preferences']}`} role="group" aria-label={t('app.language')}>
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

export function StoreStatus({ goLanes }: { readonly goLanes: (() => void) | undefined }) {
  const { t, format } = useI18n()
  const store = useEvents((state) => state.store)
  if (store === null || store.kind === 'none') return null
  const { kind, since, why, untold, aside } = store
  const isHealthy = kind === 'connected'
  return (
    <span className={isHealthy ? styles['roomy'] : styles['whole']}>
      <Explain
        name={t('status.store')}
        state={t(`status.storeState.${kind}`)}
        help={t(`status.storeWhat.${why ?? kind}`)}
        signal={isHealthy ? 'ok' : 'problem'}
        icon={<Store />}
      >
        {!isHealthy && <p>{t('status.storeNotNow')}</p>}
        <p>{t('status.storeSince', { time: format.dateTime(new Date(since).toJSON()) })}</p>
        {untold > 0 && <p>{t('status.storeUntold', { count: untold })}</p>}
        {aside > 0 && <p>{t('status.storeAside', { count: aside })}</p>}
        {goLanes && (
          <Button slot="close" onPress={goLanes}>
            {t('status.openLanes')}
          </Button>
        )}
      </Explain>
    </span>
  )
}

/** Steps of hiding texts, in order: none, states of healthy entries, all texts of healthy entries, all texts. */
const YIELDS = ['none', 'states', 'well', 'all'] as const

/**
 * Sets `data-yields` of a row to the first step at which all its entries are visible, or `all`. The number of entries
 * is not enough to decide, because the width of the texts depends on the language, the problems and the person. Runs
 * before paint, so that nothing jumps.
 */
export function useAvailableWidth<Row extends HTMLElement>(): RefObject<Row | null> {
  const ref = useRef<Row>(null)
  useLayoutEffect(() => {
    const row = ref.current
    if (!row) return undefined
    const reduceTexts = (): void => {
      for (const yields of YIELDS) {
        row.dataset['yields'] = yields
        if (row.scrollWidth <= row.clientWidth) return
      }
    }
    const resized = new ResizeObserver(reduceTexts)
    resized.observe(row)
    const reworded = new MutationObserver(reduceTexts)
    reworded.observe(row, { subtree: true, childList: true, characterData: true, attributeFilter: ['class'] })
    document.fonts.addEventListener('loadingdone', reduceTexts)
    reduceTexts()
    return () => {
      resized.disconnect()
      reworded.disconnect()
      document.fonts.removeEventListener('loadingdone', reduceTexts)
    }
  }, [])
  return ref
}
