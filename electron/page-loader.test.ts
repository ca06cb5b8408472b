import { EventEmitter } from 'node:events'
import type { BrowserWindow } from 'electron'
import { expect, it } from 'vitest'
import { loadPageWithRetry } from './page-loader.ts'

it('a page that fails to load is reloaded three times, then given up with only Chromium’s error code', async () => {
  let loads = 0
  const window: Pick<BrowserWindow, 'loadURL' | 'isDestroyed'> & { webContents: EventEmitter } = {
    webContents: new EventEmitter(),
    isDestroyed: () => false,
    loadURL: (address) => {
      loads++
      return Promise.reject(Object.assign(new Error(`ERR_FAILED (-2) loading '${address}'`), { code: 'ERR_FAILED' }))
    },
  }
  const options = { loads: 3, crashes: 1, withinMs: 60_000, pauseMs: () => 1 }
  const page = loadPageWithRetry(window as unknown as BrowserWindow, 'app://milepost/#secret', options)
  expect(await page.gaveUp).toBe('ERR_FAILED')
  expect(loads).toBe(4)
})
