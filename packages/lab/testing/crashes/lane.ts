import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockDataFolder } from '../../../../backend/core/program/data-folder.ts'
import type { StorePlace } from '../../../../backend/store/channel.ts'
import { centralOption } from '../../rig/central.ts'
import { launch, type LaneReady, type LaunchedProcess } from '../../rig/process.ts'
import { writeDevice } from '../enrolled.ts'
import { openWindow, TerminalGoneError, type Window } from '../../rig/window.ts'
import type { Shop } from './crash-store.ts'

export interface CrashPoint {
  readonly step: string
  readonly occurrence: number
}

export interface CrashingLane {
  readonly data: string
  readonly window: Window
  /** Resolves with the window that replaces this one once the backend runs again. */
  nextWindow(window: Window): Promise<Window>
  start(): Promise<void>
  /**
   * Starts the backend, runs `scenario` in its window, and resolves when the backend was killed at that step.
   * Throws if `scenario` ends without a kill.
   */
  startUntilCrash(scenario: (window: Window) => Promise<void>): Promise<void>
  /** Schedules a kill of the backend at a step; null cancels it. */
  crashAt(crashPoint: CrashPoint | null): void
  /** Resolves when the backend was killed; rejects if it ended in another way. */
  crashed(): Promise<void>
  kill(): Promise<void>
  steps(): string[]
  clearSteps(): void
  stop(): Promise<void>
}

const ROOT = join(import.meta.dirname, '../../../..')
const PROGRAM = join(ROOT, 'build/crash-program/packages/lab/testing/crash-process.js')
let isBuilt = false

/**
 * Builds the program of the lanes when the first lane is prepared, not at import: the help of a CLI command needs no
 * program.
 */
function buildProgram(): void {
  if (isBuilt) return
  execFileSync(process.execPath, [...process.execArgv, 'scripts/build.ts', '--crash-program', '--stale'], {
    cwd: ROOT,
    stdio: 'inherit',
  })
  isBuilt = true
}

/** Prepares a lane. `ofStore`: the lane of the profile that is enrolled with this store server. */
export function prepareLane(
  shop: Shop,
  name: string,
  ofStore?: { readonly laneId: string; readonly place: StorePlace },
): CrashingLane {
  buildProgram()
  const folder = shop.folder(name)
  const data = join(folder, 'data')
  if (ofStore) {
    const made = lockDataFolder(data, null, null)
    writeDevice(data, made.masterKey, ofStore.place)
    made.release()
  }
  const stepsFile = join(folder, 'steps')
  const crashPointFile = join(folder, 'crash-point')
  let running: LaunchedProcess<LaneReady> | undefined
  let window: Window | undefined
  let windowWaiters: ((window: Window) => void)[] = []

  function launched(): LaunchedProcess<LaneReady> {
    if (!running) throw new Error('the lane has not been started')
    return running
  }
  function launchLane(): Promise<LaneReady> {
    const lane = ofStore ? ['--lane', ofStore.laneId] : []
    const place = ['--profile', shop.profile, '--data', data, ...lane, ...centralOption(shop.central)]
    running = launch<LaneReady>([PROGRAM, ...place, '--log-level', 'error', '--exit-with-stdin'], {
      MILEPOST_CLIENT_SECRET: shop.central.clientSecret,
      CRASH_STEPS: stepsFile,
      CRASH_POINT_FILE: crashPointFile,
      NODE_COMPILE_CACHE: shop.folder('compiled'),
    })
    return running.ready
  }

  async function openLaneWindow(ready: LaneReady): Promise<Window> {
    const known = window?.key
    const opened = await openWindow(ready.url, known === undefined ? { launchUrl: ready.launchUrl } : { key: known })
    // A start of the backend signs all staff out, so the cashier signs in again.
    await opened.call('POST', '/api/sign-in', { staffId: 'alex', pin: '1234' })
    window = opened
    const waiters = windowWaiters
    windowWaiters = []
    for (const notify of waiters) notify(opened)
    return opened
  }

  async function crashed(): Promise<void> {
    const { ended, log } = launched()
    const end = await ended
    if (end !== 'SIGKILL') throw new Error(`the backend was to be killed, but ended with ${end}: ${log()}`)
    window?.close()
  }

  return {
    data,
    get window() {
      if (!window) throw new Error('the lane has not been started')
      return window
    },
    nextWindow: async (gone) =>
      window && window !== gone
        ? window
        : new Promise((resolve) => {
            windowWaiters.push(resolve)
          }),
    async start() {
      await openLaneWindow(await launchLane())
    },
    async startUntilCrash(scenario) {
      const ready = await launchLane().catch(() => null)
      const finished =
        ready &&
        (await openLaneWindow(ready)
          .then(scenario)
          .then(
            () => true,
            (error: unknown) => {
              if (error instanceof TerminalGoneError) return false
              throw error
            },
          ))
      if (finished) throw new Error('the backend was not killed during its start')
      await crashed()
    },
    crashAt(crashPoint) {
      if (!crashPoint) return rmSync(crashPointFile, { force: true })
      // The file is renamed, because the backend may read it at any moment.
      writeFileSync(`${crashPointFile}.new`, JSON.stringify(crashPoint))
      renameSync(`${crashPointFile}.new`, crashPointFile)
    },
    crashed,
    async kill() {
      launched().child.kill('SIGKILL')
      await crashed()
    },
    steps: () =>
      existsSync(stepsFile)
        ? readFileSync(stepsFile, 'utf8')
            .split('\n')
            .filter((line) => line !== '')
        : [],
    clearSteps: () => {
      rmSync(stepsFile, { force: true })
    },
    async stop() {
      window?.close()
      const { child, ended } = launched()
      child.stdin.end()
      await ended
    },
  }
}
