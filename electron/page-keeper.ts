import type { BrowserWindow } from 'electron'

export interface PageKeeping {
  /** The page stands for the first time. */
  readonly loaded: Promise<void>
  /** It failed too often; why, in the words of Chromium. Settles at most once. */
  readonly gaveUp: Promise<string>
}
export interface PageKeeperOptions {
  /**
   * Loads that fail, and crashes, within `withinMs` before the page is given up. A backend that starts anew takes a
   * while.
   */
  readonly loads: number
  readonly crashes: number
  readonly withinMs: number
  readonly pauseMs: (failure: number) => number
}
const PATIENT: PageKeeperOptions = {
  loads: 40,
  crashes: 5,
  withinMs: 5 * 60_000,
  pauseMs: (failure) => Math.min(100 * 2 ** failure, 5_000),
}
/** Chromium's "this load was cancelled", by another one for instance. */
const ERR_ABORTED = -3

/**
 * Loads a page and brings it back: when it fails to load, and when its process crashes. The terminal behind it has lost
 * nothing. A page that fails again and again is given up, so that a lane does not blink for ever.
 */
export function keepPage(
  window: BrowserWindow,
  address: string,
  { loads, crashes, withinMs, pauseMs }: PageKeeperOptions = PATIENT,
): PageKeeping {
  const loaded = Promise.withResolvers<void>()
  const gaveUp = Promise.withResolvers<string>()
  const failedLoads: number[] = []
  const crashed: number[] = []
  /** The attempt that counts; 0 while none is under way. */
  let loading = 0
  let attempts = 0

  const load = (): void => {
    if (window.isDestroyed()) return
    const attempt = ++attempts
    loading = attempt
    const end = (reason: string | null): void => {
      if (loading !== attempt) return
      loading = 0
      if (reason === null) loaded.resolve()
      else failed(reason, failedLoads, loads)
    }
    // The message of its error holds the address: only the code goes on.
    window.loadURL(address).then(
      () => end(null),
      (error: unknown) => end(codeOf(error)),
    )
  }
  const failed = (reason: string, failures: number[], most: number): void => {
    const now = performance.now()
    failures.push(now)
    while ((failures[0] ?? now) < now - withinMs) failures.shift()
    if (failures.length > most) gaveUp.resolve(reason)
    else setTimeout(load, pauseMs(failures.length - 1))
  }

  window.webContents.on('did-fail-load', (_event, code, description, _address, isMainFrame) => {
    if (loading === 0 && isMainFrame && code !== ERR_ABORTED) failed(description, failedLoads, loads)
  })
  window.webContents.on('render-process-gone', (_event, { reason }) => {
    if (reason === 'clean-exit') return
    loading = 0
    failed(`the page’s process ended: ${reason}`, crashed, crashes)
  })
  load()
  return { loaded: loaded.promise, gaveUp: gaveUp.promise }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown error'
