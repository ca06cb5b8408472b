import { expect, it } from 'vitest'
import { refusedSwitch } from './switches.ts'

const started =
  (...switches: readonly string[]) =>
  (name: string): boolean =>
    switches.includes(name)

it.each(['remote-debugging-port', 'disable-web-security', 'enable-blink-features', 'load-extension', 'js-flags'])(
  'a package does not start with --%s, and says what to do',
  (name) => {
    const words = refusedSwitch(true, started('lane', name))
    expect(words).toContain(`--${name}`)
    expect(words).toContain('Take it out of the command or shortcut')
  },
)

it('a package starts with its own options and with what only draws the screen', () => {
  expect(refusedSwitch(true, started('kiosk', 'lane', 'ozone-platform', 'force-device-scale-factor'))).toBeNull()
})

it('a checkout is looked into by whoever develops it', () => {
  expect(refusedSwitch(false, started('remote-debugging-port'))).toBeNull()
})
