import { expect, it } from 'vitest'
import { refusedSwitch } from './switches.ts'
import type { ShellStart } from './switches.ts'

const started = (switches: readonly string[], more: Partial<ShellStart> = {}): string | null =>
  refusedSwitch({ packaged: true, asRoot: false, hasSwitch: (name) => switches.includes(name), ...more })

it.each([
  'remote-debugging-port',
  'disable-web-security',
  'enable-blink-features',
  'load-extension',
  'js-flags',
  'auto-open-devtools-for-tabs',
  'no-sandbox',
  'single-process',
  'renderer-cmd-prefix',
  'browser-subprocess-path',
])('a package does not start with the Chromium switch --%s, and the message asks to remove it', (name) => {
  const message = started(['lane', name])
  expect(message).toContain(`--${name}: it `)
  expect(message).toContain('Remove it from the command or shortcut')
})

it('a package starts with the terminal’s options and with Chromium’s display switches', () => {
  expect(started(['kiosk', 'lane', 'ozone-platform', 'force-device-scale-factor'])).toBeNull()
})

it('root starts a package without the sandbox, which root cannot use, but with no switch that exposes pages', () => {
  expect(started(['no-sandbox'], { asRoot: true })).toBeNull()
  expect(started(['no-sandbox', 'remote-debugging-port'], { asRoot: true })).toContain('--remote-debugging-port')
})

it('a shell that runs from the sources accepts debugging switches of Chromium', () => {
  expect(started(['remote-debugging-port', 'no-sandbox'], { packaged: false })).toBeNull()
})
