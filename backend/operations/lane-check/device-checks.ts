import { constants } from 'node:fs'
import { access, mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { destination } from 'pino'
import type { LaneFinding } from '../../../contracts/operations/lane-check-page.ts'
import type { DeviceHealth, Trouble } from '../../../contracts/operations/diagnostics.ts'
import type { LaneSettings, Profile } from '../../../contracts/core/profile.ts'
import type { Localized } from '../../../contracts/core/locales.ts'
import { openDeviceHub } from '../../core/devices/hub.ts'
import { identityOf } from '../devices/tool/identity.ts'
import { createLogger } from '../../core/log.ts'
import { finding, inEach } from './finding.ts'
import type { ReadLane } from './lane.ts'

type Role = DeviceHealth['role']
type Connection = NonNullable<LaneSettings['devices']['printer']>['connection']

interface NamedDevice {
  readonly role: Role
  /** Connection of the device; `other`: neither a path nor a port of this computer. */
  readonly connection: Connection | { readonly kind: 'virtual' | 'other' }
}
export interface SeenDevice extends NamedDevice {
  /** State of the device; null when a running terminal uses it, so that it was not opened. */
  readonly health: DeviceHealth | null
}

/** Time in ms within which an opened port or network device has answered. */
const STATE_DEADLINE_MS = 5_000

/**
 * Returns the state of every device: from the running terminal, otherwise by opening it as the terminal would. Nothing
 * is opened while a terminal runs in another process, because a receipt may be printing.
 */
export async function lookAtDevices(lane: ReadLane, signal: AbortSignal): Promise<readonly SeenDevice[]> {
  const { read, running, terminalPid } = lane
  if (read.kind !== 'good' || read.lane === null) return []
  const named = namedDevices(read.lane)
  const health =
    running === null
      ? terminalPid === null
        ? await openedHealth(lane, read.profile, read.lane, signal)
        : []
      : running.health()
  return named.map(({ role, connection }) => ({
    role,
    connection,
    health: health.find((one) => one.role === role) ?? null,
  }))
}

function namedDevices({ devices }: LaneSettings): NamedDevice[] {
  const { cardReader, scanner, printer, lineDisplay, scale, cardTerminal } = devices
  const named: NamedDevice[] = []
  if (cardReader) named.push({ role: 'card-reader', connection: cardReader.connection })
  if (scanner) named.push({ role: 'scanner', connection: scanner.connection })
  if (printer) named.push({ role: 'printer', connection: printer.connection })
  if (lineDisplay) named.push({ role: 'line-display', connection: lineDisplay.connection })
  if (scale) named.push({ role: 'scale', connection: scale.connection })
  if (cardTerminal)
    named.push({
      role: 'card-terminal',
      connection: { kind: cardTerminal.connection.kind === 'virtual' ? 'virtual' : 'other' },
    })
  return named
}

async function openedHealth(
  { profileFile, bundleFile, bundle }: ReadLane,
  profile: Profile,
  lane: LaneSettings,
  signal: AbortSignal,
): Promise<readonly DeviceHealth[]> {
  const real = Object.fromEntries(
    Object.entries(lane.devices).filter(([, device]) => device?.connection.kind !== 'virtual'),
  ) satisfies LaneSettings['devices']
  const paperFolder = await mkdtemp(join(tmpdir(), 'milepost-check-'))
  let changed = (): void => undefined
  const hub = await openDeviceHub(
    {
      profile,
      lane: { ...lane, devices: real },
      publish: () => {
        changed()
      },
      log: createLogger({ level: 'silent', destination: destination({ fd: 2, sync: true }) }),
    },
    { paperFolder, profileFile: bundle.kind === 'sold' ? bundle.sold.profileFile : (profileFile ?? bundleFile ?? '') },
  )
  // The timer keeps the process running: an idle network printer and a signal do not.
  const awake = setInterval(() => undefined, 1_000)
  try {
    const late = AbortSignal.any([signal, AbortSignal.timeout(STATE_DEADLINE_MS)])
    while (!late.aborted && hub.health().some(({ state }) => state === 'connecting'))
      await new Promise<void>((wake) => {
        changed = wake
        late.addEventListener(
          'abort',
          () => {
            wake()
          },
          { once: true },
        )
      })
    return hub.health()
  } finally {
    clearInterval(awake)
    await hub.close()
    await rm(paperFolder, { recursive: true, force: true })
  }
}

export async function deviceFindings(
  lane: ReadLane,
  seen: readonly SeenDevice[],
  byId?: string,
): Promise<LaneFinding[]> {
  if (lane.read.kind !== 'good' || lane.read.lane === null) return [finding('needs-profile')]
  if (seen.length === 0) return [finding('devices-none')]
  return (await Promise.all(seen.map((device) => findingsOf(device, lane.terminalPid !== null, byId)))).flat()
}

async function findingsOf(
  { role, connection, health }: SeenDevice,
  terminalRuns: boolean,
  byId: string | undefined,
): Promise<LaneFinding[]> {
  const name = inEach((t) => t(`installer.role.${role}`))
  const deviceFinding = (
    code: 'device-virtual' | 'device-ready' | 'device-unseen' | 'device-with-terminal',
  ): LaneFinding => finding(code, { role: name })
  if (connection.kind === 'virtual') return [deviceFinding('device-virtual')]
  const path = 'path' in connection ? connection.path : null
  const shut = path === null ? null : await forbiddenPath(path)
  if (shut !== null) return [finding('device-not-allowed', { role: name, path: shut.path, group: shut.group })]
  const identity = connection.kind === 'serial' ? await identityOf(connection.path, byId) : null
  const moves =
    path !== null && identity !== null && !identity.stable && identity.own.length > 0
      ? [finding('device-moves', { role: name, path })]
      : []
  if (health === null) return [deviceFinding(terminalRuns ? 'device-with-terminal' : 'device-unseen'), ...moves]
  if (health.state === 'ready') return [deviceFinding('device-ready'), ...moves]
  const trouble = health.trouble ?? { kind: 'not-open', holder: null, code: null }
  return [
    finding(health.state === 'needs-attention' ? 'device-attention' : 'device-trouble', {
      role: name,
      trouble: troubleText(trouble, health.detail),
      advice: adviceText(trouble, path ?? ''),
    }),
    ...moves,
  ]
}

async function forbiddenPath(path: string): Promise<{ readonly path: string; readonly group: string } | null> {
  const found = await stat(path).catch(() => null)
  if (found === null || process.platform === 'win32') return null
  try {
    await access(path, constants.R_OK | constants.W_OK)
    return null
  } catch {
    return { path, group: await groupNamed(found.gid) }
  }
}

async function groupNamed(id: number): Promise<string> {
  const groups = await readFile('/etc/group', 'utf8').catch(() => '')
  return (
    groups
      .split('\n')
      .map((line) => line.split(':'))
      .find(([, , gid]) => gid === String(id))?.[0] ?? 'dialout'
  )
}

function troubleText({ kind, holder, code }: Trouble, detail: string | null): string | Localized {
  if (kind === 'other') return detail ?? ''
  return inEach(
    (t) => `${t(`screens.devices.trouble.${kind}`, { holder: holder ?? 'none' })}${code === null ? '' : ` (${code})`}`,
  )
}

const adviceText = ({ kind, holder }: Trouble, path: string): Localized =>
  inEach((t) => {
    if (kind !== 'in-use') return t(`installer.trouble.${kind}`)
    return holder === null
      ? t('installer.trouble.in-use-by-somebody', { path })
      : t('installer.trouble.in-use', { holder })
  })

const PAPER = { 'paper-low': 'paper-low', 'paper-out': 'paper-out', 'cover-open': 'paper-cover-open' } as const

export function paperFindings({ read }: ReadLane, seen: readonly SeenDevice[]): LaneFinding[] {
  if (read.kind !== 'good' || read.lane === null) return [finding('needs-profile')]
  const printer = seen.find(({ role }) => role === 'printer')
  if (printer === undefined) return [finding('paper-no-printer')]
  const { health } = printer
  const kind = health?.trouble?.kind
  if (kind === 'paper-low' || kind === 'paper-out' || kind === 'cover-open') return [finding(PAPER[kind])]
  return [finding(health?.state === 'ready' && kind === undefined ? 'paper-there' : 'paper-unseen')]
}
