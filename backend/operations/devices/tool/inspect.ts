import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { destination } from 'pino'
import type { Locale } from '../../../../contracts/core/locales.ts'
import type { LaneSettings, Profile } from '../../../../contracts/core/profile.ts'
import { systemClock } from '../../../core/clock.ts'
import { EXIT } from '../../../core/program/data-folder.ts'
import { loadLogo } from '../../../core/paper/images.ts'
import { createLogger } from '../../../core/log.ts'
import { PROCESS_NAME } from '../../../core/program/process.ts'
import { type DeviceHub, openDeviceHub } from '../../../core/devices/hub.ts'
import {
  type DeviceReport,
  type ToolEvent,
  allHealthy,
  lastReadOf,
  reportOf,
  laneDiskSpace,
  usualFolder,
} from './report.ts'
import { gatherRaw, type ToolOptions } from './options.ts'
import { jsonReporter, lineReporter, screenReporter } from './reporters.ts'
import { composeTestPage } from './test-page.ts'
import { type ToolMessages, toolMessages } from './messages.ts'
import type { TerminalEvent } from '../../../../contracts/core/events.ts'

function viewOf(options: ToolOptions, profile: Profile, lane: LaneSettings) {
  const messages = toolMessages(options.locale, profile, lane)
  const write = (text: string): void => {
    process.stdout.write(text)
  }
  const { now } = systemClock
  const room = () => laneDiskSpace(options.data ?? usualFolder(profile.store.id, lane.id))
  const redraws = process.stdout.isTTY && !options.once && !options.json
  const reporter = options.json
    ? jsonReporter(write, room)
    : redraws
      ? screenReporter(write, messages, now, room)
      : lineReporter(write, messages, now, room)
  return { words: messages, room, redraws, reporter }
}

const complain = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

/**
 * Time in ms after which every device has a state: a connection opens within three seconds, and a printer answers
 * within one more.
 */
const STATE_DEADLINE_MS = 6_000
/** Interval in ms at which the counts of reads and jobs are shown again, because no event reports their changes. */
const REDRAW_MS = 1_000

/**
 * Opens the devices of a lane as the terminal does, shows their state, and prints the test page on request. Resolves
 * with the exit code: `EXIT.folderInUse` while the terminal uses a device. With `once`, 0 when every device of the
 * profile is ready, the test page did not fail and the disk is not nearly full, otherwise 1. Without `once`, 0 when the
 * person stopped the CLI command (`enough`).
 */
export async function inspectDevices(
  options: ToolOptions,
  profile: Profile,
  lane: LaneSettings,
  enough: AbortSignal,
): Promise<number> {
  const { words: messages, room, redraws, reporter } = viewOf(options, profile, lane)
  const profileFile = options.profile
  const logo = loadLogo(profile, profileFile)
  const log = createLogger({ level: 'silent', destination: destination({ fd: 2, sync: true }) })
  const paperFolder = mkdtempSync(join(tmpdir(), 'milepost-devices-'))
  let changed = (): void => undefined
  let live = false
  /** One report is made after the other, so that they are shown in order. */
  let reporting: Promise<void> = Promise.resolve()

  const report = () => reportOf(hub, lane)
  function notify(event: ToolEvent): void {
    if (live)
      reporting = reporting.then(async () => {
        reporter.happened(event, await report())
      })
  }

  const raw = rawOf(notify)
  const publish = (event: TerminalEvent): void => {
    if (event.type !== 'device-health') return
    changed()
    notify({ kind: 'health', role: event.device.role })
  }
  const hub = await openDeviceHub(
    { profile, lane, log, publish },
    { paperFolder, profileFile, logo },
    {
      onRead: (role, read) => {
        notify({ kind: 'read', role, read: lastReadOf(role, read) })
      },
      onReading: (scale) => {
        notify({ kind: 'weight', role: 'scale', scale })
      },
      onMaskedBytes: (role, bytes) => {
        if (options.raw) raw.get(role)?.push(bytes)
      },
    },
  )

  // The timer redraws the report. It also keeps the process running, which an idle network printer and a signal handler
  // do not.
  const awake = setInterval(() => {
    if (live && redraws)
      reporting = reporting.then(async () => {
        reporter.picture(await report())
      })
  }, REDRAW_MS)
  try {
    hub.enable(() => undefined)
    await untilStatesKnown(
      () => hub.health().some(({ state }) => state === 'connecting'),
      (wake) => {
        changed = wake
      },
      enough,
    )
    const first = await report()
    const taken = first.filter(isTakenByTerminal)
    if (taken.length > 0) {
      complain(messages.terminalRuns(taken.map(({ role }) => role)))
      return EXIT.folderInUse
    }
    reporter.picture(first)
    live = true
    const printed = options.testPage ? await printTestPage(options.locale, profile, lane, messages, hub, notify) : true
    if (options.once) {
      await reporting
      return printed && allHealthy(await report()) && room().state !== 'short' ? 0 : 1
    }
    // A test page without a printer ends the CLI command after its message.
    if (!printed && !hub.printer) return 1
    await aborted(enough)
    for (const lines of raw.values()) lines.end()
    return 0
  } finally {
    clearInterval(awake)
    await reporting.catch(() => undefined)
    live = false
    await hub.close()
    rmSync(paperFolder, { recursive: true, force: true })
  }
}

type Notify = (event: ToolEvent) => void

const rawOf = (notify: Notify) =>
  new Map(
    (['card-reader', 'scanner', 'scale'] as const).map((role) => [
      role,
      gatherRaw((bytes) => {
        notify({ kind: 'raw', role, ...bytes })
      }),
    ]),
  )

const isTakenByTerminal = ({ health: { trouble } }: DeviceReport): boolean =>
  trouble?.holder?.split(', ').some((holder) => holder.startsWith(`${PROCESS_NAME} (`)) === true

async function printTestPage(
  locale: Locale,
  profile: Profile,
  lane: LaneSettings,
  messages: ToolMessages,
  hub: DeviceHub,
  notify: Notify,
): Promise<boolean> {
  const { printer } = lane.devices
  if (!hub.printer || !printer) {
    complain(messages.noPrinter)
    return false
  }
  notify({ kind: 'test-page', state: 'queued', detail: null })
  const document = composeTestPage({ profile, lane, printer, locale, at: systemClock.now() })
  const { state, detail } = await hub.printer.print({ document, openDrawer: false, copy: 0 })
  notify({ kind: 'test-page', state, detail })
  return state === 'confirmed' || state === 'sent'
}

const aborted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort')
}

async function untilStatesKnown(
  isUnknown: () => boolean,
  onChange: (wake: () => void) => void,
  enough: AbortSignal,
): Promise<void> {
  const patience = AbortSignal.any([AbortSignal.timeout(STATE_DEADLINE_MS), enough])
  while (isUnknown() && !patience.aborted) {
    await new Promise<void>((wake) => {
      onChange(wake)
      patience.addEventListener(
        'abort',
        () => {
          wake()
        },
        { once: true },
      )
    })
  }
}
