import type { BrowserWindow } from 'electron'

export interface PageLoading {
  readonly loaded: Promise<void>
  readonly gaveUp: Promise<string>
}
export interface PageRetryLimits {
  /**
   * The page is given up after more failed loads, or more crashes, within `withinMs`. The limit leaves a backend time
   * to restart.
   */
  readonly loads: number
  readonly crashes: number
  readonly withinMs: number
  readonly pauseMs: (failure: number) => number
}
const PATIENT: PageRetryLimits = {
  loads: 40,
  crashes: 5,
  withinMs: 5 * 60_000,
  pauseMs: (failure) => Math.min(100 * 2 ** failure, 5_000),
}
/** Chromium's ERR_ABORTED: the load was cancelled, for instance because another load began. */
const ERR_ABORTED = -3

/**
 * Loads a page, and loads it again when that fails or its process crashes; the backend has lost nothing then. Gives up
 * a page that fails repeatedly, so that a lane does not reload for ever.
 */
export function loadPageWithRetry(
  window: BrowserWindow,
  address: string,
  { loads, crashes, withinMs, pauseMs }: PageRetryLimits = PATIENT,
): PageLoading {
  const loaded = Promise.withResolvers<void>()
  const gaveUp = Promise.withResolvers<string>()
  const failedLoads: number[] = []
  const crashed: number[] = []
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
    // Only the code of the error is passed on, because its message contains the address.
    window.loadURL(address).then(
      () => end(null),
      (error: unknown) => end(codeOf(error)),
    )
  }
  const failed = (reason: string, failures: number[], max: number): void => {
    const now = performance.now()
    failures.push(now)
    while ((failures[0] ?? now) < now - withinMs) failures.shift()
    if (failures.length > max) gaveUp.resolve(reason)
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
