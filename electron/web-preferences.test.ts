import { expect, it } from 'vitest'
import { webPreferences } from './web-preferences.ts'

it('says every wall of a page by name, and switches nothing of Chromium’s on', () => {
  expect(webPreferences(null)).toEqual({
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
  })
})

it('gives a page the shell’s own preload, or none', () => {
  expect(webPreferences('/app/electron/preload.cjs').preload).toBe('/app/electron/preload.cjs')
  expect('preload' in webPreferences(null)).toBe(false)
})
