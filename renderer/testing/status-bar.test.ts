import { expect, test } from 'vitest'
import { ok } from './answers.ts'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX, MARIE, setUp } from './screen-fixture.ts'
import { SCREEN_FIXTURES } from './screen-fixtures.ts'

const screens = useBuiltScreens(() => ({ mode: 'training' }))

const DEVICES = [
  ...['card-reader', 'scanner', 'printer'].map((role) => ({ role, state: 'ready', detail: null })),
  { role: 'drawer', state: 'ready', position: 'closed', detail: null },
]
const SIZES = [
  { width: 1024, height: 768 },
  { width: 1280, height: 800 },
]
const CASES = SIZES.flatMap((size) =>
  [ALEX, MARIE].flatMap((person) => ['/', '/return'].map((path) => ({ ...size, path, ...person }))),
)

test.each(CASES)(
  'the status bar cuts off no device with a sale on hold: $locale, $width pixels, page $path',
  async ({ width, height, path, ...person }) => {
    const { terminal, page } = screens
    setUp(SCREEN_FIXTURES['held'] ?? {}, terminal, (english) => english)
    terminal.state.answers['GET /api/devices'] = ok({ devices: DEVICES })
    Object.assign(terminal.state, { signedIn: person, defaultLocale: person.locale })
    await page.setViewportSize({ width, height })
    await page.goto(`${terminal.url}${path}`)
    const bar = page.getByRole('banner')
    await bar.getByRole('button', { name: /^(On hold|En attente)/ }).waitFor()
    terminal.push({ type: 'queue-changed', summary: { waiting: 0, sending: 0, attention: 0, central: 'online' } })
    await bar.getByRole('button', { name: /^(Queue All sent|File Tout envoyé)/ }).waitFor()
    const drawer = bar.getByRole('button', { name: /^(Drawer|Tiroir)/ })
    await drawer.waitFor()
    await page.waitForFunction(() => document.fonts.status === 'loaded')
    const beyond = await drawer.evaluate((entry) => {
      const row = entry.parentElement?.getBoundingClientRect() ?? new DOMRect()
      return Math.round(entry.getBoundingClientRect().right - row.right)
    })
    expect(beyond).toBeLessThanOrEqual(0)
  },
)
