import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { colourOfSponsor, SPONSOR_COLOURS } from '../../../contracts/loyalty/kinds.ts'

const TOKENS = readFileSync(new URL('tokens.css', import.meta.url), 'utf8')
const [LIGHT = '', DARK = ''] = TOKENS.split(":root[data-theme='dark']")

function luminance(theme: string, name: string): number {
  const [, hex = ''] = new RegExp(`--${name}: #([0-9a-f]{6});`).exec(theme) ?? []
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
const contrast = (theme: string, name: string, background: string): number => {
  const [a, b] = [luminance(theme, name), luminance(theme, background)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

test('each partner mark has enough contrast on both backgrounds of both themes (WCAG 1.4.11)', () => {
  const faint = SPONSOR_COLOURS.flatMap((colour) =>
    [LIGHT, DARK].flatMap((theme) =>
      ['surface', 'bg'].filter((background) => !(contrast(theme, `mark-${colour}`, background) >= 3)).map(() => colour),
    ),
  )
  expect(faint).toEqual([])
})

test('each partner has a constant color, and many partners use all colors', () => {
  // Members know these partner colors from other lanes: do not change them.
  expect(['NRTH', 'RIVR', 'OLDE'].map(colourOfSponsor)).toEqual(['brown', 'teal', 'green'])
  const codes = Array.from({ length: 64 }, (_, index) => `P${String(index).padStart(3, '0')}`)
  expect(new Set(codes.map(colourOfSponsor)).size).toBe(SPONSOR_COLOURS.length)
})
