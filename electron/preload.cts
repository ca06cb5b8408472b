// A sandboxed preload script must be CommonJS. It exposes a few specific calls: nothing generic, no object of Node or
// Electron.
const { contextBridge, ipcRenderer } = require('electron') as typeof import('electron')

contextBridge.exposeInMainWorld('milepostShell', {
  version: (): Promise<{ app: string; electron: string }> => ipcRenderer.invoke('shell:version'),
  displays: (): Promise<{ id: number; width: number; height: number; internal: boolean }[]> =>
    ipcRenderer.invoke('shell:displays'),
  setKiosk: (on: boolean): Promise<void> => ipcRenderer.invoke('shell:kiosk', on === true),
  quit: (): Promise<void> => ipcRenderer.invoke('shell:quit'),
})
