import { Archive, CreditCard, Nfc, Printer, RectangleEllipsis, Scale, ScanBarcode } from 'lucide-react'
import type { Translate } from '../../core/i18n/message-key.ts'
import { printerTodo } from '../../core/i18n/printer-todo.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { showEarlierSales } from '../../payments/earlier-sales/earlier-sales.ts'
import { type DeviceFacts, useEvents } from '../../core/state/events.ts'
import { Button } from '../../core/ui/button.tsx'
import { Explain } from './explain.tsx'
import styles from './status-bar.module.css'

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
  scale: {
    name: 'status.scale',
    ready: 'status.scaleReadyHelp',
    problem: 'status.scaleProblemHelp',
    icon: <Scale />,
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

/**
 * Text for the cause of a device's problem, with the system's error code if any. The English detail is only for the
 * log.
 */
function reasonOf(t: Translate, { trouble }: DeviceFacts): string | null {
  if (trouble === undefined) return null
  const text = t(`devices.trouble.${trouble.kind}`, { holder: trouble.holder ?? 'none' })
  return trouble.code === null ? text : `${text} (${trouble.code})`
}

export function useDeviceTexts(role: DeviceFacts['role'], device: DeviceFacts | undefined) {
  const { t } = useI18n()
  const texts = DEVICES[role]
  const state = device?.state ?? 'not-configured'
  const [stateKey, signal] = device?.position ? DRAWER_STATES[device.position] : DEVICE_STATES[state]
  const todo = role === 'printer' ? printerTodo(t, device?.trouble?.kind) : null
  const problem = role === 'printer' ? `${todo ?? t(texts.problem)} ${t('status.printerSafe')}` : t(texts.problem)
  const help =
    state === 'ready' ? (todo ?? t(texts.ready)) : state === 'not-configured' ? t('status.notConfiguredHelp') : problem
  // The status bar itself names the one problem that a cashier can fix in a moment, missing paper, in place of the
  // general state.
  const seen = state === 'needs-attention' && device?.trouble?.kind === 'paper-out' ? t('status.paperOut') : t(stateKey)
  return {
    name: t(texts.name),
    state: seen,
    signal,
    help,
    icon: texts.icon,
    detail: device ? reasonOf(t, device) : null,
  }
}

export function DeviceStatus({
  role,
  device,
}: {
  readonly role: DeviceFacts['role']
  readonly device: DeviceFacts | undefined
}) {
  const { detail, ...shown } = useDeviceTexts(role, device)
  return <Explain {...shown} detail={detail} />
}

/**
 * Status of the drawer, which is connected to the printer. Without a wired switch its position is unknown, which is
 * shown too.
 */
export function DrawerStatus({
  printer,
  drawer,
}: {
  readonly printer: DeviceFacts | undefined
  readonly drawer: DeviceFacts | undefined
}) {
  const { t } = useI18n()
  const { detail, ...shown } = useDeviceTexts('drawer', drawer)
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

export function PrinterStatus({ device }: { readonly device: DeviceFacts | undefined }) {
  const { t } = useI18n()
  const { detail, ...shown } = useDeviceTexts('printer', device)
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
