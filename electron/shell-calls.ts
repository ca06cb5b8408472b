import { app, BrowserWindow, ipcMain, Menu, screen } from 'electron'
import type { IpcMainInvokeEvent } from 'electron'
import { isOwnAddress } from './origin.ts'

/** What the preload offers to the pages. Optional all of it: in a browser the terminal works without. */
export function answerShellCalls(): void {
  answer('shell:version', () => ({ app: app.getVersion(), electron: process.versions.electron ?? '' }))
  answer('shell:displays', () =>
    screen.getAllDisplays().map(({ id, size, internal }) => ({ id, width: size.width, height: size.height, internal })),
  )
  answer('shell:kiosk', (event, on) => {
    if (on === true) Menu.setApplicationMenu(null)
    BrowserWindow.fromWebContents(event.sender)?.setKiosk(on === true)
  })
  answer('shell:quit', () => app.quit())
}

/** Only the top frame of our own pages is answered, whatever else may have found its way into a window. */
function answer(channel: string, reply: (event: IpcMainInvokeEvent, argument: unknown) => unknown): void {
  ipcMain.handle(channel, (event, argument: unknown) => {
    const frame = event.senderFrame
    if (frame === null || frame.parent !== null || !isOwnAddress(frame.url)) throw new Error('refused')
    return reply(event, argument)
  })
}
