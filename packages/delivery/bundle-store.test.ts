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
import { packBundle, sha256, type BundleContent } from './bundle.ts'
import type { Signer } from './keys.ts'
import { isBundleDue } from './stored-bundles.ts'
import type { LaneIdentity } from './identity.ts'
import { openBundleStore } from './bundle-store.ts'
import { TRAILER_BYTES } from './signed.ts'
import { listOf, newSigner, bundleContent } from './testing/bundle-content.ts'
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

function file(bundle: BundleContent, by: Signer = signer): string {
  const place = path.join(folder, `${Math.random()}.bundle`)
  writeFileSync(place, packBundle(bundle, by))
  return place
}
const readFile = (place: string): string | null => (existsSync(place) ? readFileSync(place, 'utf8') : null)
const put = (bundle: BundleContent, { now = NOW, by = signer, lane = LANE as LaneIdentity | null } = {}) =>
  openBundleStore(folder, trust).put(file(bundle, by), lane, now)
const undo = (now = NOW) => openBundleStore(folder, trust).undo(now)

function profile(now = NOW): string {
  const active = openBundleStore(folder, trust).atStart(now)
  return typeof active === 'string' ? active : readFileSync(active.profileFile, 'utf8')
}

function writeDirectly(bundle: BundleContent): void {
  const bytes = packBundle(bundle, signer)
  const id = sha256(bytes.subarray(0, -TRAILER_BYTES))
  mkdirSync(path.join(folder, 'bundles', id))
  writeFileSync(path.join(folder, 'bundles', id, 'bundle'), bytes)
  writeFileSync(path.join(folder, 'bundles', 'order.json'), JSON.stringify({ kind: 'put', id, from: null }))
}

function start({ now = NOW, lane = LANE } = {}): { readonly profile: string; readonly notices: object[] } {
  const notices: object[] = []
  const active = openBundleStore(folder, trust).atStart(now, {
    identity: lane,
    notify: (notice) => notices.push(notice),
  })
  return { profile: typeof active === 'string' ? active : readFileSync(active.profileFile, 'utf8'), notices }
}

describe('the bundles of a lane', () => {
  test('a stored bundle becomes active at the next start, and an undo restores the previous bundle', () => {
    expect(profile()).toBe('none')
    expect(put(bundleContent({}, 'first'))).toMatchObject({ kind: 'put', from: null })
    expect(profile()).toBe('first')
    expect(put(bundleContent({ sequence: 2 }, 'second'))).toMatchObject({ kind: 'put' })
    expect(openBundleStore(folder, trust).list()).toMatchObject({
      current: { sequence: 1 },
      waiting: [{ sequence: 2 }],
    })
    expect(profile()).toBe('second')
    expect(undo()).toMatchObject({ kind: 'undone', manifest: { sequence: 1 } })
    expect(profile()).toBe('first')
    expect(undo()).toMatchObject({ kind: 'undone', manifest: { sequence: 2 } })
    expect(profile()).toBe('second')
  })

  test('a bundle with a start time becomes active at that time', () => {
    put(bundleContent({}, 'first'))
    profile()
    put(bundleContent({ sequence: 2, activeFrom: '2026-11-26T05:00:00Z' }, 'second'))
    expect(isBundleDue(folder, new Date('2026-11-26T04:59:59Z'))).toBe(false)
    expect(isBundleDue(folder, new Date('2026-11-26T05:00:00Z'))).toBe(true)
    expect(profile(new Date('2026-11-26T04:59:59Z'))).toBe('first')
    expect(profile(new Date('2026-11-26T05:00:00Z'))).toBe('second')
    expect(isBundleDue(folder, new Date('2027-01-01T00:00:00Z'))).toBe(false)
  })

  describe('several waiting bundles', () => {
    const tomorrow = '2026-11-26T05:00:00Z'
    const later = '2026-11-27T05:00:00Z'
    const waiting = () =>
      openBundleStore(folder, trust)
        .list()
        .waiting.map(({ sequence }) => sequence)
    const plan = (sequence: number, activeFrom: string | null) =>
      put(bundleContent({ sequence, activeFrom }, `number ${sequence}`))
    beforeEach(() => {
      plan(1, null)
      profile()
    })

    test('become active at their own times: one for tomorrow does not replace one for the next start', () => {
      plan(2, null)
      expect(plan(3, tomorrow)).toMatchObject({ kind: 'put', replaced: [] })
      plan(4, later)
      expect(waiting()).toEqual([2, 3, 4])
      expect(profile()).toBe('number 2')
      expect(profile(new Date(tomorrow))).toBe('number 3')
      expect(waiting()).toEqual([4])
      expect(profile(new Date(later))).toBe('number 4')
      expect(undo(new Date(later))).toMatchObject({ manifest: { sequence: 3 } })
    })

    test('are listed in the order of their start times, regardless of the order of storing', () => {
      plan(4, later)
      plan(3, tomorrow)
      expect(plan(2, null)).toMatchObject({ kind: 'put', replaced: [] })
      expect(waiting()).toEqual([2, 3, 4])
    })

    test('a lane that was off activates the newest due bundle, and undo restores the bundle active before that', () => {
      plan(2, null)
      plan(3, tomorrow)
      plan(4, later)
      expect(start({ now: new Date(tomorrow) })).toEqual({ profile: 'number 3', notices: [] })
      expect(undo(new Date(tomorrow))).toMatchObject({ manifest: { sequence: 1 } })
      expect(waiting()).toEqual([4])
    })

    test('are replaced, and listed as replaced, by a newer bundle with no later start time', () => {
      plan(2, tomorrow)
      plan(3, later)
      const put4 = plan(4, tomorrow)
      expect(put4).toMatchObject({ kind: 'put', replaced: [{ sequence: 2 }, { sequence: 3 }] })
      expect(waiting()).toEqual([4])
      expect(plan(3, later)).toEqual({ kind: 'refused', why: 'older' })
    })

    test('can each be cancelled by number and stored again, while the others keep waiting', () => {
      plan(2, null)
      plan(3, tomorrow)
      expect(openBundleStore(folder, trust).cancel(4)).toBeNull()
      expect(openBundleStore(folder, trust).cancel(2)).toMatchObject({ sequence: 2 })
      expect(waiting()).toEqual([3])
      expect(openBundleStore(folder, trust).cancel(3)).toMatchObject({ sequence: 3 })
      expect(isBundleDue(folder, new Date(later))).toBe(false)
      expect(profile(new Date(tomorrow))).toBe('number 1')
      expect(plan(3, tomorrow)).toMatchObject({ kind: 'put' })
      expect(profile(new Date(tomorrow))).toBe('number 3')
    })

    test('block an undo while one of them waits for the next start', () => {
      plan(2, null)
      profile()
      plan(3, null)
      expect(undo()).toMatchObject({ kind: 'waiting', manifest: { sequence: 3 } })
      expect(profile()).toBe('number 3')
    })

    test('stay after an undo if they have a start time, and the undo is listed', () => {
      plan(2, null)
      profile()
      plan(3, tomorrow)
      expect(undo()).toMatchObject({ kind: 'undone', manifest: { sequence: 1 } })
      expect(openBundleStore(folder, trust).list()).toMatchObject({
        undoTo: { sequence: 1 },
        waiting: [{ sequence: 3 }],
      })
      expect(profile()).toBe('number 1')
      expect(profile(new Date(tomorrow))).toBe('number 3')
    })

    test('an unusable bundle is dropped, and the next newest due bundle becomes active', () => {
      plan(2, null)
      plan(3, tomorrow)
      const bundles = path.join(folder, 'bundles')
      for (const name of readdirSync(bundles))
        if (readFile(path.join(bundles, name, 'files', 'profile.yaml')) === 'number 3')
          rmSync(path.join(bundles, name), { recursive: true })
      expect(start({ now: new Date(tomorrow) })).toMatchObject({
        profile: 'number 2',
        notices: [{ kind: 'dropped', why: 'gone' }],
      })
    })

    test('keep their files at any age; an unreadable list of waiting bundles is dropped and reported', () => {
      plan(2, tomorrow)
      plan(3, later)
      for (const name of readdirSync(path.join(folder, 'bundles')))
        utimesSync(path.join(folder, 'bundles', name), new Date(2020, 0, 1), new Date(2020, 0, 1))
      expect(start()).toEqual({ profile: 'number 1', notices: [] })
      expect(waiting()).toEqual([2, 3])
      writeFileSync(path.join(folder, 'bundles', 'later.json'), '[')
      expect(start()).toMatchObject({ notices: [{ kind: 'dropped', why: 'unreadable' }] })
      expect(start()).toMatchObject({ notices: [] })
    })
  })

  test('a bundle whose files are missing at its start time is dropped: it is not due again', () => {
    put(bundleContent({}, 'first'))
    profile()
    put(bundleContent({ sequence: 2 }, 'second'))
    const bundles = path.join(folder, 'bundles')
    for (const name of readdirSync(bundles))
      if (readFile(path.join(bundles, name, 'files', 'profile.yaml')) === 'second')
        rmSync(path.join(bundles, name), { recursive: true })
    expect(isBundleDue(folder, NOW)).toBe(true)
    expect(profile()).toBe('first')
    expect(isBundleDue(folder, NOW)).toBe(false)
  })

  test('a newer bundle for the next start replaces an older bundle that waits for its start time', () => {
    put(bundleContent({}, 'first'))
    profile()
    put(bundleContent({ sequence: 2, activeFrom: '2026-11-26T05:00:00Z' }, 'second'))
    put(bundleContent({ sequence: 3 }, 'third'))
    expect(profile()).toBe('third')
    expect(undo()).toMatchObject({ kind: 'undone', manifest: { sequence: 1 } })
  })

  test('storing the same bundle again changes nothing', () => {
    put(bundleContent({}, 'first'))
    expect(put(bundleContent({}, 'first'))).toMatchObject({ kind: 'there-already' })
  })

  test('undo without a previous bundle does nothing', () => {
    expect(undo()).toEqual({ kind: 'nothing-before' })
    put(bundleContent({}, 'first'))
    profile()
    expect(undo()).toEqual({ kind: 'nothing-before' })
    expect(profile()).toBe('first')
  })
})

describe('storing an invalid bundle on a lane', () => {
  const LATER = '2026-12-01T00:00:00Z'
  test.each<[string, BundleContent, object]>([
    ['other-store', bundleContent({ sequence: 5, store: { id: '1002', name: 'Other' } }), {}],
    ['other-lane', bundleContent({ sequence: 5, lanes: ['03'] }), {}],
    ['other-mode', bundleContent({ sequence: 5, mode: 'production' }), {}],
    ['expired', bundleContent({ sequence: 5, expiresAt: NOW.toISOString() }), {}],
    ['older', bundleContent({ sequence: 1, expiresAt: LATER }), {}],
    ['schema-newer', bundleContent({ sequence: 5, profileSchema: 1_000 }), {}],
    ['key-unknown', bundleContent({ sequence: 5 }), { by: newSigner() }],
  ])('is rejected with the reason %s, and changes nothing', (why, bundle, how) => {
    put(bundleContent({}, 'first'))
    expect(profile()).toBe('first')
    expect(put(bundle, how)).toEqual({ kind: 'refused', why })
    expect(profile()).toBe('first')
    expect(openBundleStore(folder, trust).list()).toMatchObject({ waiting: [] })
  })

  test('is rejected as older if the bundle has the number of an undone bundle: only an undo may go back', () => {
    put(bundleContent({ sequence: 1 }, 'first'))
    profile()
    put(bundleContent({ sequence: 2 }, 'second'))
    profile()
    undo()
    expect(put(bundleContent({ sequence: 2 }, 'second, again'))).toEqual({ kind: 'refused', why: 'older' })
  })

  test('is rejected if the file is missing, unsigned or not a bundle', () => {
    const bundleStore = openBundleStore(folder, trust)
    expect(bundleStore.put(path.join(folder, 'none'), LANE, NOW)).toEqual({ kind: 'refused', why: 'unreadable' })
    const text = path.join(folder, 'text')
    writeFileSync(text, 'mode: training')
    expect(bundleStore.put(text, LANE, NOW)).toEqual({ kind: 'refused', why: 'unsigned' })
  })
})

describe('bundle files on the disk', () => {
  test('a modified profile next to its bundle is restored from the signed content', () => {
    put(bundleContent({}, 'first'))
    const active = openBundleStore(folder, trust).atStart(NOW)
    if (typeof active === 'string') throw new Error(active)
    writeFileSync(active.profileFile, 'everything is free')
    expect(profile()).toBe('first')
  })

  test('a link in place of a profile file is replaced by the file from the bundle, regardless of its target', () => {
    put(bundleContent({}, 'first'))
    const active = openBundleStore(folder, trust).atStart(NOW)
    if (typeof active === 'string') throw new Error(active)
    const elsewhere = path.join(folder, 'elsewhere.yaml')
    writeFileSync(elsewhere, 'first')
    rmSync(active.profileFile)
    symlinkSync(elsewhere, active.profileFile)
    expect(profile()).toBe('first')
    writeFileSync(elsewhere, 'everything is free')
    expect(readFile(active.profileFile)).toBe('first')
  })

  test('cleanup keeps key files of any age and removes an old folder that belongs to no stored bundle', () => {
    put(bundleContent({}, 'first'))
    const [keys, staleFolder] = ['own.keys', 'b'.repeat(64)].map((name) => path.join(folder, 'bundles', name)) as [
      string,
      string,
    ]
    writeFileSync(keys, 'keys')
    mkdirSync(staleFolder)
    for (const place of [keys, staleFolder]) utimesSync(place, new Date(2020, 0, 1), new Date(2020, 0, 1))
    expect(profile()).toBe('first')
    expect([existsSync(keys), existsSync(staleFolder)]).toEqual([true, false])
  })

  test('an invalid instruction for the next start is dropped and reported', () => {
    put(bundleContent({}, 'first'))
    expect(profile()).toBe('first')
    const file = path.join(folder, 'bundles', 'order.json')
    writeFileSync(file, '{')
    expect(start()).toMatchObject({ profile: 'first', notices: [{ kind: 'dropped', why: 'unreadable' }] })
    expect(existsSync(file)).toBe(false)
  })

  test.each(['missing', 'invalid'])(
    'when the bundle state is lost (%s), the newest bundle of the lane becomes active, and that is reported',
    (how) => {
      put(bundleContent({}, 'first'))
      profile()
      put(bundleContent({ sequence: 2 }, 'second'))
      profile()
      put(bundleContent({ sequence: 3, activeFrom: '2026-11-26T05:00:00Z' }, 'third'))
      const state = path.join(folder, 'bundles', 'state.json')
      const lose = () => (how === 'missing' ? rmSync(state) : writeFileSync(state, '{'))
      lose()
      expect(start({ lane: { ...LANE, lane: '07' } })).toMatchObject({ profile: 'damaged', notices: [] })
      expect(start()).toMatchObject({ profile: 'second', notices: [{ kind: 'recovered', number: 2 }] })
      expect(start()).toMatchObject({ profile: 'second', notices: [] })
      expect(openBundleStore(folder, trust).list()).toMatchObject({
        previous: { sequence: 1 },
        notice: { kind: 'recovered' },
      })
      expect(profile(new Date('2026-11-26T05:00:00Z'))).toBe('third')
      expect(openBundleStore(folder, trust).list()).toMatchObject({ previous: { sequence: 2 }, notice: null })
      lose()
      expect(start()).toMatchObject({ profile: 'second', notices: [{ kind: 'recovered', number: 2 }] })
    },
  )

  test('the notice of a lost bundle state disappears when the same bundle is stored again', () => {
    const first = file(bundleContent({}, 'first'))
    openBundleStore(folder, trust).put(first, LANE, NOW)
    profile()
    rmSync(path.join(folder, 'bundles', 'state.json'))
    expect(start()).toMatchObject({ profile: 'first', notices: [{ kind: 'recovered' }] })
    expect(openBundleStore(folder, trust).put(first, LANE, NOW)).toMatchObject({ kind: 'put' })
    expect(start()).toMatchObject({ profile: 'first', notices: [] })
    expect(openBundleStore(folder, trust).list().notice).toBeNull()
  })

  test('storing the active bundle again after a lost state does not replace a waiting bundle', () => {
    const first = file(bundleContent({}, 'first'))
    openBundleStore(folder, trust).put(first, LANE, NOW)
    profile()
    put(bundleContent({ sequence: 2, activeFrom: '2026-11-26T05:00:00Z' }, 'second'))
    rmSync(path.join(folder, 'bundles', 'state.json'))
    expect(profile()).toBe('first')
    expect(openBundleStore(folder, trust).put(first, LANE, NOW)).toMatchObject({ kind: 'there-already' })
    expect(profile(new Date('2026-11-26T05:00:00Z'))).toBe('second')
  })

  test('a new lane whose first bundle still waits does not report a lost state', () => {
    put(bundleContent({ activeFrom: '2026-11-26T05:00:00Z' }, 'first'), { lane: null })
    expect(start()).toMatchObject({ profile: 'none', notices: [] })
    put(bundleContent({ sequence: 2, activeFrom: '2026-11-27T05:00:00Z' }, 'second'), { lane: null })
    expect(start({ now: new Date('2026-11-26T06:00:00Z') })).toMatchObject({ profile: 'first', notices: [] })
  })

  test('a damaged bundle is replaced by the previous one, until the same bundle is stored again', () => {
    put(bundleContent({}, 'first'))
    profile()
    const second = file(bundleContent({ sequence: 2 }, 'second'))
    openBundleStore(folder, trust).put(second, LANE, NOW)
    const active = openBundleStore(folder, trust).atStart(NOW)
    if (typeof active === 'string') throw new Error(active)
    writeFileSync(path.join(folder, 'bundles', active.id, 'bundle'), 'x')
    expect(start()).toMatchObject({ profile: 'first', notices: [{ kind: 'damaged', number: 2 }] })
    expect(start()).toMatchObject({ profile: 'first', notices: [] })
    expect(openBundleStore(folder, trust).put(second, LANE, NOW)).toMatchObject({ kind: 'put' })
    expect(start()).toMatchObject({ profile: 'second', notices: [] })
  })

  test('a modified bundle is not activated', () => {
    put(bundleContent({}, 'first'))
    const active = openBundleStore(folder, trust).atStart(NOW)
    if (typeof active === 'string') throw new Error(active)
    const bundle = path.join(folder, 'bundles', active.id, 'bundle')
    const bytes = readFileSync(bundle)
    bytes[100] = (bytes[100] ?? 0) ^ 1
    writeFileSync(bundle, bytes)
    expect(profile()).toBe('damaged')
  })
})

describe('recovery of bundles', () => {
  const bundleOf = (id: string): string => path.join(folder, 'bundles', id, 'bundle')
  function activeBundle() {
    const found = openBundleStore(folder, trust).atStart(NOW)
    if (typeof found === 'string') throw new Error(found)
    return found
  }

  test('storing the same file again repairs a damaged bundle', () => {
    const first = file(bundleContent({}, 'first'))
    const again = () => openBundleStore(folder, trust).put(first, LANE, NOW)
    again()
    const { id } = activeBundle()
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

  test('repairing the active bundle does not remove a waiting bundle', () => {
    const first = file(bundleContent({}, 'first'))
    openBundleStore(folder, trust).put(first, LANE, NOW)
    const { id } = activeBundle()
    put(bundleContent({ sequence: 2, activeFrom: '2026-11-26T05:00:00Z' }, 'second'))
    writeFileSync(bundleOf(id), 'x')
    openBundleStore(folder, trust).put(first, LANE, NOW)
    expect(profile()).toBe('first')
    expect(profile(new Date('2026-11-26T05:00:00Z'))).toBe('second')
  })

  test("another store's bundle on a new lane does not block bundles of the lane's own store", () => {
    const wrong = bundleContent({ sequence: 7, store: { id: '1002', name: 'Other' } }, 'of the other')
    expect(put(wrong, { lane: null })).toMatchObject({ kind: 'put' })
    expect(put(bundleContent({ sequence: 7 }, 'own'), { lane: null })).toMatchObject({ kind: 'put' })
    expect(profile()).toBe('own')
  })

  test("an active bundle of another store blocks no bundle of the lane's store, and undo does not restore it", () => {
    put(bundleContent({ sequence: 7, store: { id: '1002', name: 'Other' } }, 'of the other'), { lane: null })
    expect(profile()).toBe('of the other')
    expect(put(bundleContent({ sequence: 7 }, 'own'))).toMatchObject({ kind: 'put' })
    expect(profile()).toBe('own')
    expect(undo()).toEqual({ kind: 'nothing-before' })
    expect(put(bundleContent({ sequence: 6 }, 'older'))).toEqual({ kind: 'refused', why: 'older' })
  })

  test('the files of waiting bundles that were replaced are removed', () => {
    put(bundleContent({}, 'first'))
    profile()
    for (let sequence = 2; sequence < 8; sequence += 1) {
      put(bundleContent({ sequence, activeFrom: '2027-01-01T00:00:00Z' }, `number ${sequence}`))
      for (const name of readdirSync(path.join(folder, 'bundles')))
        utimesSync(path.join(folder, 'bundles', name), new Date(2020, 0, 1), new Date(2020, 0, 1))
      expect(profile()).toBe('first')
    }
    const remaining = readdirSync(path.join(folder, 'bundles')).filter((name) => name.length === 64)
    expect(remaining).toHaveLength(2)
    expect(profile(new Date('2027-01-01T00:00:00Z'))).toBe('number 7')
  })

  test.skipIf(process.platform === 'win32')('a lane with a full disk keeps its active bundle', () => {
    const onFullDisk = (): string =>
      execFileSync(
        '/bin/sh',
        [
          '-c',
          'ulimit -f 0; exec "$@"',
          'sh',
          process.execPath,
          path.join(import.meta.dirname, 'testing', 'start-process.ts'),
          folder,
          path.join(folder, 'trust.keys'),
          NOW.toISOString(),
        ],
        { encoding: 'utf8' },
      )
    writeFileSync(path.join(folder, 'trust.keys'), sealTrust(trust, signer))
    put(bundleContent({}, 'first'))
    profile()
    put(bundleContent({ sequence: 2 }, 'second'))
    const before = readdirSync(path.join(folder, 'bundles')).toSorted()
    expect(onFullDisk()).toMatch(/^first\nEFBIG/)
    expect(readdirSync(path.join(folder, 'bundles')).toSorted()).toEqual(before)
    expect(profile()).toBe('second')
  })
})

describe('files that an attacker writes into the bundle folder', () => {
  test('a signed bundle older than the active one is not activated', () => {
    put(bundleContent({ sequence: 5 }, 'first'))
    expect(profile()).toBe('first')
    writeDirectly(bundleContent({ sequence: 4 }, 'last year’s prices'))
    expect(start()).toMatchObject({ profile: 'first', notices: [{ kind: 'dropped', number: 4, why: 'older' }] })
    expect(isBundleDue(folder, NOW)).toBe(false)
    writeDirectly(bundleContent({ sequence: 6 }, 'new'))
    expect(profile()).toBe('new')
  })

  test.skipIf(process.platform === 'win32')('a pipe or a folder in place of a file does not block a start', () => {
    put(bundleContent({}, 'first'))
    profile()
    mkdirSync(path.join(folder, 'bundles', 'trust', 'lost+found'), { recursive: true })
    for (const name of ['offered', 'bundles/trust/pipe.keys']) execFileSync('mkfifo', [path.join(folder, name)])
    const bundleStore = openBundleStore(folder, trust)
    for (const file of [path.join(folder, 'offered'), '/dev/zero', folder])
      expect(bundleStore.put(file, LANE, NOW), file).toEqual({ kind: 'refused', why: 'unreadable' })
    expect(profile()).toBe('first')
  })
})

describe('trusted keys of a lane', () => {
  const next = newSigner()
  const both = sealTrust(listOf(2, [signer, next]), signer)
  const nextAlone = sealTrust(listOf(3, [next], [signer]), next)

  test('a bundle can bring a newer list of keys; a revoked key’s new bundle is rejected, its active one stays', () => {
    put(bundleContent({}, 'first'))
    profile()
    expect(put({ ...bundleContent({ sequence: 2 }, 'second'), trust: [both] })).toMatchObject({ kind: 'put' })
    expect(profile()).toBe('second')
    const third = bundleContent({ sequence: 3, activeFrom: '2026-11-26T05:00:00Z' }, 'third')
    expect(put({ ...third, trust: [both, nextAlone] }, { by: next })).toMatchObject({ kind: 'put' })
    expect(openBundleStore(folder, trust).trust().version).toBe(3)
    expect(profile()).toBe('second')
    expect(put(bundleContent({ sequence: 4 }, 'of the thief'))).toEqual({ kind: 'refused', why: 'key-revoked' })
    expect(profile(new Date('2026-11-26T05:00:00Z'))).toBe('third')
    expect(undo()).toMatchObject({ kind: 'key-revoked', manifest: { sequence: 2 } })
    expect(profile()).toBe('third')
  })

  test('a waiting undo is dropped if the key of the bundle to restore was revoked in the meantime', () => {
    put({ ...bundleContent({}, 'first'), trust: [both] })
    profile()
    put(bundleContent({ sequence: 2 }, 'second'), { by: next })
    profile()
    expect(undo()).toMatchObject({ kind: 'undone', manifest: { sequence: 1 } })
    openBundleStore(folder, trust).addTrustLists([nextAlone])
    expect(start()).toMatchObject({ profile: 'second', notices: [{ kind: 'dropped', number: 1, why: 'key-revoked' }] })
  })

  test('a lane that lost its bundle state cannot undo past a bundle whose key was revoked', () => {
    put({ ...bundleContent({}, 'first'), trust: [both] }, { by: signer })
    const third = sealTrust(listOf(3, [signer], [next]), signer)
    profile()
    put(bundleContent({ sequence: 2 }, 'second'), { by: next })
    profile()
    put({ ...bundleContent({ sequence: 3 }, 'third'), trust: [both, third] })
    profile()
    writeDirectly(bundleContent({}, 'first'))
    for (const name of ['order.json', 'state.json']) rmSync(path.join(folder, 'bundles', name))
    expect(start()).toMatchObject({ profile: 'third', notices: [{ kind: 'recovered', number: 3 }] })
    expect(undo()).toEqual({ kind: 'nothing-before' })
  })

  test('a bundle that revokes its own key is rejected, but the list of keys in it is accepted', () => {
    put(bundleContent({}, 'first'))
    expect(put({ ...bundleContent({ sequence: 2 }, 'x'), trust: [both, nextAlone] })).toEqual({
      kind: 'refused',
      why: 'key-revoked',
    })
    expect(openBundleStore(folder, trust).trust().version).toBe(3)
  })

  test('a lane accepts a bundle with an unknown key after it was given the newer lists of trusted keys', () => {
    put(bundleContent({}, 'first'))
    profile()
    const second = file({ ...bundleContent({ sequence: 2 }, 'second'), trust: [both, nextAlone] }, next)
    const bundleStore = openBundleStore(folder, trust)
    expect(bundleStore.put(second, LANE, NOW)).toEqual({ kind: 'refused', why: 'key-unknown' })
    expect(bundleStore.addTrustLists([sealTrust(listOf(9, [next]), next)])).toBe(false)
    expect(bundleStore.addTrustLists([nextAlone, both])).toBe(true)
    expect(bundleStore.put(second, LANE, NOW)).toMatchObject({ kind: 'put' })
    expect(profile()).toBe('second')
  })
})

describe('files that an attacker writes into the folder of a lane that knows a revocation', () => {
  const next = newSigner()
  const lists = [sealTrust(listOf(2, [signer, next]), signer), sealTrust(listOf(3, [next], [signer]), next)]
  beforeEach(() => {
    put(bundleContent({}, 'first'))
    profile()
    put({ ...bundleContent({ sequence: 2 }, 'second'), trust: lists.slice(0, 1) })
    profile()
    put({ ...bundleContent({ sequence: 3 }, 'third'), trust: lists }, { by: next })
    profile()
  })

  test('a bundle of the revoked key is not activated, and is reported', () => {
    writeDirectly(bundleContent({ sequence: 9 }, 'of the thief'))
    expect(start()).toMatchObject({ profile: 'third', notices: [{ kind: 'dropped', number: 9, why: 'key-revoked' }] })
  })

  test('a bundle of the revoked key stays rejected after the list with the revocation is removed', () => {
    rmSync(path.join(folder, 'bundles', 'trust'), { recursive: true })
    writeDirectly(bundleContent({ sequence: 9 }, 'of the thief'))
    expect(start()).toMatchObject({
      profile: 'second',
      notices: [{ kind: 'damaged' }, { kind: 'dropped', why: 'keys-missing' }],
    })
    expect(put(bundleContent({ sequence: 10 }, 'of the thief'))).toEqual({ kind: 'refused', why: 'keys-missing' })
    openBundleStore(folder, trust).addTrustLists(lists)
    expect(put({ ...bundleContent({ sequence: 11 }, 'own'), trust: lists }, { by: next })).toMatchObject({
      kind: 'put',
    })
    expect(profile()).toBe('own')
  })

  test('a bundle of the revoked key stays rejected after the bundle state is removed', () => {
    writeDirectly(bundleContent({ sequence: 9 }, 'of the thief'))
    for (const name of ['order.json', 'state.json']) rmSync(path.join(folder, 'bundles', name))
    expect(start()).toMatchObject({ profile: 'third', notices: [{ kind: 'recovered', number: 3 }] })
  })

  test('an instruction to undo restores only the previous bundle', () => {
    const bundlesFolder = path.join(folder, 'bundles')
    const oldest = readdirSync(bundlesFolder).find(
      (id) => readFile(path.join(bundlesFolder, id, 'files', 'profile.yaml')) === 'first',
    )
    writeFileSync(path.join(bundlesFolder, 'order.json'), JSON.stringify({ kind: 'undo', to: oldest }))
    expect(start()).toMatchObject({ profile: 'third', notices: [{ kind: 'dropped', why: 'older' }] })
  })
})
