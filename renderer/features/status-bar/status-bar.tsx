import { CirclePause, CloudAlert, CloudCheck, CloudOff, GraduationCap, Inbox, PlugZap, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { useWords } from '../../i18n/words.tsx'
import { useEvents, type QueueFacts } from '../../state/events.ts'
import { HELD_SALES_PATH, useHeldSales } from '../../state/held-sales.ts'
import { piecesInHand, RETURN_PATH, showReturn, useReturn } from '../../state/returns.ts'
import { useTerminal } from '../../state/terminal.ts'
import { ActionButton, Button } from '../../ui/button.tsx'
import { useCentralWords } from './central-messages.ts'
import { Clock, WrongClock } from './clock.tsx'
import { DeviceStatus, DrawerStatus, PrinterStatus } from './device-status.tsx'
import { Explain, type Signal } from './explain.tsx'
import { Person, Preferences } from './person.tsx'
import { StoreStatus } from './store-status.tsx'
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
