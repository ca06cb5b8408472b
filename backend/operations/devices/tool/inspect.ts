import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locale } from '../../../../contracts/core/locales.ts'
import type { Lane, Profile } from '../../../../contracts/core/profile.ts'
import type { Clock } from '../../../core/clock.ts'
import { EXIT } from '../../../core/program/data-folder.ts'
import { loadLogo } from '../../../core/paper/images.ts'
import type { Logger } from '../../../core/log.ts'
import { PROCESS_NAME } from '../../../core/program/process.ts'
import { type DeviceHub, openDeviceHub } from '../../../core/devices/hub.ts'
import { type DeviceReport, type LaneDiskSpace, type ToolEvent, allHealthy, lastReadOf, reportOf } from './report.ts'
import { gatherRaw } from './options.ts'
import type { Reporter } from './reporters.ts'
import { composeTestPage } from './test-page.ts'
import type { ToolMessages } from './messages.ts'
import type { TerminalEvent } from '../../../../contracts/core/events.ts'

export interface InspectOptions {
  readonly profile: Profile
  readonly profileFile: string
  readonly lane: Lane
  readonly locale: Locale
  readonly once: boolean
  readonly raw: boolean
  readonly testPage: boolean
  readonly reporter: Reporter
  readonly room: () => LaneDiskSpace
  readonly words: ToolMessages
  /** Words that are no picture: why the tool ends. */
  readonly complain: (words: string) => void
  /** Whether counts that change by themselves are worth drawing again: on a screen. */
  readonly redraws: boolean
  readonly clock: Clock
  readonly log: Logger
  /** Aborted when the person has seen enough. */
  readonly enough: AbortSignal
}

/** Every device has an answer by then: a wire opens within three seconds, a printer is asked within one more. */
const SETTLED_WITHIN_MS = 6_000
/** Counts change without an event. */
const REDRAW_MS = 1_000

/**
 * Looks at the devices of a lane through the terminal's own hub, shows what it sees, and prints the test page when
 * asked. Resolves with the exit code: once, 0 when every configured device is ready, the test page did not fail and the
 * disk has room; else 0 when the person ended it.
 */
export async function inspectDevices(options: InspectOptions): Promise<number> {
  const { profile, lane, reporter, words, enough } = options
  const logo = loadLogo(profile, options.profileFile)
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
    { profile, lane, log: options.log, publish },
    { paperFolder, profileFile: options.profileFile, logo },
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
    if (live && options.redraws)
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
      options.complain(words.terminalRuns(taken.map(({ role }) => role)))
      return EXIT.folderInUse
    }
    reporter.picture(first)
    live = true
    const printed = options.testPage ? await printTestPage(options, hub, notify) : true
    if (options.once) {
      await telling
      return printed && allHealthy(await report()) && options.room().state !== 'short' ? 0 : 1
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
  { profile, lane, locale, clock, words, complain }: InspectOptions,
  hub: DeviceHub,
  notify: Notify,
): Promise<boolean> {
  const { printer } = lane.devices
  if (!hub.printer || !printer) {
    complain(words.noPrinter)
    return false
  }
  notify({ kind: 'test-page', state: 'queued', detail: null })
  const document = composeTestPage({ profile, lane, printer, locale, at: clock.now() })
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
