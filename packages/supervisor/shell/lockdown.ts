import { isOwnAddress, isOwnFile } from './forward.ts'

interface Preventable {
  preventDefault(): void
}
interface Navigation extends Preventable {
  readonly url: string
}

/** The part of Electron's Session that is used here. */
export interface LockableSession {
  setPermissionRequestHandler(
    handler: (contents: unknown, permission: string, answer: (granted: boolean) => void) => void,
  ): void
  setPermissionCheckHandler(handler: () => boolean): void
  setDevicePermissionHandler(handler: () => boolean): void
  on(
    event: 'select-serial-port',
    listener: (event: Preventable, ports: unknown, contents: unknown, answer: (portId: string) => void) => void,
  ): unknown
  on(event: 'will-download', listener: (event: Preventable, item: { getURL(): string }) => void): unknown
  readonly webRequest: {
    onBeforeRequest(
      filter: { urls: string[] },
      listener: (details: { readonly url: string }, answer: (response: { cancel: boolean }) => void) => void,
    ): void
  }
}
/** The part of Electron's WebContents that is used here. */
export interface LockableContents {
  on(event: 'will-navigate' | 'will-redirect', listener: (details: Navigation) => void): unknown
  on(event: 'will-frame-navigate', listener: (details: Navigation & { readonly isMainFrame: boolean }) => void): unknown
  on(event: 'will-attach-webview', listener: (event: Preventable) => void): unknown
  setWindowOpenHandler(handler: () => { action: 'deny' }): void
}
/** The part of Electron's App that is used here. */
export interface LockableApp {
  on(event: 'session-created', listener: (session: LockableSession) => void): unknown
  on(event: 'web-contents-created', listener: (event: unknown, contents: LockableContents) => void): unknown
}

/**
 * Where code and data could come from besides the shell's own scheme. Chromium's match patterns; what matches none of
 * them is the terminal's own, or made by its pages in memory.
 */
export const FOREIGN_ADDRESSES: readonly string[] = [
  'http://*/*',
  'https://*/*',
  'ws://*/*',
  'wss://*/*',
  'ftp://*/*',
  'file:///*',
]

/** Every session, also one that a later change or a library should make: permissions, devices, requests, downloads. */
export function lockSessions(app: LockableApp): void {
  app.on('session-created', lockSession)
}

const locked = new WeakSet<LockableSession>()

/** Does it once for a session, however often it is asked to. */
export function lockSession(session: LockableSession): void {
  if (locked.has(session)) return
  locked.add(session)
  denyPermissions(session)
  denyForeignRequests(session)
}

/** Pages of the terminal need no permission of the system: devices and files are the backend's business. */
function denyPermissions(session: LockableSession): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.on('select-serial-port', (event, _ports, _contents, answer) => {
    event.preventDefault()
    answer('')
  })
  // A manager saves the reports that the page itself made; nothing else comes in.
  session.on('will-download', (event, item) => {
    if (!isOwnFile(item.getURL())) event.preventDefault()
  })
}

/** No page asks another machine or the disk for anything, whatever its own policy says. */
function denyForeignRequests(session: LockableSession): void {
  session.webRequest.onBeforeRequest({ urls: [...FOREIGN_ADDRESSES] }, ({ url }, answer) =>
    answer({ cancel: !isOwnAddress(url) }),
  )
}

/** No page leaves the terminal's own address, opens a window, or embeds another page. */
export function denyNavigation(app: LockableApp): void {
  app.on('web-contents-created', (_event, contents) => {
    keepHome(contents)
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}

function keepHome(contents: LockableContents): void {
  contents.on('will-navigate', (details) => {
    if (!isOwnAddress(details.url)) details.preventDefault()
  })
  contents.on('will-frame-navigate', (details) => {
    // The terminal has no page inside a page.
    if (!details.isMainFrame || !isOwnAddress(details.url)) details.preventDefault()
  })
  contents.on('will-redirect', (details) => {
    if (!isOwnAddress(details.url)) details.preventDefault()
  })
}

/**
 * What a page of the terminal may, said in full: Electron's own default is no promise of ours. `preload` is the file of
 * what the shell offers, or null for a window that is offered nothing.
 */
export function webPreferences(preload: string | null) {
  return {
    ...(preload === null ? {} : { preload }),
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInSubFrames: false,
    nodeIntegrationInWorker: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    navigateOnDragDrop: false,
    plugins: false,
    webviewTag: false,
    spellcheck: false,
    devTools: false,
  }
}
