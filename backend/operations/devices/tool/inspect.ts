import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { destination } from 'pino'
import type { Locale } from '../../../../contracts/core/locales.ts'
import type { Lane, Profile } from '../../../../contracts/core/profile.ts'
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

/** What the tool shows, and how, on this terminal. */
function viewOf(options: ToolOptions, profile: Profile, lane: Lane) {
  const words = toolMessages(options.locale, profile, lane)
  const write = (text: string): void => {
    process.stdout.write(text)
  }
  const { now } = systemClock
  const room = () => laneDiskSpace(options.data ?? usualFolder(profile.store.id, lane.id))
  /** Counts that change by themselves are drawn again on a screen only. */
  const redraws = process.stdout.isTTY && !options.once && !options.json
  const reporter = options.json
    ? jsonReporter(write, room)
    : redraws
      ? screenReporter(write, words, now, room)
      : lineReporter(write, words, now, room)
  return { words, room, redraws, reporter }
}

/** Words that are no picture: why the tool ends. */
const complain = (text: string): void => {
  process.stderr.write(`${text}\n`)
}

/** Every device has an answer by then: a wire opens within three seconds, a printer is asked within one more. */
const SETTLED_WITHIN_MS = 6_000
/** Counts change without an event. */
const REDRAW_MS = 1_000

/**
 * Looks at the devices of a lane through the terminal's own hub, shows what it sees, and prints the test page when
 * asked. Resolves with the exit code: once, 0 when every configured device is ready, the test page did not fail and the
 * disk has room; else 0 when the person ended it, which aborts `enough`.
 */
export async function inspectDevices(
  options: ToolOptions,
  profile: Profile,
  lane: Lane,
  enough: AbortSignal,
): Promise<number> {
  const { words, room, redraws, reporter } = viewOf(options, profile, lane)
  const profileFile = options.profile
  const logo = loadLogo(profile, profileFile)
  const log = createLogger({ level: 'silent', destination: destination({ fd: 2, sync: true }) })
  const paperFolder = mkdtempSync(join(tmpdir(), 'milepost-devices-'))
  let changed = (): void => undefined
  let live = false
  /** Told in order: a report takes a moment, and the next event may come meanwhile. */
  let telling: Promise<void> = Promise.resolve()

  const report = () => reportOf(hub, lane)
  function notify(event: ToolEvent): void {
    if (live)
      telling = telling.then(async () => {
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
      onMaskedBytes: (role, bytes) => {
        if (options.raw) raw.get(role)?.push(bytes)
      },
    },
  )

  // Between two questions a network printer keeps no process alive, and nor does a signal.
  const awake = setInterval(() => {
    if (live && redraws)
      telling = telling.then(async () => {
        reporter.picture(await report())
      })
  }, REDRAW_MS)
  try {
    hub.enable(() => undefined)
    await settled(
      () => hub.health().some(({ state }) => state === 'connecting'),
      (wake) => {
        changed = wake
      },
      enough,
    )
    const first = await report()
    const taken = first.filter(isTakenByTerminal)
    if (taken.length > 0) {
      complain(words.terminalRuns(taken.map(({ role }) => role)))
      return EXIT.folderInUse
    }
    reporter.picture(first)
    live = true
    const printed = options.testPage ? await printTestPage(options.locale, profile, lane, words, hub, notify) : true
    if (options.once) {
      await telling
      return printed && allHealthy(await report()) && room().state !== 'short' ? 0 : 1
    }
    // A person who is told that there is no printer has an answer and needs no picture that stands.
    if (!printed && !hub.printer) return 1
    await aborted(enough)
    for (const lines of raw.values()) lines.end()
    return 0
  } finally {
    clearInterval(awake)
    await telling.catch(() => undefined)
    live = false
    await hub.close()
    rmSync(paperFolder, { recursive: true, force: true })
  }
}

type Notify = (event: ToolEvent) => void

const rawOf = (notify: Notify) =>
  new Map(
    (['card-reader', 'scanner'] as const).map((role) => [
      role,
      gatherRaw((bytes) => {
        notify({ kind: 'raw', role, ...bytes })
      }),
    ]),
  )

const isTakenByTerminal = ({ health: { trouble } }: DeviceReport): boolean =>
  trouble?.holder?.split(', ').some((holder) => holder.startsWith(`${PROCESS_NAME} (`)) === true

/** Whether the page may be on paper. */
async function printTestPage(
  locale: Locale,
  profile: Profile,
  lane: Lane,
  words: ToolMessages,
  hub: DeviceHub,
  notify: Notify,
): Promise<boolean> {
  const { printer } = lane.devices
  if (!hub.printer || !printer) {
    complain(words.noPrinter)
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

/** Resolves when nothing is unsettled any more, or when it has taken too long, or when the person has seen enough. */
async function settled(
  unsettled: () => boolean,
  onChange: (wake: () => void) => void,
  enough: AbortSignal,
): Promise<void> {
  const patience = AbortSignal.any([AbortSignal.timeout(SETTLED_WITHIN_MS), enough])
  while (unsettled() && !patience.aborted) {
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
