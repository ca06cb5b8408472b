import {
  CirclePause,
  CircleUserRound,
  CloudCheck,
  CloudOff,
  CloudAlert,
  Keyboard,
  LogOut,
  Moon,
  Sun,
  Users,
  GraduationCap,
  Inbox,
  CreditCard,
  ScanBarcode,
  Printer,
  Archive,
  Nfc,
  RectangleEllipsis,
  PlugZap,
  ClockAlert,
  Undo2,
} from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import type { ClockHealth } from '../../../contracts/api/diagnostics.ts'
import { LANGUAGES, localeAfter } from '../../../contracts/i18n/languages.ts'
import { useLocation } from 'wouter'
import type { Words } from '../../i18n/message-key.ts'
import { printerTodo } from '../../i18n/printer-todo.ts'
import { useWords } from '../../i18n/words.tsx'
import { useEvents, type DeviceFacts, type QueueFacts } from '../../state/events.ts'
import { HELD_SALES_PATH, useHeldSales } from '../../state/held-sales.ts'
import { showEarlierSales } from '../../state/earlier-sales.ts'
import { piecesInHand, RETURN_PATH, showReturn, useReturn } from '../../state/returns.ts'
import { chooseLocale, chooseTheme, useTerminal } from '../../state/terminal.ts'
import { ActionButton, Button, IconButton } from '../../ui/button.tsx'
import { SoundVolume } from '../sounds/sound-volume.tsx'
import { useCentralWords } from './central-messages.ts'
import { Explain, type Signal } from './explain.tsx'
import { useAvailableWidth } from './use-available-width.ts'
import styles from './status-bar.module.css'

export function StatusBar() {
  const { t } = useWords()
  const terminal = useTerminal((state) => state.terminal)
  const connected = useEvents((state) => state.connected)
  const [path] = useLocation()
  if (!terminal) return null
  const { signedIn } = terminal
  const manager = signedIn?.role === 'manager'
  return (
    <header className={styles['bar']} aria-label={t('status.label')}>
      <div className={styles['where']}>
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
          <span className={styles['lost']} role="alert">
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

/**
 * The places between where the terminal stands and who is at it: what is there has its place in sight, with its words
 * where there is room.
 */
function Row({ children }: { readonly children: ReactNode }) {
  return (
    <div ref={useAvailableWidth<HTMLDivElement>()} className={styles['signals']}>
      {children}
    </div>
  )
}

/** What the terminal's program told last; not shown while it is not heard, when nobody knows. */
function Signals({ manager }: { readonly manager: boolean }) {
  const { queue, devices, maintenance } = useEvents()
  const [, navigate] = useLocation()
  return (
    <>
      {maintenance && maintenance.clock.state !== 'right' && <WrongClock clock={maintenance.clock} />}
      <CentralStatus queue={queue} goEcho={manager ? () => navigate('/manager/echo') : undefined} />
      <QueueStatus queue={queue} goQueue={manager ? () => navigate('/manager/queue') : undefined} />
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
      {/* Only where there is one, and only while somebody should look. */}
      {devices
        .filter(
          (device) => (device.role === 'line-display' || device.role === 'card-terminal') && device.state !== 'ready',
        )
        .map((device) => (
          <DeviceStatus key={device.role} role={device.role} device={device} />
        ))}
    </>
  )
}

/**
 * How far the clock is off, in the largest unit that says it, and what to do. Also used by the page of the terminal.
 */
export function useClockWords({ state, aheadSeconds }: ClockHealth) {
  const { t } = useWords()
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
    help: t(state === 'off-central' ? 'status.clockOffCentralHelp' : 'status.clockBeforeJournalHelp'),
    signal: 'problem',
  } as const
}

function WrongClock({ clock }: { readonly clock: ClockHealth }) {
  const { t } = useWords()
  return <Explain {...useClockWords(clock)} name={t('status.clockName')} icon={<ClockAlert />} />
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
  const { t } = useWords()
  const central = queue?.central ?? 'unknown'
  const { state, help } = useCentralWords()(central)
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
  const { t } = useWords()
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

/** Only while a sale waits: at the end of the day nobody may forget one. */
function HeldStatus({ open }: { readonly open: () => void }) {
  const { t } = useWords()
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

/** Goods of a return that was left: its screen is one tap away, and nobody forgets it. */
function ReturnStatus() {
  const { t } = useWords()
  const [path] = useLocation()
  const count = useReturn(piecesInHand)
  // While it is being made it is neither begun nor done.
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

const DEVICES = {
  'card-reader': {
    name: 'status.cardReader',
    ready: 'status.cardReaderReadyHelp',
    problem: 'status.cardReaderProblemHelp',
    icon: <CreditCard />,
  },
  scanner: {
    name: 'status.scanner',
    ready: 'status.scannerReadyHelp',
    problem: 'status.scannerProblemHelp',
    icon: <ScanBarcode />,
  },
  printer: { name: 'status.printer', ready: 'status.printerReadyHelp', problem: 'devices.todo.any', icon: <Printer /> },
  drawer: {
    name: 'status.drawer',
    ready: 'status.drawerReadyHelp',
    problem: 'status.drawerProblemHelp',
    icon: <Archive />,
  },
  'line-display': {
    name: 'status.lineDisplay',
    ready: 'status.lineDisplayReadyHelp',
    problem: 'status.lineDisplayProblemHelp',
    icon: <RectangleEllipsis />,
  },
  'card-terminal': {
    name: 'status.cardTerminal',
    ready: 'status.cardTerminalReadyHelp',
    problem: 'status.cardTerminalProblemHelp',
    icon: <Nfc />,
  },
} as const

const DEVICE_STATES = {
  ready: ['status.ready', 'ok'],
  connecting: ['status.connecting', 'busy'],
  unavailable: ['status.unavailable', 'problem'],
  'needs-attention': ['status.needsAttention', 'problem'],
  'not-configured': ['status.notConfigured', 'neutral'],
} as const

const DRAWER_STATES = {
  open: ['status.drawerOpen', 'busy'],
  closed: ['status.drawerClosed', 'ok'],
} as const

/** What is wrong, with the system's own code where it has one. The English detail itself is for the log. */
function reasonOf(t: Words, { trouble }: DeviceFacts): string | null {
  if (trouble === undefined) return null
  const words = t(`devices.trouble.${trouble.kind}`, { holder: trouble.holder ?? 'none' })
  return trouble.code === null ? words : `${words} (${trouble.code})`
}

/** A device's state in words. Also used by the page of devices. */
export function useDeviceWords(role: DeviceFacts['role'], device: DeviceFacts | undefined) {
  const { t } = useWords()
  const words = DEVICES[role]
  const state = device?.state ?? 'not-configured'
  const [stateKey, signal] = device?.position ? DRAWER_STATES[device.position] : DEVICE_STATES[state]
  const todo = role === 'printer' ? printerTodo(t, device?.trouble?.kind) : null
  const problem = role === 'printer' ? `${todo ?? t(words.problem)} ${t('status.printerSafe')}` : t(words.problem)
  const help =
    state === 'ready' ? (todo ?? t(words.ready)) : state === 'not-configured' ? t('status.notConfiguredHelp') : problem
  // What a cashier mends in a moment is said in the bar itself.
  const seen = state === 'needs-attention' && device?.trouble?.kind === 'paper-out' ? t('status.paperOut') : t(stateKey)
  return {
    name: t(words.name),
    state: seen,
    signal,
    help,
    icon: words.icon,
    detail: device ? reasonOf(t, device) : null,
  }
}

function DeviceStatus({
  role,
  device,
}: {
  readonly role: DeviceFacts['role']
  readonly device: DeviceFacts | undefined
}) {
  const { detail, ...shown } = useDeviceWords(role, device)
  return <Explain {...shown} detail={detail} />
}

/** The drawer hangs on the printer: without a wired switch nobody knows how it stands, and that is said too. */
function DrawerStatus({
  printer,
  drawer,
}: {
  readonly printer: DeviceFacts | undefined
  readonly drawer: DeviceFacts | undefined
}) {
  const { t } = useWords()
  const { detail, ...shown } = useDeviceWords('drawer', drawer)
  if (drawer) return <Explain {...shown} detail={detail} />
  if (!printer || printer.state === 'not-configured') return null
  return (
    <span className={styles['roomy']}>
      <Explain
        name={shown.name}
        state={t('status.drawerNotWired')}
        signal="neutral"
        icon={shown.icon}
        help={t('status.drawerNotWiredHelp')}
      />
    </span>
  )
}

/** The printer, and how many receipts it still owes: what is not on paper stays in sight until somebody prints it. */
function PrinterStatus({ device }: { readonly device: DeviceFacts | undefined }) {
  const { t } = useWords()
  const { detail, ...shown } = useDeviceWords('printer', device)
  const count = useEvents((state) => state.notOnPaper)
  if (count === 0) return <Explain {...shown} detail={detail} />
  const state =
    shown.signal === 'ok' ? t('status.notOnPaper', { count }) : t('status.stateAndCount', { state: shown.state, count })
  return (
    <Explain {...shown} state={state} signal="problem" detail={detail}>
      <p>{t('status.notOnPaperHelp', { count })}</p>
      <Button slot="close" onPress={() => showEarlierSales({ filter: 'not-on-paper' })}>
        {t('status.openNotOnPaper')}
      </Button>
    </Explain>
  )
}

function Person() {
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
function Preferences() {
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

/** Until the backend has said how right its clock is, nothing is wrong with it. */
const UNCOMPARED: ClockHealth = { state: 'right', aheadSeconds: null }

function Clock() {
  const { t, format } = useWords()
  const [now, setNow] = useState(() => new Date().toISOString())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date().toISOString()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const clock = useClockWords(useEvents((state) => state.maintenance?.clock) ?? UNCOMPARED)
  return (
    <Explain name={t('status.clock')} state={format.time(now)} signal="clock" help={clock.help}>
      <p>
        <time dateTime={now.slice(0, 16)}>{format.dateTime(now)}</time>
      </p>
    </Explain>
  )
}
