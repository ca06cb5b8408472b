import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { browserArguments, displayMissing, findBrowser } from './browser.ts'
import { findElectron } from './electron-runtime.ts'
import type { ElectronRuntime } from './electron-runtime.ts'

let folder: string
beforeEach(() => { folder = mkdtempSync(path.join(tmpdir(), 'milepost-window-')) })
afterEach(() => { rmSync(folder, { recursive: true, force: true }) })

describe('the browser that shows the terminal', () => {
  const install = (name: string): string => {
    const program = path.join(folder, name)
    writeFileSync(program, '')
    chmodSync(program, 0o755)
    return program
  }

  it('is the first of Chromium, Chrome and Edge that is installed', () => {
    const edge = install('microsoft-edge')
    const chrome = install('google-chrome')
    expect(findBrowser('linux', { PATH: folder })).toEqual({ name: existsSync('/usr/bin/chromium') ? 'Chromium' : 'Chrome', program: existsSync('/usr/bin/chromium') ? '/usr/bin/chromium' : chrome })
    const chromium = install('chromium')
    expect(findBrowser('linux', { PATH: folder })).toEqual({ name: 'Chromium', program: chromium })
    expect(edge).not.toBe(chromium)
  })

  it('is found where Macs keep it', () => {
    const macOs = path.join(folder, 'Applications', 'Google Chrome.app', 'Contents', 'MacOS')
    mkdirSync(macOs, { recursive: true })
    writeFileSync(path.join(macOs, 'Google Chrome'), '', { mode: 0o755 })
    expect(findBrowser('darwin', { HOME: folder, PATH: '' })?.program).toBe(path.join(macOs, 'Google Chrome'))
  })

  it('keeps its sandbox, except as root, where it has none to offer', () => {
    expect(browserArguments('http://127.0.0.1:1/', '/data/browser', false)).not.toContain('--no-sandbox')
    expect(browserArguments('http://127.0.0.1:1/', '/data/browser', true)).toContain('--no-sandbox')
  })

  it('is not even looked for where nothing can be shown', () => {
    expect(displayMissing('linux', {})).toContain('no graphical display')
    expect(displayMissing('linux', { DISPLAY: '' })).toContain('no graphical display')
    expect(displayMissing('linux', { WAYLAND_DISPLAY: 'wayland-0' })).toBeNull()
    expect(displayMissing('win32', {})).toBeNull()
  })
})

describe('the Electron runtime', () => {
  let host: Server
  let asked: number
  let mirror: string
  beforeEach(async () => {
    asked = 0
    host = createServer((_request, response) => { asked++; response.end() })
    host.listen(0, '127.0.0.1')
    await once(host, 'listening')
    mirror = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`
    mkdirSync(path.join(folder, 'electron'))
  })
  afterEach(() => new Promise((resolve) => { host.close(resolve) }))

  const installer = (text: string): void => writeFileSync(path.join(folder, 'electron', 'install.js'), text)
  const memoryFile = (): string => path.join(folder, 'memory.json')
  const find = (now: number, env: Record<string, string> = {}): Promise<ElectronRuntime> =>
    findElectron({ packageFolder: path.join(folder, 'electron'), memoryFile: memoryFile(), now: () => now, say: () => {}, probeMs: 2_000, downloadMs: 20_000, env: { ELECTRON_MIRROR: mirror, ...env } })
  const NOON = Date.parse('2026-11-21T12:00:00Z')
  const HOUR = 60 * 60 * 1000

  it('that is there is used at once, without asking the network', async () => {
    mkdirSync(path.join(folder, 'electron', 'dist'))
    writeFileSync(path.join(folder, 'electron', 'dist', 'electron'), '')
    writeFileSync(path.join(folder, 'electron', 'path.txt'), 'electron')
    expect(await find(NOON)).toEqual({ program: path.join(folder, 'electron', 'dist', 'electron') })
    expect(asked).toBe(0)
  })

  it('is fetched by its own installer where its host answers', async () => {
    installer("const fs = require('fs'); fs.mkdirSync(__dirname + '/dist'); fs.writeFileSync(__dirname + '/dist/electron', ''); fs.writeFileSync(__dirname + '/path.txt', 'electron')")
    expect(await find(NOON)).toEqual({ program: path.join(folder, 'electron', 'dist', 'electron') })
    expect(asked).toBe(1)
  })

  it('that cannot be fetched is not tried again for a day, so that the second start is quick', async () => {
    installer('process.exit(1)')
    expect(await find(NOON)).toEqual({ missing: 'its download failed' })
    expect(await find(NOON + 23 * HOUR)).toEqual({ missing: 'its download failed, and the next try is due a day after the last' })
    expect(asked).toBe(1)
    expect(await find(NOON + 25 * HOUR)).toEqual({ missing: 'its download failed' })
    expect(asked).toBe(2)
  })

  it('is tried again when the clock was set back, and when the memory is no longer readable', async () => {
    installer('process.exit(1)')
    await find(NOON)
    await find(NOON - HOUR)
    writeFileSync(memoryFile(), '{"failedAt":')
    await find(NOON + HOUR)
    expect(asked).toBe(3)
    expect(readFileSync(memoryFile(), 'utf8')).toContain(String(NOON + HOUR))
  })

  it('whose host does not answer is given up without starting a download', async () => {
    installer("require('fs').writeFileSync(__dirname + '/tried', '')")
    // Port 9 of this machine: nobody listens there.
    expect(await find(NOON, { ELECTRON_MIRROR: 'http://127.0.0.1:9/' })).toEqual({ missing: 'its download host does not answer from here' })
    expect(existsSync(path.join(folder, 'electron', 'tried'))).toBe(false)
  })
})
