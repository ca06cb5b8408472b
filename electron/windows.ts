import path from 'node:path'
import { BrowserWindow, screen } from 'electron'
import { SHELL_ORIGIN } from './origin.ts'

const PRELOAD = path.join(import.meta.dirname, 'preload.cjs')

function openWindow(bounds: Electron.Rectangle, kiosk: boolean): BrowserWindow {
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
 * Opens the cashier's window, and the customer display where a second screen is connected. The launch token stands in
 * the fragment, which no request carries; the page exchanges it for the session that both windows share.
 */
export async function openWindows(launchToken: string, kiosk: boolean): Promise<BrowserWindow> {
  const primary = screen.getPrimaryDisplay()
  const cashier = openWindow(primary.workArea, kiosk)
  cashier.once('ready-to-show', () => cashier.show())
  await cashier.loadURL(`${SHELL_ORIGIN}/#launch=${encodeURIComponent(launchToken)}`)
  const second = screen.getAllDisplays().find((display) => display.id !== primary.id)
  if (second !== undefined) {
    const customer = openWindow(second.bounds, true)
    customer.once('ready-to-show', () => customer.showInactive())
    cashier.once('closed', () => { if (!customer.isDestroyed()) customer.destroy() })
    await customer.loadURL(`${SHELL_ORIGIN}/customer`)
  }
  return cashier
}
