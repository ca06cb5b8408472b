import { expect, test } from 'vitest'
import { useBuiltScreens } from './built-screens.ts'
import { ALEX } from './screen-fixture.ts'
import { withMember } from './sales.ts'

const CTRL = 2
const SHIFT = 8
interface Key {
  readonly key: string
  readonly code: string
  readonly text?: string
  readonly modifiers?: number
}
const charactersOf = (text: string): Key[] => [...text].map((key) => ({ key, code: `Digit${key}`, text: key }))
const SEPARATOR: readonly Key[] = [
  { key: 'Control', code: 'ControlLeft', modifiers: CTRL },
  { key: ']', code: 'BracketRight', modifiers: CTRL },
]
const US_PREFIX = charactersOf(']d2').map((key, index) => ({
  ...key,
  code: `${['BracketRight', 'KeyD', 'Digit2'][index]}`,
}))
/** The same keys as the Canadian French keyboard layout reads them, with accents in place of the brackets. */
const FRENCH_PREFIX: readonly Key[] = [{ key: 'Dead', code: 'BracketRight' }, ...US_PREFIX.slice(1)]
const FRENCH_SEPARATOR = SEPARATOR.map((key) => (key.key === ']' ? { ...key, key: '¸' } : key))
const LETTER: Key = { key: 'B', code: 'KeyB', text: 'B', modifiers: SHIFT }

const screens = useBuiltScreens(() => ({ signedIn: ALEX, sale: withMember() }))

test.each([
  ['US', US_PREFIX, SEPARATOR],
  ['Canadian French', FRENCH_PREFIX, FRENCH_SEPARATOR],
] as const)(
  'a GS1 code with a group separator is one scan under a %s keyboard layout',
  async (_layout, prefix, separator) => {
    const { page } = await screens.openSale()
    const browser = await page.context().newCDPSession(page)
    const code = [
      ...prefix,
      ...charactersOf('010062845110100010'),
      LETTER,
      ...charactersOf('7'),
      ...separator,
      ...charactersOf('17271231'),
      { key: 'Enter', code: 'Enter', text: '\r' },
    ]
    const begin = Date.now() / 1_000
    await Promise.all(
      code.flatMap((key, index) => {
        const timestamp = begin + index * 0.004
        const down = { ...key, type: 'text' in key ? ('keyDown' as const) : ('rawKeyDown' as const), timestamp }
        const up = { key: key.key, code: key.code, type: 'keyUp' as const, timestamp: timestamp + 0.001 }
        return [browser.send('Input.dispatchKeyEvent', down), browser.send('Input.dispatchKeyEvent', up)]
      }),
    )
    await expect
      .poll(() => screens.posted('/devices/keys').map(({ body }) => body))
      .toEqual([{ text: ']d2010062845110100010B7\u001d17271231' }])
  },
)
