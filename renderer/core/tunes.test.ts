import { expect, test } from 'vitest'
import { CUES, TUNES } from './sounds.ts'

test('gives each cue its own rhythm and pitches', () => {
  const rhythms = CUES.map((cue) => TUNES[cue].map(({ atMs, ms }) => `${atMs}+${ms}`).join(' '))
  expect(new Set(rhythms).size).toBe(CUES.length)
  const counts = CUES.map((cue) => `${TUNES[cue].length} ${TUNES[cue].reduce((sum, { ms }) => sum + ms, 0)}`)
  expect(new Set(counts).size).toBe(CUES.length)
  const pitches = CUES.map((cue) => TUNES[cue].map(({ hz }) => hz).join(' '))
  expect(new Set(pitches).size).toBe(CUES.length)
})

test('plays good news rising or high, bad news falling or low, each short enough for the next', () => {
  const ends = (cue: (typeof CUES)[number]) => ({ first: TUNES[cue][0]?.hz ?? 0, last: TUNES[cue].at(-1)?.hz ?? 0 })
  for (const cue of ['card-read', 'approved', 'central-back'] as const)
    expect(ends(cue).last).toBeGreaterThan(ends(cue).first)
  for (const cue of ['not-applied', 'error', 'central-gone'] as const)
    expect(ends(cue).last).toBeLessThan(ends(cue).first)
  expect(ends('scan-ok').first).toBeGreaterThan(ends('scan-unknown').first)
  for (const cue of CUES) expect(Math.max(...TUNES[cue].map(({ atMs, ms }) => atMs + ms))).toBeLessThan(1_000)
})
