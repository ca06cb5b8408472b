import type { WebPreferences } from 'electron'

/**
 * What a page of the terminal may, said in full: Electron's own default is no promise of ours. `preload` is the file of
 * what the shell offers, or null for a window that is offered nothing.
 */
export function webPreferences(preload: string | null): WebPreferences {
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
