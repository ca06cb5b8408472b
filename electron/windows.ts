import path from 'node:path'
import { app, BrowserWindow, Menu, screen } from 'electron'
import type { LaneWindow } from '../packages/supervisor/folder-lock.ts'
import { type OpenCalls, SHELL_ORIGIN } from '../packages/supervisor/shell/forward.ts'
import { type PageLoading, loadPageWithRetry } from './page-loader.ts'
import { webPreferences } from '../packages/supervisor/shell/lockdown.ts'
import { type CashierWindow, type Screens, keepSecondScreen } from '../packages/supervisor/shell/second-screen.ts'
import type { ShellCalls } from '../packages/supervisor/shell/shell-options.ts'

const PRELOAD = path.join(import.meta.dirname, 'preload.cjs')
/** Time in ms after which a window that neither painted nor loaded is shown as it is. */
const SHOW_ANYWAY_MS = 2_000

/** Creates a window. The customer's window gets no preload script, because it makes no calls to the shell. */
function createWindow(bounds: Electron.Rectangle, kiosk: boolean, preload: string | null): BrowserWindow {
  return new BrowserWindow({
    ...bounds,
    kiosk,
    show: false,
    autoHideMenuBar: true,
    webPreferences: webPreferences(preload),
  })
}

/**
 * Shows a window once: when its page is painted, when it is loaded, or after two seconds. `ready-to-show` alone is not
 * enough: on Wayland it may come only after a window is shown (electron#48859).
 */
function showWhenPainted(window: BrowserWindow, page: PageLoading, show: () => void): Promise<void> {
  return new Promise((resolve) => {
    const once = (): void => {
      clearTimeout(timer)
      if (!window.isDestroyed() && !window.isVisible()) show()
      resolve()
    }
    const timer = setTimeout(once, SHOW_ANYWAY_MS)
    window.once('ready-to-show', once)
    void page.loaded.then(once)
  })
}

/**
 * Cancels the backend calls of a page that is reloaded or whose process crashed. Electron does not report which page
 * made a request, so the calls of both windows are cancelled: only those of the cashier's window take long, and the few
 * reads of the customer's window are repeated.
 */
function cancelWithPage({ webContents }: BrowserWindow, calls: OpenCalls): void {
  webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) calls.cancel()
  })
  webContents.on('render-process-gone', () => calls.cancel())
}

export interface OpenWindows extends LaneWindow {
  readonly shown: Promise<void>
  readonly gaveUp: Promise<string>
}

/**
 * Opens the cashier's window, and the customer's window while there is a second screen. Both use the shell's session.
 */
export function openWindows(kiosk: boolean, calls: OpenCalls): OpenWindows {
  const cashier = createWindow(screen.getPrimaryDisplay().workArea, kiosk, PRELOAD)
  cancelWithPage(cashier, calls)
  const page = loadPageWithRetry(cashier, `${SHELL_ORIGIN}/`)
  const visible = showWhenPainted(cashier, page, () => cashier.show())
  keepSecondScreen(systemScreens, cashierWindow(cashier), (at) => openCustomer(at, cashier))
  return {
    shown: Promise.all([visible, page.loaded]).then(() => undefined),
    gaveUp: page.gaveUp,
    isOpen: () => !cashier.isDestroyed(),
    bringToFront: () => {
      if (cashier.isDestroyed()) return
      if (cashier.isMinimized()) cashier.restore()
      cashier.show()
      cashier.focus()
    },
  }
}

const systemScreens: Screens = {
  places: () => screen.getAllDisplays(),
  idUnder: (bounds) => screen.getDisplayMatching(bounds).id,
  onChange: (listener) => {
    screen.on('display-added', listener)
    screen.on('display-removed', listener)
    screen.on('display-metrics-changed', listener)
  },
}

const cashierWindow = (window: BrowserWindow): CashierWindow => ({
  bounds: () => (window.isDestroyed() ? null : window.getBounds()),
  bringBack: () => {
    const kiosk = window.isKiosk()
    // Leave kiosk mode for the move, because a kiosk window stays on its screen even when that screen is removed.
    if (kiosk) window.setKiosk(false)
    const primary = screen.getPrimaryDisplay()
    window.setBounds(primary.workArea)
    if (kiosk) window.setKiosk(true)
    return primary.id
  },
})

function openCustomer(bounds: Electron.Rectangle, cashier: BrowserWindow): { close(): void } {
  const customer = createWindow(bounds, true, null)
  const close = (): void => {
    cashier.off('closed', close)
    if (!customer.isDestroyed()) customer.destroy()
  }
  cashier.once('closed', close)
  void showWhenPainted(customer, loadPageWithRetry(customer, `${SHELL_ORIGIN}/customer`), () => customer.showInactive())
  return { close }
}

export const shellCalls: ShellCalls<Electron.IpcMainInvokeEvent> = {
  'shell:version': () => ({ app: app.getVersion(), electron: process.versions.electron ?? '' }),
  'shell:displays': () =>
    screen.getAllDisplays().map(({ id, size, internal }) => ({ id, width: size.width, height: size.height, internal })),
  'shell:kiosk': (event, on) => {
    if (on === true) Menu.setApplicationMenu(null)
    BrowserWindow.fromWebContents(event.sender)?.setKiosk(on === true)
  },
  'shell:quit': () => app.quit(),
}
