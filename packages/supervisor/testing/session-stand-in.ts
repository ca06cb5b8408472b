import { EventEmitter } from 'node:events'
import type { LockableContents, LockableSession } from '../shell/lockdown.ts'
import type { StandInRequest, Tried } from '../../../electron/testing/stand-in-messages.ts'

/**
 * Replacements for a session and a page of Electron. They call the shell’s handlers as Chromium does, with Electron’s
 * defaults for missing handlers, and try the actions that a test requests, such as a navigation or a download.
 */
export class SessionStandIn extends EventEmitter implements LockableSession {
  #request: Parameters<LockableSession['setPermissionRequestHandler']>[0] = (_contents, _permission, answer) =>
    answer(true)
  #check = (): boolean => true
  #device = (): boolean => true
  #before: {
    urls: readonly string[]
    listener: Parameters<LockableSession['webRequest']['onBeforeRequest']>[1]
  } | null = null
  setPermissionRequestHandler(handler: Parameters<LockableSession['setPermissionRequestHandler']>[0]): void {
    this.#request = handler
  }
  setPermissionCheckHandler(handler: () => boolean): void {
    this.#check = handler
  }
  setDevicePermissionHandler(handler: () => boolean): void {
    this.#device = handler
  }
  readonly webRequest: LockableSession['webRequest'] = {
    onBeforeRequest: ({ urls }, listener) => {
      this.#before = { urls, listener }
    },
  }
  isGranted(permission: string): boolean {
    let granted = false
    this.#request({}, permission, (answer) => {
      granted = answer
    })
    return granted || this.#check()
  }
  isDeviceGranted(): boolean {
    return this.#device()
  }
  /** Whether the shell allows a request. As in Chromium, a handler is called only for matching patterns. */
  leaves(url: string): boolean {
    const { urls, listener } = this.#before ?? { urls: [], listener: () => {} }
    if (!urls.some((pattern) => matches(pattern, url))) return true
    let cancelled = false
    listener({ url }, ({ cancel }) => {
      cancelled = cancel
    })
    return !cancelled
  }
  isDownloaded(url: string): boolean {
    return !isPrevented((event) => this.emit('will-download', event, { getURL: () => url }))
  }
}

export class PageStandIn extends EventEmitter implements LockableContents {
  #open: () => { action: string } = () => ({ action: 'allow' })
  setWindowOpenHandler(handler: () => { action: 'deny' }): void {
    this.#open = handler
  }
  opensWindow(): boolean {
    return this.#open().action !== 'deny'
  }
  navigates(url: string, isMainFrame = true): boolean {
    const events = isMainFrame
      ? (['will-frame-navigate', 'will-navigate'] as const)
      : (['will-frame-navigate'] as const)
    return !events.some((name) => isPrevented((event) => this.emit(name, { ...event, url, isMainFrame })))
  }
  isRedirected(url: string): boolean {
    return !isPrevented((event) => this.emit('will-redirect', { ...event, url }))
  }
  attachesWebview(): boolean {
    return !isPrevented((event) => this.emit('will-attach-webview', event, {}, {}))
  }
}

function isPrevented(emit: (event: { preventDefault(): void }) => void): boolean {
  let prevented = false
  emit({
    preventDefault: () => {
      prevented = true
    },
  })
  return prevented
}

function matches(pattern: string, url: string): boolean {
  const segments = pattern.split('*').map((part) => part.replaceAll(/[.?/]/g, String.raw`\$&`))
  return new RegExp(`^${segments.join('.*')}$`).test(url)
}

export type Answer = (event: object, argument: unknown) => unknown
interface Handlers {
  readonly session: SessionStandIn
  readonly page: PageStandIn
  readonly channels: ReadonlyMap<string, Answer>
}

export function tryAll(
  { permissions = [], addresses = [] }: StandInRequest,
  { session, page, channels }: Handlers,
): Tried {
  return {
    permissions: permissions.filter((name) => session.isGranted(name) || session.isDeviceGranted()),
    requests: addresses.filter((url) => session.leaves(url)),
    navigations: addresses.filter((url) => page.navigates(url) || page.isRedirected(url)),
    frames: addresses.filter((url) => page.navigates(url, false)),
    downloads: addresses.filter((url) => session.isDownloaded(url)),
    opensWindow: page.opensWindow(),
    attachesWebview: page.attachesWebview(),
    calls: Object.fromEntries(
      [...channels].map(([channel, answer]) => [
        channel,
        {
          elsewhere: answerTo(answer, 'https://elsewhere.example/'),
          // The terminal's own page does not try the call that ends the shell, because the shell would allow it.
          own: channel === 'shell:quit' ? 'not tried' : answerTo(answer, 'app://milepost/'),
        },
      ]),
    ),
  }
}

function answerTo(answer: Answer, url: string): string {
  try {
    return JSON.stringify(answer({ senderFrame: { parent: null, url }, sender: {} }, false)) ?? 'done'
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
