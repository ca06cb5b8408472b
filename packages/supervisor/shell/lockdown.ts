import { isOwnAddress, isOwnFile } from './forward.ts'

interface Preventable {
  preventDefault(): void
}
interface Navigation extends Preventable {
  readonly url: string
}

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
export interface LockableContents {
  on(event: 'will-navigate' | 'will-redirect', listener: (details: Navigation) => void): unknown
  on(event: 'will-frame-navigate', listener: (details: Navigation & { readonly isMainFrame: boolean }) => void): unknown
  on(event: 'will-attach-webview', listener: (event: Preventable) => void): unknown
  setWindowOpenHandler(handler: () => { action: 'deny' }): void
}
export interface LockableApp {
  on(event: 'session-created', listener: (session: LockableSession) => void): unknown
  on(event: 'web-contents-created', listener: (event: unknown, contents: LockableContents) => void): unknown
}

/**
 * Chromium match patterns of the addresses that a page may not request: the web, FTP and local files. Every other
 * address is of the shell’s own scheme, or of a file that a page created in memory.
 */
export const FOREIGN_ADDRESSES: readonly string[] = [
  'http://*/*',
  'https://*/*',
  'ws://*/*',
  'wss://*/*',
  'ftp://*/*',
  'file:///*',
]

/** Locks every session of Electron, including later ones: permissions, devices, requests, downloads. */
export function lockSessions(app: LockableApp): void {
  app.on('session-created', lockSession)
}

const locked = new WeakSet<LockableSession>()

export function lockSession(session: LockableSession): void {
  if (locked.has(session)) return
  locked.add(session)
  denyPermissions(session)
  denyForeignRequests(session)
}

/** Pages need no system permission: the backend handles devices and files. */
function denyPermissions(session: LockableSession): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.on('select-serial-port', (event, _ports, _contents, answer) => {
    event.preventDefault()
    answer('')
  })
  // Allows a manager to save a report that the page itself created, and blocks all other downloads.
  session.on('will-download', (event, item) => {
    if (!isOwnFile(item.getURL())) event.preventDefault()
  })
}

function denyForeignRequests(session: LockableSession): void {
  session.webRequest.onBeforeRequest({ urls: [...FOREIGN_ADDRESSES] }, ({ url }, answer) =>
    answer({ cancel: !isOwnAddress(url) }),
  )
}

/** Keeps every page at the terminal’s own address, without new windows or embedded pages. */
export function denyNavigation(app: LockableApp): void {
  app.on('web-contents-created', (_event, contents) => {
    denyLeaving(contents)
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}

function denyLeaving(contents: LockableContents): void {
  contents.on('will-navigate', (details) => {
    if (!isOwnAddress(details.url)) details.preventDefault()
  })
  contents.on('will-frame-navigate', (details) => {
    if (!details.isMainFrame || !isOwnAddress(details.url)) details.preventDefault()
  })
  contents.on('will-redirect', (details) => {
    if (!isOwnAddress(details.url)) details.preventDefault()
  })
}

/**
 * Returns the restrictions of a page explicitly, independent of Electron’s defaults. `preload` is the file with the
 * shell’s functions, or null for a window without them.
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
