import path from 'node:path'
import { BrowserWindow, screen } from 'electron'
import type { OpenCalls } from './forward.ts'
import { SHELL_ORIGIN } from './origin.ts'
import { keepPage } from './page-keeper.ts'
import type { PageKeeping } from './page-keeper.ts'

const PRELOAD = path.join(import.meta.dirname, 'preload.cjs')
/** A window that neither painted nor loaded by then is shown as it is: something to look at beats nothing. */
const SHOW_ANYWAY_MS = 2_000

function createWindow(bounds: Electron.Rectangle, kiosk: boolean): BrowserWindow {
  return new BrowserWindow({
    ...bounds,
    kiosk,
    show: false,
    autoHideMenuBar: true,
    webPreferences: {
      preload: PRELOAD,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
      devTools: false,
    },
  })
}

/**
 * Shows a window once: when its page is painted, and at the latest when it is loaded or two seconds have passed.
 * `ready-to-show` alone is not enough: on Wayland it may come only after a window is shown (electron#48859).
 */
function showSoon(window: BrowserWindow, page: PageKeeping, show: () => void): Promise<void> {
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
 * A page that goes, to be loaded anew or because its process crashed, leaves no call open at the backend. Electron does
 * not say whose call a request is: this is for the cashier's window, whose calls last; the few reads of the other are
 * asked again.
 */
function cancelWithPage({ webContents }: BrowserWindow, calls: OpenCalls): void {
  webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) calls.cancel()
  })
  webContents.on('render-process-gone', () => calls.cancel())
}

export interface OpenWindows {
  /** The cashier's window is visible and its page stands. */
  readonly shown: Promise<void>
  /** A page could not be kept; why. */
  readonly gaveUp: Promise<string>
}

/** Opens the cashier's window, and the customer display on a second screen. Their session is the shell's. */
export function openWindows(kiosk: boolean, calls: OpenCalls): OpenWindows {
  const primary = screen.getPrimaryDisplay()
  const cashier = createWindow(primary.workArea, kiosk)
  cancelWithPage(cashier, calls)
  const page = keepPage(cashier, `${SHELL_ORIGIN}/`)
  const visible = showSoon(cashier, page, () => cashier.show())
  const second = screen.getAllDisplays().find((display) => display.id !== primary.id)
  if (second !== undefined) {
    const customer = createWindow(second.bounds, true)
    cashier.once('closed', () => {
      if (!customer.isDestroyed()) customer.destroy()
    })
    void showSoon(customer, keepPage(customer, `${SHELL_ORIGIN}/customer`), () => customer.showInactive())
  }
  return { shown: Promise.all([visible, page.loaded]).then(() => undefined), gaveUp: page.gaveUp }
}
