import { expect, test } from 'vitest'
import { createKeyBurst, type Stroke } from './key-burst.ts'

const seed = Number(process.env['KEYS_SEED'] ?? Date.now() % 1_000_000)

/** Generates seeded random numbers from 0 to 1 (mulberry32), so that a failure can be reproduced. */
function randomFrom(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Played {
  readonly scans: (string | null)[]
  readonly typed: string[]
  readonly passed: string[]
}

const textOf = (strokes: readonly Stroke[] | null): string | null => strokes?.map(({ key }) => key).join('') ?? null

function play(strokes: readonly Stroke[]): Played {
  const played: Played = { scans: [], typed: [], passed: [] }
  const burst = createKeyBurst<Stroke>({
    onScan: (strokes) => {
      played.scans.push(textOf(strokes))
    },
    onTyping: (keys) => {
      played.typed.push(...keys.map(({ key }) => key))
    },
  })
  let last = -Infinity
  for (const stroke of strokes) {
    if (stroke.at - last > burst.paceMs) burst.complete()
    if (burst.press(stroke) === 'pass') played.passed.push(stroke.key)
    last = stroke.at
  }
  burst.complete()
  return played
}

const keys = (text: Iterable<string>, gap: () => number, from = 1_000): Stroke[] => {
  let at = from
  return [...text].map((key) => ({ key, at: (at += gap()) }))
}
const suffix = (strokes: readonly Stroke[], key: string, after: number): Stroke[] => [
  ...strokes,
  { key, at: (strokes.at(-1)?.at ?? 0) + after },
]

test('fewer than one in a hundred keys of a fast typist, which overlap at random, are taken for scanner keys', () => {
  const random = randomFrom(seed)
  // A fast typist: 100 ms per key on average; every fourth key overlaps the next.
  const gap = (): number => (random() < 0.25 ? 15 + random() * 45 : 70 + random() * 120)
  const text = Array.from(
    { length: 50_000 },
    () => 'abcdefghijklmnopqrstuvwxyz0123456789'[Math.floor(random() * 36)] ?? 'a',
  )
  const { scans, typed } = play(keys(text, gap))
  const rolls = scans.reduce((sum, scan) => sum + (scan?.length ?? 0), 0)
  expect(rolls / text.length).toBeLessThan(0.01)
  expect(typed.length + rolls).toBe(text.length)
})

test('a typist with at most three overlapping keys in a row is never mistaken for a scanner', () => {
  const random = randomFrom(seed)
  let rolled = 0
  const gap = (): number => {
    rolled = rolled < 3 && random() < 0.5 ? rolled + 1 : 0
    return rolled > 0 ? 10 + random() * 30 : 55 + random() * 150
  }
  const text = Array.from({ length: 50_000 }, () => 'abcdefghij0123456789-.'[Math.floor(random() * 22)] ?? 'a')
  expect(play(keys(text, gap))).toEqual({ scans: [], typed: text, passed: [] })
})

test.each([
  ['a fast one', 1, 4],
  ['one over radio', 8, 25],
  ['a slow one', 30, 48],
])(`recognizes a scanner by the pace of its keys: %s (seed ${seed})`, (_name, min, max) => {
  const random = randomFrom(seed)
  for (const code of ['4006381333931', '012345', ';80000000011=4912101?', ']C0BAG 5-A', 'N1010100000042K7QZ']) {
    const burst = keys(code, () => min + random() * (max - min))
    expect(play(suffix(burst, 'Enter', min))).toEqual({ scans: [code], typed: [], passed: [] })
    expect(play(suffix(burst, 'Tab', min))).toEqual({ scans: [code], typed: [], passed: [] })
    expect(play(burst)).toEqual({ scans: [code], typed: [], passed: [] })
  }
})

test('two consecutive scans are reported as two codes', () => {
  const first = suffix(
    keys('4006381333931', () => 3),
    'Enter',
    3,
  )
  const second = suffix(
    keys('0628451101000', () => 3, (first.at(-1)?.at ?? 0) + 20),
    'Enter',
    3,
  )
  expect(play([...first, ...second]).scans).toEqual(['4006381333931', '0628451101000'])
})

test('a late suffix, or a suffix of two keys, is part of the scan, and a person’s next Enter is passed on', () => {
  const scan = keys('4006381333931', () => 3)
  expect(play(suffix(scan, 'Enter', 120))).toMatchObject({ scans: ['4006381333931'], passed: [] })
  expect(play(suffix(suffix(scan, 'Enter', 3), 'Enter', 3))).toMatchObject({ scans: ['4006381333931'], passed: [] })
  expect(play(suffix(suffix(scan, 'Enter', 3), 'Enter', 400))).toMatchObject({
    scans: ['4006381333931'],
    passed: ['Enter'],
  })
})

test('a person’s Enter and control keys are passed on after the text typed before them', () => {
  expect(
    play(
      suffix(
        keys('2468', () => 20),
        'Enter',
        20,
      ),
    ),
  ).toEqual({ scans: [], typed: ['2', '4', '6', '8'], passed: ['Enter'] })
  expect(
    play([
      { key: 'a', at: 0 },
      { key: 'Backspace', at: 10 },
      { key: ' ', at: 300 },
    ]),
  ).toEqual({ scans: [], typed: ['a'], passed: ['Backspace', ' '] })
})

test('Shift keys in a scanned code are ignored', () => {
  expect(play(keys(['Shift', 'B', 'Shift', 'A', 'Shift', 'G', '-', '1', '2'], () => 2))).toMatchObject({
    scans: ['BAG-12'],
    passed: ['Shift', 'Shift', 'Shift'],
  })
})

test('a scan longer than any code is reported as unreadable, and none of its keys is typed', () => {
  expect(
    play(
      suffix(
        keys('7'.repeat(600), () => 2),
        'Enter',
        2,
      ),
    ),
  ).toEqual({ scans: [null], typed: [], passed: [] })
})

test('a code whose first keys were passed on as typing is reported as unreadable', () => {
  const played: (string | null)[] = []
  const typed: string[] = []
  const burst = createKeyBurst<Stroke>({
    onScan: (scanned) => {
      played.push(textOf(scanned))
    },
    onTyping: (strokes) => {
      typed.push(...strokes.map(({ key }) => key))
    },
  })
  for (const [index, stroke] of keys('4006381333931', () => 4).entries()) {
    if (index === 3) burst.complete()
    burst.press(stroke)
  }
  burst.complete()
  expect({ played, typed }).toEqual({ played: [null], typed: ['4', '0', '0'] })
})

test('the keys of a scanner that sends one every 70 ms count as typing', () => {
  expect(
    play(
      suffix(
        keys('4006381333931', () => 70),
        'Enter',
        70,
      ),
    ),
  ).toEqual({ scans: [], typed: [...'4006381333931'], passed: ['Enter'] })
})

test('the later keys of a scan that was completed too early are reported as unreadable, and none is typed', () => {
  const scans: (string | null)[] = []
  const burst = createKeyBurst<Stroke>({
    onScan: (scanned) => {
      scans.push(textOf(scanned))
    },
    onTyping: () => {
      throw new Error('not typing')
    },
  })
  const press = (keys: string, from: number): void => {
    for (const [index, key] of [...keys].entries()) burst.press({ key, at: from + index * 4 })
  }
  press('06284511', 1_000)
  expect(burst.paceMs, 'a certain scan waits longer for its rest').toBeGreaterThan(150)
  burst.complete()
  press('01000', 1_032)
  burst.press({ key: 'Enter', at: 1_052 })
  expect(scans).toEqual(['06284511', null])
})

test('a dead key is part of a scanned code, and is left to the system in typed text', () => {
  expect(play(keys(['Dead', ...'E00628451101000'], () => 4))).toEqual({
    scans: ['DeadE00628451101000'],
    typed: [],
    passed: ['Dead'],
  })
  expect(play(keys(['Dead', 'ê'], () => 30))).toEqual({ scans: [], typed: ['ê'], passed: ['Dead'] })
})

test('fast text with letters and a line end inside is one unreadable scan; two numbers in a row are two scans', () => {
  const lines = (...all: string[]): Stroke[] =>
    keys(
      all.flatMap((line) => [...line, 'Enter']),
      () => 4,
    )
  expect(play(lines('SAVE-10', '4006381333931'))).toEqual({ scans: [null], typed: [], passed: [] })
  expect(play(lines('SAVE-10', '', '80000000011'))).toEqual({ scans: [null], typed: [], passed: [] })
  expect(play([...lines('SAVE-10'), ...keys('SAVE-20', () => 4, 1_200)])).toEqual({
    scans: ['SAVE-10', 'SAVE-20'],
    typed: [],
    passed: [],
  })
  // A scanner in memory mode sends its stored scans one after another.
  expect(play(lines('4006381333931', '0628451101000'))).toMatchObject({ scans: ['4006381333931', '0628451101000'] })
})
