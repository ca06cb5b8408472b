import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { packBundle, sha256, type BundleParts } from './bundle.ts'
import type { Signer } from './keys.ts'
import { isBundleDue } from './standing.ts'
import type { LaneIdentity } from './identity.ts'
import { openShelf } from './shelf.ts'
import { TRAILER_BYTES } from './signed.ts'
import { listOf, newSigner, parts } from './testing/parts.ts'
import { sealTrust } from './trust.ts'

const signer = newSigner()
const trust = listOf(1, [signer])
const LANE: LaneIdentity = { store: '1001', lane: '01', mode: 'training' }
const NOW = new Date('2026-11-25T15:00:00Z')
let folder: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
})

function file(bundle: BundleParts, by: Signer = signer): string {
  const place = path.join(folder, `${Math.random()}.bundle`)
  writeFileSync(place, packBundle(bundle, by))
  return place
}
const readFile = (place: string): string | null => (existsSync(place) ? readFileSync(place, 'utf8') : null)
const put = (bundle: BundleParts, { now = NOW, by = signer, lane = LANE as LaneIdentity | null } = {}) =>
  openShelf(folder, trust).put(file(bundle, by), lane, now)
const undo = (now = NOW) => openShelf(folder, trust).undo(now)

/** The profile that a start at this time sells by. */
function profile(now = NOW): string {
  const sold = openShelf(folder, trust).atStart(now)
  return typeof sold === 'string' ? sold : readFileSync(sold.profileFile, 'utf8')
}

/** As if a bundle had been put: its folder and the order, by whoever can write there. */
function plant(bundle: BundleParts): void {
  const bytes = packBundle(bundle, signer)
  const id = sha256(bytes.subarray(0, -TRAILER_BYTES))
  mkdirSync(path.join(folder, 'bundles', id))
  writeFileSync(path.join(folder, 'bundles', id, 'bundle'), bytes)
  writeFileSync(path.join(folder, 'bundles', 'order.json'), JSON.stringify({ kind: 'put', id, from: null }))
}

/** A start: what it sells by, and what it tells. */
function start({ now = NOW, lane = LANE } = {}): { readonly profile: string; readonly told: object[] } {
  const told: object[] = []
  const sold = openShelf(folder, trust).atStart(now, { identity: lane, tell: (news) => told.push(news) })
  return { profile: typeof sold === 'string' ? sold : readFileSync(sold.profileFile, 'utf8'), told }
}

describe('the bundles of a lane', () => {
  test('one that is put is sold by from the next start, and the one before comes back by one command', () => {
    expect(profile()).toBe('none')
    expect(put(parts({}, 'first'))).toMatchObject({ kind: 'put', from: null })
    expect(profile()).toBe('first')
    expect(put(parts({ sequence: 2 }, 'second'))).toMatchObject({ kind: 'put' })
    expect(openShelf(folder, trust).list()).toMatchObject({ current: { sequence: 1 }, waiting: [{ sequence: 2 }] })
    expect(profile()).toBe('second')
    expect(undo()).toMatchObject({ kind: 'undone', manifest: { sequence: 1 } })
    expect(profile()).toBe('first')
    expect(undo()).toMatchObject({ kind: 'undone', manifest: { sequence: 2 } })
    expect(profile()).toBe('second')
  })

  test('waits for its time', () => {
    put(parts({}, 'first'))
    profile()
    put(parts({ sequence: 2, activeFrom: '2026-11-26T05:00:00Z' }, 'second'))
    expect(isBundleDue(folder, new Date('2026-11-26T04:59:59Z'))).toBe(false)
    expect(isBundleDue(folder, new Date('2026-11-26T05:00:00Z'))).toBe(true)
    expect(profile(new Date('2026-11-26T04:59:59Z'))).toBe('first')
    expect(profile(new Date('2026-11-26T05:00:00Z'))).toBe('second')
    expect(isBundleDue(folder, new Date('2027-01-01T00:00:00Z'))).toBe(false)
  })

  describe('several that wait', () => {
    const tomorrow = '2026-11-26T05:00:00Z'
    const later = '2026-11-27T05:00:00Z'
    const waiting = () =>
      openShelf(folder, trust)
        .list()
        .waiting.map(({ sequence }) => sequence)
    const plan = (sequence: number, activeFrom: string | null) =>
      put(parts({ sequence, activeFrom }, `number ${sequence}`))
    beforeEach(() => {
      plan(1, null)
      profile()
    })

    test('a bundle for tomorrow leaves the one for the next start, and each is sold by at its time', () => {
      plan(2, null)
      expect(plan(3, tomorrow)).toMatchObject({ kind: 'put', overtaken: [] })
      plan(4, later)
      expect(waiting()).toEqual([2, 3, 4])
      expect(profile()).toBe('number 2')
      expect(profile(new Date(tomorrow))).toBe('number 3')
      expect(waiting()).toEqual([4])
      expect(profile(new Date(later))).toBe('number 4')
      expect(undo(new Date(later))).toMatchObject({ manifest: { sequence: 3 } })
    })

    test('in whatever order they are put', () => {
      plan(4, later)
      plan(3, tomorrow)
      expect(plan(2, null)).toMatchObject({ kind: 'put', overtaken: [] })
      expect(waiting()).toEqual([2, 3, 4])
    })

    test('a lane that was off takes the newest that is due, and goes back to what it sold by', () => {
      plan(2, null)
      plan(3, tomorrow)
      plan(4, later)
      expect(start({ now: new Date(tomorrow) })).toEqual({ profile: 'number 3', told: [] })
      expect(undo(new Date(tomorrow))).toMatchObject({ manifest: { sequence: 1 } })
      expect(waiting()).toEqual([4])
    })

    test('a newer one that comes no later takes the place of older ones, and names them', () => {
      plan(2, tomorrow)
      plan(3, later)
      const put4 = plan(4, tomorrow)
      expect(put4).toMatchObject({ kind: 'put', overtaken: [{ sequence: 2 }, { sequence: 3 }] })
      expect(waiting()).toEqual([4])
      expect(plan(3, later)).toEqual({ kind: 'refused', why: 'older' })
    })

    test('one is called back by its number, can be put again, and the others wait on', () => {
      plan(2, null)
      plan(3, tomorrow)
      expect(openShelf(folder, trust).cancel(4)).toBeNull()
      expect(openShelf(folder, trust).cancel(2)).toMatchObject({ sequence: 2 })
      expect(waiting()).toEqual([3])
      expect(openShelf(folder, trust).cancel(3)).toMatchObject({ sequence: 3 })
      expect(isBundleDue(folder, new Date(later))).toBe(false)
      expect(profile(new Date(tomorrow))).toBe('number 1')
      expect(plan(3, tomorrow)).toMatchObject({ kind: 'put' })
      expect(profile(new Date(tomorrow))).toBe('number 3')
    })

    test('an undo does not go past one that waits for the next start', () => {
      plan(2, null)
      profile()
      plan(3, null)
      expect(undo()).toMatchObject({ kind: 'waiting', manifest: { sequence: 3 } })
      expect(profile()).toBe('number 3')
    })

    test('an undo leaves those that wait for their time, and is listed', () => {
      plan(2, null)
      profile()
      plan(3, tomorrow)
      expect(undo()).toMatchObject({ kind: 'undone', manifest: { sequence: 1 } })
      expect(openShelf(folder, trust).list()).toMatchObject({ undoTo: { sequence: 1 }, waiting: [{ sequence: 3 }] })
      expect(profile()).toBe('number 1')
      expect(profile(new Date(tomorrow))).toBe('number 3')
    })

    test('one that cannot be put in force is dropped, and the next newest that is due takes its place', () => {
      plan(2, null)
      plan(3, tomorrow)
      const bundles = path.join(folder, 'bundles')
      for (const name of readdirSync(bundles))
        if (readFile(path.join(bundles, name, 'files', 'profile.yaml')) === 'number 3')
          rmSync(path.join(bundles, name), { recursive: true })
      expect(start({ now: new Date(tomorrow) })).toMatchObject({
        profile: 'number 2',
        told: [{ kind: 'dropped', why: 'gone' }],
      })
    })

    test('files of those that wait stay, however old; a list that cannot be read is dropped, and told', () => {
      plan(2, tomorrow)
      plan(3, later)
      for (const name of readdirSync(path.join(folder, 'bundles')))
        utimesSync(path.join(folder, 'bundles', name), new Date(2020, 0, 1), new Date(2020, 0, 1))
      expect(start()).toEqual({ profile: 'number 1', told: [] })
      expect(waiting()).toEqual([2, 3])
      writeFileSync(path.join(folder, 'bundles', 'later.json'), '[')
      expect(start()).toMatchObject({ told: [{ kind: 'dropped', why: 'unreadable' }] })
      expect(start()).toMatchObject({ told: [] })
    })
  })

  test('one that is gone when its time comes is not asked for again', () => {
    put(parts({}, 'first'))
    profile()
    put(parts({ sequence: 2 }, 'second'))
    const bundles = path.join(folder, 'bundles')
    for (const name of readdirSync(bundles))
      if (readFile(path.join(bundles, name, 'files', 'profile.yaml')) === 'second')
        rmSync(path.join(bundles, name), { recursive: true })
    expect(isBundleDue(folder, NOW)).toBe(true)
    expect(profile()).toBe('first')
    expect(isBundleDue(folder, NOW)).toBe(false)
  })

  test('a newer one takes the place of one that still waits', () => {
    put(parts({}, 'first'))
    profile()
    put(parts({ sequence: 2, activeFrom: '2026-11-26T05:00:00Z' }, 'second'))
    put(parts({ sequence: 3 }, 'third'))
    expect(profile()).toBe('third')
    expect(undo()).toMatchObject({ kind: 'undone', manifest: { sequence: 1 } })
  })

  test('the same one again changes nothing', () => {
    put(parts({}, 'first'))
    expect(put(parts({}, 'first'))).toMatchObject({ kind: 'there-already' })
  })

  test('without one before there is nothing to go back to', () => {
    expect(undo()).toEqual({ kind: 'nothing-before' })
    put(parts({}, 'first'))
    profile()
    expect(undo()).toEqual({ kind: 'nothing-before' })
    expect(profile()).toBe('first')
  })
})

describe('refused, each with its own reason, and nothing has changed', () => {
  const LATER = '2026-12-01T00:00:00Z'
  test.each<[string, BundleParts, object]>([
    ['other-store', parts({ sequence: 5, store: { id: '1002', name: 'Other' } }), {}],
    ['other-lane', parts({ sequence: 5, lanes: ['03'] }), {}],
    ['other-mode', parts({ sequence: 5, mode: 'production' }), {}],
    ['expired', parts({ sequence: 5, expiresAt: NOW.toISOString() }), {}],
    ['older', parts({ sequence: 1, expiresAt: LATER }), {}],
    ['schema-newer', parts({ sequence: 5, profileSchema: 1_000 }), {}],
    ['key-unknown', parts({ sequence: 5 }), { by: newSigner() }],
  ])('%s', (why, bundle, how) => {
    put(parts({}, 'first'))
    expect(profile()).toBe('first')
    expect(put(bundle, how)).toEqual({ kind: 'refused', why })
    expect(profile()).toBe('first')
    expect(openShelf(folder, trust).list()).toMatchObject({ waiting: [] })
  })

  test('older than one that was undone: who comes with yesterday’s prices is no undo', () => {
    put(parts({ sequence: 1 }, 'first'))
    profile()
    put(parts({ sequence: 2 }, 'second'))
    profile()
    undo()
    expect(put(parts({ sequence: 2 }, 'second, again'))).toEqual({ kind: 'refused', why: 'older' })
  })

  test('a file that is not there, unsigned, or something else', () => {
    const shelf = openShelf(folder, trust)
    expect(shelf.put(path.join(folder, 'none'), LANE, NOW)).toEqual({ kind: 'refused', why: 'unreadable' })
    const text = path.join(folder, 'text')
    writeFileSync(text, 'mode: training')
    expect(shelf.put(text, LANE, NOW)).toEqual({ kind: 'refused', why: 'unsigned' })
  })
})

describe('what stands on the disk', () => {
  test('a changed profile beside its bundle is written anew from what was signed', () => {
    put(parts({}, 'first'))
    const sold = openShelf(folder, trust).atStart(NOW)
    if (typeof sold === 'string') throw new Error(sold)
    writeFileSync(sold.profileFile, 'everything is free')
    expect(profile()).toBe('first')
  })

  test('a link in the place of a profile is replaced, whatever it leads to', () => {
    put(parts({}, 'first'))
    const sold = openShelf(folder, trust).atStart(NOW)
    if (typeof sold === 'string') throw new Error(sold)
    const elsewhere = path.join(folder, 'elsewhere.yaml')
    writeFileSync(elsewhere, 'first')
    rmSync(sold.profileFile)
    symlinkSync(elsewhere, sold.profileFile)
    expect(profile()).toBe('first')
    writeFileSync(elsewhere, 'everything is free')
    expect(readFile(sold.profileFile)).toBe('first')
  })

  test('keys and other files beside the bundles stay, however old', () => {
    put(parts({}, 'first'))
    const [keys, left] = ['own.keys', 'b'.repeat(64)].map((name) => path.join(folder, 'bundles', name)) as [
      string,
      string,
    ]
    writeFileSync(keys, 'keys')
    mkdirSync(left)
    for (const place of [keys, left]) utimesSync(place, new Date(2020, 0, 1), new Date(2020, 0, 1))
    expect(profile()).toBe('first')
    expect([existsSync(keys), existsSync(left)]).toEqual([true, false])
  })

  test('an order that is none is dropped, and told', () => {
    put(parts({}, 'first'))
    expect(profile()).toBe('first')
    const order = path.join(folder, 'bundles', 'order.json')
    writeFileSync(order, '{')
    expect(start()).toMatchObject({ profile: 'first', told: [{ kind: 'dropped', why: 'unreadable' }] })
    expect(existsSync(order)).toBe(false)
  })

  test.each(['missing', 'none'])(
    'a state that is %s: the newest bundle of the lane is sold by, and it is told',
    (how) => {
      put(parts({}, 'first'))
      profile()
      put(parts({ sequence: 2 }, 'second'))
      profile()
      put(parts({ sequence: 3, activeFrom: '2026-11-26T05:00:00Z' }, 'third'))
      const state = path.join(folder, 'bundles', 'state.json')
      const lose = () => (how === 'missing' ? rmSync(state) : writeFileSync(state, '{'))
      lose()
      expect(start({ lane: { ...LANE, lane: '07' } })).toMatchObject({ profile: 'damaged', told: [] })
      expect(start()).toMatchObject({ profile: 'second', told: [{ kind: 'recovered', number: 2 }] })
      expect(start()).toMatchObject({ profile: 'second', told: [] })
      expect(openShelf(folder, trust).list()).toMatchObject({
        previous: { sequence: 1 },
        notice: { kind: 'recovered' },
      })
      // What waits is not forgotten, and the notice goes with it.
      expect(profile(new Date('2026-11-26T05:00:00Z'))).toBe('third')
      expect(openShelf(folder, trust).list()).toMatchObject({ previous: { sequence: 2 }, notice: null })
      lose()
      expect(start()).toMatchObject({ profile: 'second', told: [{ kind: 'recovered', number: 2 }] })
    },
  )

  test('after a state was lost, the same bundle again says that it is the right one', () => {
    const first = file(parts({}, 'first'))
    openShelf(folder, trust).put(first, LANE, NOW)
    profile()
    rmSync(path.join(folder, 'bundles', 'state.json'))
    expect(start()).toMatchObject({ profile: 'first', told: [{ kind: 'recovered' }] })
    expect(openShelf(folder, trust).put(first, LANE, NOW)).toMatchObject({ kind: 'put' })
    expect(start()).toMatchObject({ profile: 'first', told: [] })
    expect(openShelf(folder, trust).list().notice).toBeNull()
  })

  test('nor does saying so take the place of one that waits', () => {
    const first = file(parts({}, 'first'))
    openShelf(folder, trust).put(first, LANE, NOW)
    profile()
    put(parts({ sequence: 2, activeFrom: '2026-11-26T05:00:00Z' }, 'second'))
    rmSync(path.join(folder, 'bundles', 'state.json'))
    expect(profile()).toBe('first')
    expect(openShelf(folder, trust).put(first, LANE, NOW)).toMatchObject({ kind: 'there-already' })
    expect(profile(new Date('2026-11-26T05:00:00Z'))).toBe('second')
  })

  test('a new lane with a bundle that waits has lost nothing', () => {
    put(parts({ activeFrom: '2026-11-26T05:00:00Z' }, 'first'), { lane: null })
    expect(start()).toMatchObject({ profile: 'none', told: [] })
    put(parts({ sequence: 2, activeFrom: '2026-11-27T05:00:00Z' }, 'second'), { lane: null })
    expect(start({ now: new Date('2026-11-26T06:00:00Z') })).toMatchObject({ profile: 'first', told: [] })
  })

  test('one that is damaged gives way to the one before it, and comes back by putting it again', () => {
    put(parts({}, 'first'))
    profile()
    const second = file(parts({ sequence: 2 }, 'second'))
    openShelf(folder, trust).put(second, LANE, NOW)
    const sold = openShelf(folder, trust).atStart(NOW)
    if (typeof sold === 'string') throw new Error(sold)
    writeFileSync(path.join(folder, 'bundles', sold.id, 'bundle'), 'x')
    expect(start()).toMatchObject({ profile: 'first', told: [{ kind: 'damaged', number: 2 }] })
    expect(start()).toMatchObject({ profile: 'first', told: [] })
    expect(openShelf(folder, trust).put(second, LANE, NOW)).toMatchObject({ kind: 'put' })
    expect(start()).toMatchObject({ profile: 'second', told: [] })
  })

  test('a changed bundle is not sold by', () => {
    put(parts({}, 'first'))
    const sold = openShelf(folder, trust).atStart(NOW)
    if (typeof sold === 'string') throw new Error(sold)
    const bundle = path.join(folder, 'bundles', sold.id, 'bundle')
    const bytes = readFileSync(bundle)
    bytes[100] = (bytes[100] ?? 0) ^ 1
    writeFileSync(bundle, bytes)
    expect(profile()).toBe('damaged')
  })
})

describe('the way on', () => {
  const bundleOf = (id: string): string => path.join(folder, 'bundles', id, 'bundle')
  function sold() {
    const found = openShelf(folder, trust).atStart(NOW)
    if (typeof found === 'string') throw new Error(found)
    return found
  }

  test('a bundle that is damaged on the disk is mended by putting the same file again', () => {
    const first = file(parts({}, 'first'))
    const again = () => openShelf(folder, trust).put(first, LANE, NOW)
    again()
    const { id } = sold()
    for (const spoil of [
      () => writeFileSync(bundleOf(id), 'x'),
      () => rmSync(path.dirname(bundleOf(id)), { recursive: true }),
    ]) {
      spoil()
      expect(profile()).toBe('damaged')
      expect(again()).toMatchObject({ kind: 'put', from: null })
      expect(profile()).toBe('first')
      expect(again()).toMatchObject({ kind: 'there-already' })
    }
  })

  test('mending what is in force takes nothing off that waits', () => {
    const first = file(parts({}, 'first'))
    openShelf(folder, trust).put(first, LANE, NOW)
    const { id } = sold()
    put(parts({ sequence: 2, activeFrom: '2026-11-26T05:00:00Z' }, 'second'))
    writeFileSync(bundleOf(id), 'x')
    openShelf(folder, trust).put(first, LANE, NOW)
    expect(profile()).toBe('first')
    expect(profile(new Date('2026-11-26T05:00:00Z'))).toBe('second')
  })

  test('another store’s bundle on a new lane is in the way of no bundle of its own store', () => {
    // All of one run have the same number.
    const wrong = parts({ sequence: 7, store: { id: '1002', name: 'Other' } }, 'of the other')
    expect(put(wrong, { lane: null })).toMatchObject({ kind: 'put' })
    expect(put(parts({ sequence: 7 }, 'own'), { lane: null })).toMatchObject({ kind: 'put' })
    expect(profile()).toBe('own')
  })

  test('also after a start that found it, and it is not what an undo goes back to', () => {
    put(parts({ sequence: 7, store: { id: '1002', name: 'Other' } }, 'of the other'), { lane: null })
    expect(profile()).toBe('of the other')
    expect(put(parts({ sequence: 7 }, 'own'))).toMatchObject({ kind: 'put' })
    expect(profile()).toBe('own')
    expect(undo()).toEqual({ kind: 'nothing-before' })
    expect(put(parts({ sequence: 6 }, 'older'))).toEqual({ kind: 'refused', why: 'older' })
  })

  test('bundles that waited and were replaced before their time do not pile up', () => {
    put(parts({}, 'first'))
    profile()
    for (let sequence = 2; sequence < 8; sequence += 1) {
      put(parts({ sequence, activeFrom: '2027-01-01T00:00:00Z' }, `number ${sequence}`))
      for (const name of readdirSync(path.join(folder, 'bundles')))
        utimesSync(path.join(folder, 'bundles', name), new Date(2020, 0, 1), new Date(2020, 0, 1))
      expect(profile()).toBe('first')
    }
    const left = readdirSync(path.join(folder, 'bundles')).filter((name) => name.length === 64)
    expect(left).toHaveLength(2)
    expect(profile(new Date('2027-01-01T00:00:00Z'))).toBe('number 7')
  })

  test.skipIf(process.platform === 'win32')('a full disk: the lane goes on with what it sold by', () => {
    const onFullDisk = (): string =>
      execFileSync(
        '/bin/sh',
        [
          '-c',
          'ulimit -f 0; exec "$@"',
          'sh',
          process.execPath,
          path.join(import.meta.dirname, 'testing', 'one-start.ts'),
          folder,
          path.join(folder, 'trust.keys'),
          NOW.toISOString(),
        ],
        { encoding: 'utf8' },
      )
    writeFileSync(path.join(folder, 'trust.keys'), sealTrust(trust, signer))
    put(parts({}, 'first'))
    profile()
    put(parts({ sequence: 2 }, 'second'))
    const before = readdirSync(path.join(folder, 'bundles')).toSorted()
    expect(onFullDisk()).toMatch(/^first\nEFBIG/)
    expect(readdirSync(path.join(folder, 'bundles')).toSorted()).toEqual(before)
    expect(profile()).toBe('second')
  })
})

describe('what a thief lays into the folder', () => {
  test('a signed bundle that is older than what was sold by is not put in force', () => {
    put(parts({ sequence: 5 }, 'first'))
    expect(profile()).toBe('first')
    plant(parts({ sequence: 4 }, 'last year’s prices'))
    expect(start()).toMatchObject({ profile: 'first', told: [{ kind: 'dropped', number: 4, why: 'older' }] })
    expect(isBundleDue(folder, NOW)).toBe(false)
    plant(parts({ sequence: 6 }, 'new'))
    expect(profile()).toBe('new')
  })

  test.skipIf(process.platform === 'win32')('a pipe or a folder where a file should be holds nobody up', () => {
    put(parts({}, 'first'))
    profile()
    mkdirSync(path.join(folder, 'bundles', 'trust', 'lost+found'), { recursive: true })
    for (const name of ['offered', 'bundles/trust/pipe.keys']) execFileSync('mkfifo', [path.join(folder, name)])
    const shelf = openShelf(folder, trust)
    for (const file of [path.join(folder, 'offered'), '/dev/zero', folder])
      expect(shelf.put(file, LANE, NOW), file).toEqual({ kind: 'refused', why: 'unreadable' })
    expect(profile()).toBe('first')
  })
})

describe('trusted keys', () => {
  const next = newSigner()
  const both = sealTrust(listOf(2, [signer, next]), signer)
  const nextAlone = sealTrust(listOf(3, [next], [signer]), next)

  test('a newer list comes with a bundle; a revoked key puts nothing new, and what it signed is sold by', () => {
    put(parts({}, 'first'))
    profile()
    expect(put({ ...parts({ sequence: 2 }, 'second'), trust: [both] })).toMatchObject({ kind: 'put' })
    expect(profile()).toBe('second')
    const third = parts({ sequence: 3, activeFrom: '2026-11-26T05:00:00Z' }, 'third')
    expect(put({ ...third, trust: [both, nextAlone] }, { by: next })).toMatchObject({ kind: 'put' })
    expect(openShelf(folder, trust).trust().version).toBe(3)
    expect(profile()).toBe('second')
    expect(put(parts({ sequence: 4 }, 'of the thief'))).toEqual({ kind: 'refused', why: 'key-revoked' })
    expect(profile(new Date('2026-11-26T05:00:00Z'))).toBe('third')
    expect(undo()).toMatchObject({ kind: 'key-revoked', manifest: { sequence: 2 } })
    expect(profile()).toBe('third')
  })

  test('an order to go back that waits is dropped where the key of that bundle was revoked meanwhile', () => {
    put({ ...parts({}, 'first'), trust: [both] })
    profile()
    put(parts({ sequence: 2 }, 'second'), { by: next })
    profile()
    expect(undo()).toMatchObject({ kind: 'undone', manifest: { sequence: 1 } })
    openShelf(folder, trust).learn([nextAlone])
    expect(start()).toMatchObject({ profile: 'second', told: [{ kind: 'dropped', number: 1, why: 'key-revoked' }] })
  })

  test('a lane that forgot what was in force does not go back past a bundle whose key was revoked', () => {
    put({ ...parts({}, 'first'), trust: [both] }, { by: signer })
    const third = sealTrust(listOf(3, [signer], [next]), signer)
    profile()
    put(parts({ sequence: 2 }, 'second'), { by: next })
    profile()
    put({ ...parts({ sequence: 3 }, 'third'), trust: [both, third] })
    profile()
    plant(parts({}, 'first'))
    for (const name of ['order.json', 'state.json']) rmSync(path.join(folder, 'bundles', name))
    expect(start()).toMatchObject({ profile: 'third', told: [{ kind: 'recovered', number: 3 }] })
    expect(undo()).toEqual({ kind: 'nothing-before' })
  })

  test('a bundle that brings the news that its own key is revoked is not taken, and the news is', () => {
    put(parts({}, 'first'))
    expect(put({ ...parts({ sequence: 2 }, 'x'), trust: [both, nextAlone] })).toEqual({
      kind: 'refused',
      why: 'key-revoked',
    })
    expect(openShelf(folder, trust).trust().version).toBe(3)
  })

  test('a lane that does not know a key is given the lists with the bundle', () => {
    put(parts({}, 'first'))
    profile()
    const second = file({ ...parts({ sequence: 2 }, 'second'), trust: [both, nextAlone] }, next)
    const shelf = openShelf(folder, trust)
    expect(shelf.put(second, LANE, NOW)).toEqual({ kind: 'refused', why: 'key-unknown' })
    expect(shelf.learn([sealTrust(listOf(9, [next]), next)])).toBe(false)
    expect(shelf.learn([nextAlone, both])).toBe(true)
    expect(shelf.put(second, LANE, NOW)).toMatchObject({ kind: 'put' })
    expect(profile()).toBe('second')
  })
})

describe('what a thief lays into the folder of a lane that knows of a revoked key', () => {
  const next = newSigner()
  const lists = [sealTrust(listOf(2, [signer, next]), signer), sealTrust(listOf(3, [next], [signer]), next)]
  beforeEach(() => {
    put(parts({}, 'first'))
    profile()
    put({ ...parts({ sequence: 2 }, 'second'), trust: lists.slice(0, 1) })
    profile()
    put({ ...parts({ sequence: 3 }, 'third'), trust: lists }, { by: next })
    profile()
  })

  test('a bundle of the revoked key is not put in force, and it is told', () => {
    plant(parts({ sequence: 9 }, 'of the thief'))
    expect(start()).toMatchObject({ profile: 'third', told: [{ kind: 'dropped', number: 9, why: 'key-revoked' }] })
  })

  test('nor where the news of the revocation is taken away, until somebody gives it again', () => {
    rmSync(path.join(folder, 'bundles', 'trust'), { recursive: true })
    plant(parts({ sequence: 9 }, 'of the thief'))
    // What was signed by a key that is not known any more is not believed: the one before it is.
    expect(start()).toMatchObject({
      profile: 'second',
      told: [{ kind: 'damaged' }, { kind: 'dropped', why: 'keys-missing' }],
    })
    expect(put(parts({ sequence: 10 }, 'of the thief'))).toEqual({ kind: 'refused', why: 'keys-missing' })
    openShelf(folder, trust).learn(lists)
    expect(put({ ...parts({ sequence: 11 }, 'own'), trust: lists }, { by: next })).toMatchObject({ kind: 'put' })
    expect(profile()).toBe('own')
  })

  test('nor where the state is taken away', () => {
    plant(parts({ sequence: 9 }, 'of the thief'))
    for (const name of ['order.json', 'state.json']) rmSync(path.join(folder, 'bundles', name))
    expect(start()).toMatchObject({ profile: 'third', told: [{ kind: 'recovered', number: 3 }] })
  })

  test('an order to go back brings the one before, and no other', () => {
    const sold = path.join(folder, 'bundles')
    const oldest = readdirSync(sold).find((id) => readFile(path.join(sold, id, 'files', 'profile.yaml')) === 'first')
    writeFileSync(path.join(sold, 'order.json'), JSON.stringify({ kind: 'undo', to: oldest }))
    expect(start()).toMatchObject({ profile: 'third', told: [{ kind: 'dropped', why: 'older' }] })
  })
})
