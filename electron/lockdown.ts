import type { App, Session, WebContents } from 'electron'
import { isOwnAddress, isOwnFile } from './origin.ts'

/** Pages of the terminal need no permission of the system: devices and files are the backend's business. */
export function denyPermissions(session: Session): void {
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

/** No page leaves the terminal's own address, opens a window, or embeds another page. */
export function denyNavigation(app: App): void {
  app.on('web-contents-created', (_event, contents) => {
    keepHome(contents)
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  })
}

function keepHome(contents: WebContents): void {
  contents.on('will-navigate', (details) => {
    if (!isOwnAddress(details.url)) details.preventDefault()
  })
  contents.on('will-frame-navigate', (details) => {
    if (!isOwnAddress(details.url)) details.preventDefault()
  })
  contents.on('will-redirect', (details) => {
    if (!isOwnAddress(details.url)) details.preventDefault()
  })
}
