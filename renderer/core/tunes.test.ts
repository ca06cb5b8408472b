import { expect, test } from 'vitest'
import { CUES, TUNES } from './sounds.ts'

test('no two sound cues have the same rhythm, the same notes, or the same number and length of notes', () => {
  const rhythms = CUES.map((cue) => TUNES[cue].map(({ atMs, ms }) => `${atMs}+${ms}`).join(' '))
  expect(new Set(rhythms).size).toBe(CUES.length)
  const counts = CUES.map((cue) => `${TUNES[cue].length} ${TUNES[cue].reduce((sum, { ms }) => sum + ms, 0)}`)
  expect(new Set(counts).size).toBe(CUES.length)
  const pitches = CUES.map((cue) => TUNES[cue].map(({ hz }) => hz).join(' '))
  expect(new Set(pitches).size).toBe(CUES.length)
})

test('cues for good news rise or are high, those for bad news fall or are low, and each one is short', () => {
  const ends = (cue: (typeof CUES)[number]) => ({ first: TUNES[cue][0]?.hz ?? 0, last: TUNES[cue].at(-1)?.hz ?? 0 })
  for (const cue of ['card-read', 'approved', 'central-back'] as const)
    expect(ends(cue).last).toBeGreaterThan(ends(cue).first)
  for (const cue of ['not-applied', 'error', 'central-gone'] as const)
    expect(ends(cue).last).toBeLessThan(ends(cue).first)
  expect(ends('scan-ok').first).toBeGreaterThan(ends('scan-unknown').first)
  for (const cue of CUES) expect(Math.max(...TUNES[cue].map(({ atMs, ms }) => atMs + ms))).toBeLessThan(1_000)
})
