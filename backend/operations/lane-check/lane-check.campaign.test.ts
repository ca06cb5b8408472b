import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { perLocale } from '../../../contracts/i18n/languages.ts'
import { isToDo, LANE_FINDINGS, type LaneFindingCode } from '../../../contracts/operations/lane-check.ts'
import { installAutostart } from '../../../packages/delivery/autostart.ts'
import { storeSealed } from '../../../packages/delivery/enrolment/proof.ts'
import { packBundle, sha256 } from '../../../packages/delivery/bundle.ts'
import { PROFILE_FILE } from '../../../packages/delivery/manifest.ts'
import { PROFILE_SCHEMA } from '../../../contracts/core/profile-schema.ts'
import { openBundleStore } from '../../../packages/delivery/bundle-store.ts'
import type { Signer } from '../../../packages/delivery/keys.ts'
import { listOf, newSigner, bundleContent } from '../../../packages/delivery/testing/bundle-content.ts'
import { firstState, type SlotsState } from '../../../packages/delivery/updates/slots-state.ts'
import { sealTrust } from '../../../packages/delivery/trust.ts'
import { hasOpenssl, openAuthority } from '../connection/certificates.fixture.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { endpointsAt, listen, look, UNREACHABLE, profileIn, TRAINING } from './checked-lane.fixture.ts'
import { trustFileOf } from '../../../packages/delivery/stored-bundles.ts'
import { PROGRAM_SIGNED, sealManifest } from '../../../packages/delivery/updates/formats.ts'
import { changedFile, checkDisplay, checkPower, schemaOf, updateOf } from './program-checks.ts'
import { laneCheckTexts } from './finding.ts'

const central = useCentral()

async function closedLane(): Promise<string> {
  const here = await openTerminalHarness(central)
  await here.close()
  return here.folder
}

test('the lane check reports an invalid profile or unknown lane, and checks what needs no profile', async () => {
  const folder = temporaryFolder()
  const dataFolder = join(folder, 'data')
  const broken = await look({ dataFolder, profileFile: profileIn(folder, { region: 'QX' }) })
  expect(broken.text).toMatch(/Problem +Store profile +\S*store\.yaml:\d+:\d+ region: expected one of BC/)
  expect(broken.text).toContain('To do: Correct the profile, then check again.')
  expect(broken.codes).toMatchObject({ disk: ['disk-enough', 'disk-fast'], devices: ['needs-profile'] })
  expect(existsSync(dataFolder)).toBe(false)
  // Changes are reported at the start of the check, for each of 23 sections, and at its end.
  expect(broken.changes).toBe(25)
  const lane = await look({ dataFolder, profileFile: profileIn(folder, UNREACHABLE), laneId: '07' })
  expect(lane.codes.profile).toEqual(['profile-no-lane'])
  expect((await look({ dataFolder, profileFile: join(folder, 'none.yaml') })).codes.profile).toEqual(['profile-wrong'])
})

test('the lane check reports a key or client secret that is missing, foreign or readable by others', async () => {
  const dataFolder = await closedLane()
  const profileFile = profileIn(temporaryFolder(), UNREACHABLE)
  const file = join(dataFolder, 'seal.key')
  const own = readFileSync(file)
  writeFileSync(file, Buffer.alloc(32, 7).toString('base64'))
  expect((await look({ dataFolder, profileFile })).codes).toMatchObject({
    key: ['key-other'],
    secret: ['secret-missing'],
    authorization: ['authorization-unseen'],
  })
  writeFileSync(file, 'no key')
  expect((await look({ dataFolder, profileFile })).codes.key).toEqual(['key-damaged'])
  writeFileSync(file, own)
  chmodSync(file, 0o644)
  writeFileSync(join(dataFolder, 'client.secret'), 'a secret', { mode: 0o644 })
  expect((await look({ dataFolder, profileFile })).codes).toMatchObject({ key: ['key-open'], secret: ['secret-open'] })
  rmSync(file)
  rmSync(join(dataFolder, 'client.secret'))
  expect((await look({ dataFolder, profileFile })).codes.key).toEqual(['key-missing'])
  for (const name of ['seal-key.sealed', 'client-secret.sealed']) writeFileSync(join(dataFolder, name), 'sealed')
  expect((await look({ dataFolder, profileFile })).codes).toMatchObject({
    key: ['key-needs-shell'],
    secret: ['secret-needs-shell'],
  })
  const environment = { MILEPOST_SEAL_KEY: own.toString('utf8').trim(), MILEPOST_CLIENT_SECRET: 'a secret' }
  expect((await look({ dataFolder, profileFile, environment })).codes).toMatchObject({
    key: ['key-in-key-store'],
    secret: ['secret-in-key-store'],
  })
  const sealed = { MILEPOST_KEY_STORE_PROBLEM: 'unavailable' }
  expect((await look({ dataFolder, profileFile, environment: sealed })).text).toContain(
    'The system’s key store is not available.',
  )
})

test('the lane check finds a secret that an enrolment left for the key store, if it belongs to this lane', async () => {
  const dataFolder = await closedLane()
  const profileFile = profileIn(temporaryFolder(), UNREACHABLE)
  const file = join(dataFolder, 'seal.key')
  const text = readFileSync(file, 'utf8').trim()
  storeSealed(dataFolder, Buffer.from(text, 'base64'), 'client-secret.enrolled', 'of the sheet')
  const environment = { MILEPOST_SEAL_KEY: text }
  expect((await look({ dataFolder, profileFile, environment })).codes.secret).toEqual(['secret-in-key-store'])
  // Without the shell the sealing key cannot be read.
  expect((await look({ dataFolder, profileFile })).codes.secret).toEqual(['secret-needs-shell'])
  storeSealed(dataFolder, Buffer.alloc(32, 7), 'client-secret.enrolled', 'of another')
  expect((await look({ dataFolder, profileFile, environment })).codes.secret).toEqual(['secret-missing'])
})

function openTrusted(): ReturnType<typeof openAuthority> {
  const authority = openAuthority()
  const trusted = getCACertificates()
  setDefaultCACertificates([...trusted, authority.root])
  onTestFinished(() => {
    setDefaultCACertificates(trusted)
  })
  return authority
}

async function serve(listener: RequestListener): Promise<string> {
  return `https://localhost:${await listen(createTlsServer(openTrusted().issue('localhost', -1, 90), listener))}`
}

test('the lane check sends the secret of a lane to no service of another store’s profile', async ({ skip }) => {
  skip(!hasOpenssl, 'openssl is not installed')
  const dataFolder = await closedLane()
  const mark = join(dataFolder, 'terminal.json')
  const known = JSON.parse(readFileSync(mark, 'utf8')) as object
  writeFileSync(mark, JSON.stringify({ ...known, owner: { mode: 'production', store: '9', lane: '02' } }))
  writeFileSync(join(dataFolder, 'client.secret'), 'of store 9', { mode: 0o600 })
  let shown = ''
  const listener: RequestListener = (request, response) => {
    request.on('data', (chunk: Buffer) => (shown += chunk.toString('utf8')))
    request.on('end', () => response.writeHead(401).end('{}'))
  }
  const profileFile = profileIn(temporaryFolder(), endpointsAt(await serve(listener)))
  expect((await look({ dataFolder, profileFile })).codes).toMatchObject({ authorization: ['authorization-unseen'] })
  expect(shown).toBe('')
})

test('the lane check reports a data folder open to others, of another lane or user, or with other files', async () => {
  const dataFolder = await closedLane()
  const mark = join(dataFolder, 'terminal.json')
  const known = JSON.parse(readFileSync(mark, 'utf8')) as object
  writeFileSync(mark, JSON.stringify({ ...known, owner: { mode: 'production', store: '9', lane: '02' } }))
  chmodSync(dataFolder, 0o755)
  const folder = (await look({ dataFolder, profileFile: TRAINING })).codes.folder
  expect(folder?.slice(0, 2)).toEqual(['folder-open', 'folder-other-lane'])
  expect((await look({ dataFolder: mark, profileFile: TRAINING })).codes.folder?.[0]).toBe('folder-not-ours')
  // A start refuses a lock file that is a link, and a folder that others can read and that has other files in it.
  rmSync(join(dataFolder, 'terminal.lock'))
  symlinkSync('/elsewhere', join(dataFolder, 'terminal.lock'))
  writeFileSync(join(dataFolder, 'letter.txt'), '')
  const refused = (await look({ dataFolder, profileFile: TRAINING })).codes.folder
  expect(refused).toEqual(expect.arrayContaining(['folder-holds-more', 'folder-foreign-lock']))
  writeFileSync(mark, '{')
  chmodSync(dataFolder, 0o1777)
  const shared = (await look({ dataFolder, profileFile: TRAINING })).codes.folder
  expect(shared?.slice(0, 2)).toEqual(['folder-shared', 'folder-unreadable-mark'])
})

test('the lane check reports a damaged or missing database, one of a newer program, and an old backup', async () => {
  const dataFolder = await closedLane()
  const file = join(dataFolder, 'terminal.db')
  const schema = schemaOf(file) ?? 0
  const bytes = readFileSync(file)
  const newer = Buffer.from(bytes)
  newer.writeUInt32BE(schema + 1, 60)
  writeFileSync(file, newer)
  expect((await look({ dataFolder, profileFile: TRAINING })).codes.program).toContain('program-too-old')
  writeFileSync(file, bytes.fill(0x5a, 4_096, 40_960))
  expect((await look({ dataFolder, profileFile: TRAINING })).codes.database).toEqual(['database-damaged'])
  rmSync(file)
  mkdirSync(join(dataFolder, 'backups'), { recursive: true })
  writeFileSync(join(dataFolder, 'backups', 'daily-20261101-210000.db'), 'x')
  const later = await look({ dataFolder, profileFile: TRAINING, now: () => new Date(Date.now() + 9.5 * 86_400_000) })
  expect(later.codes).toMatchObject({ database: ['database-missing', 'start-refused'], backup: ['backup-old'] })
  expect(later.text).toContain('The newest backup is 9 days old.')
})

test('the lane check calls the services, compares their clock, and reports whether they accept the secret', async ({
  skip,
}) => {
  skip(!hasOpenssl, 'openssl is not installed')
  const dataFolder = join(temporaryFolder(), 'data')
  let refused = true
  const asked: string[] = []
  const answer: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const json = { 'content-type': 'application/json' }
    if (request.url !== '/token') response.writeHead(404, { date: new Date(Date.now() - 900_000).toUTCString() }).end()
    else if (refused) response.writeHead(401, json).end('{"error":"invalid_client"}')
    else response.writeHead(200, json).end('{"access_token":"t","token_type":"Bearer","expires_in":60}')
  }
  const profileFile = profileIn(temporaryFolder(), endpointsAt(await serve(answer)))
  const environment = { MILEPOST_CLIENT_SECRET: 'a secret of this lane' }
  const first = await look({ dataFolder, profileFile, environment })
  expect(first.codes).toMatchObject({
    network: ['place-reached'],
    certificates: ['certificate-good'],
    secret: ['secret-given'],
    authorization: ['secret-refused'],
  })
  expect(first.text).toMatch(/The clock is 9\d\d s off the miles services\./)
  expect(JSON.stringify(first)).not.toContain('a secret of this lane')
  refused = false
  expect((await look({ dataFolder, profileFile, environment })).codes.authorization).toEqual(['secret-accepted'])
  // The check made only calls without effects.
  expect(new Set(asked)).toEqual(new Set(['HEAD /', 'POST /token']))
})

test('the lane check reports for each certificate its remaining days, or its problem', async ({ skip }) => {
  skip(!hasOpenssl, 'openssl is not installed')
  const authority = openTrusted()
  const at = async (name: string, days: number): Promise<string> => {
    const server = createTlsServer(authority.issue(name, -1, days), (_, response) => response.end())
    return `https://localhost:${await listen(server)}`
  }
  const [good, soon, other] = [await at('localhost', 90), await at('localhost', 20), await at('elsewhere.example', 90)]
  const profileFile = profileIn(temporaryFolder(), {
    endpoints: { cash: good, issuance: soon, offers: other, token: { url: `${good}/token`, clientId: 'me' } },
  })
  const { codes, text: output } = await look({ dataFolder: join(temporaryFolder(), 'data'), profileFile })
  expect(codes.network).toEqual(['place-reached', 'place-reached', 'place-reached'])
  expect(codes.certificates).toEqual(['certificate-good', 'certificate-ends-soon', 'certificate-wrong'])
  expect(output).toMatch(/localhost:\d+: expires in (19|20) days\./)
  expect(output).toMatch(/localhost:\d+: Certificate is for another name\./)
})

test('an address that never answers delays no other section of the lane check, and is reported as slow', async () => {
  const profileFile = profileIn(temporaryFolder(), endpointsAt(`https://127.0.0.1:${await listen()}`))
  const { codes } = await look({ dataFolder: join(temporaryFolder(), 'data'), profileFile }, 700)
  expect(codes.disk).toEqual(['disk-enough', expect.stringMatching(/^disk-(fast|slow)$/)])
  expect(codes.network).toEqual(['took-too-long'])
})

const lookAt = (folder: string, devices: object) => {
  const lanes = [{ id: '01', deviceId: 'N1-01', devices }]
  return look({ dataFolder: join(folder, 'data'), profileFile: profileIn(folder, { ...UNREACHABLE, lanes }) })
}

test('the lane check reports a missing device with the remedy', async () => {
  const scanner = { connection: { kind: 'serial', path: '/dev/serial/by-id/nothing-here' } }
  const { text: output } = await lookAt(temporaryFolder(), { scanner })
  expect(output).toMatch(/Devices +Scanner: not found at this path/)
  expect(output).toContain('To do: Nothing at this path. Plug in the cable')
  expect(output).toContain('No printer on this lane.')
})

test('the lane check reports a device that this user may not open', async ({ skip }) => {
  skip(process.getuid?.() === 0, 'root may open every file')
  const folder = temporaryFolder()
  const path = join(folder, 'lp0')
  writeFileSync(path, '', { mode: 0o000 })
  const printer = { connection: { kind: 'file', path }, language: 'esc-pos', columns: 42 }
  expect((await lookAt(folder, { printer })).codes.devices).toEqual(['device-not-allowed'])
})

test('the lane check reports a package whose bundle the start refuses, unless another bundle is in force', async () => {
  const folder = temporaryFolder()
  const dataFolder = join(folder, 'data')
  const [first, second] = [newSigner(), newSigner()]
  const lists = [listOf(1, [first]), listOf(2, [second], [first])].map((list) => sealTrust(list, first))
  const trustFile = join(folder, 'trust.keys')
  writeFileSync(trustFile, lists[0] ?? '')
  const bundleFile = join(folder, 'store.bundle')
  const profile = readFileSync(profileIn(folder, UNREACHABLE), 'utf8')
  const bundleOf = (sequence: number, signer: Signer) =>
    packBundle(
      bundleContent({ mode: 'production', store: { id: '4417', name: 'x' }, lanes: ['01'], sequence }, profile),
      signer,
    )
  writeFileSync(bundleFile, bundleOf(1, first))
  const shelf = openBundleStore(dataFolder, listOf(1, [first]))
  expect(shelf.addTrustLists(lists)).toBe(true)
  const asked = { dataFolder, profileFile: null, bundleFile, trustFile }
  expect((await look(asked)).codes.bundle).toEqual(['bundle-not-taken', 'keys-trusted'])
  const newer = join(folder, 'newer.bundle')
  writeFileSync(newer, bundleOf(2, second))
  expect(shelf.put(newer, null, new Date())).toMatchObject({ kind: 'put' })
  expect((await look(asked)).codes.bundle).not.toContain('bundle-not-taken')
  shelf.atStart(new Date())
  expect((await look(asked)).codes.bundle).toEqual(['bundle-in-force', 'keys-trusted'])
})

test('the lane check reports the bundle in force, its keys, a different profile, and a changed bundle', async () => {
  const folder = temporaryFolder()
  const signer = newSigner()
  const list = listOf(1, [signer])
  const dataFolder = join(folder, 'data')
  const given = profileIn(folder, UNREACHABLE)
  const inside = profileIn(temporaryFolder(), { ...UNREACHABLE, payments: ['cash'] })
  const file = join(folder, 'store.bundle')
  const manifest = {
    store: { id: '4417', name: 'Store' },
    mode: 'production' as const,
    lanes: ['01'],
    profileSchema: PROFILE_SCHEMA,
    sequence: 3,
    madeAt: '2026-11-20T12:00:00Z',
    activeFrom: null,
    expiresAt: null,
  }
  writeFileSync(file, packBundle({ manifest, files: new Map([[PROFILE_FILE, readFileSync(inside)]]) }, signer))
  // A package that was never started has only the bundle that it contains.
  const trustFile = join(folder, 'trust.keys')
  writeFileSync(trustFile, sealTrust(list, signer))
  const fresh = await look({ dataFolder, profileFile: null, bundleFile: file, trustFile })
  expect(fresh.codes).toMatchObject({ profile: ['profile-good'], bundle: ['bundle-none', 'keys-trusted'] })

  mkdirSync(join(dataFolder, 'bundles'), { recursive: true })
  writeFileSync(trustFileOf(dataFolder), readFileSync(trustFile))
  const shelf = openBundleStore(dataFolder, list)
  expect(shelf.put(file, null, new Date()).kind).toBe('put')
  expect((await look({ dataFolder, profileFile: given })).codes.bundle).toContain('bundle-waits-for-quiet')
  const sold = shelf.atStart(new Date())
  const now = await look({ dataFolder, profileFile: given })
  expect(now.codes).toMatchObject({
    profile: ['profile-good', 'profile-other-than-bundle'],
    bundle: ['bundle-in-force', 'keys-trusted'],
  })
  expect(now.text).toContain('Different: payments.')
  writeFileSync(join(dataFolder, 'bundles', typeof sold === 'object' ? sold.id : '', 'bundle'), 'changed')
  expect((await look({ dataFolder, profileFile: given })).codes.bundle).toEqual(['bundle-damaged'])
})

test('the lane check reports an autostart as missing, on, off, without program, or for another folder', async () => {
  const home = temporaryFolder()
  const dataFolder = join(temporaryFolder(), 'data')
  const seen = async () => (await look({ dataFolder, profileFile: TRAINING, home })).codes.autostart
  expect(await seen()).toEqual(['autostart-none'])
  // The CLI command in the remedy starts this lane and no other.
  const laneId = '02'
  const { text: output } = await look({ dataFolder, profileFile: TRAINING, home, laneId })
  expect(output).toContain('Run milepost autostart install --lane 02')
  const start = { argv: [join(home, 'milepost')], workingFolder: home, dataFolder } as const
  const config = join(home, '.config')
  installAutostart(config, 'unit', start, null)
  // The autostart names a program that was removed or moved.
  expect(await seen()).toEqual(['autostart-no-program'])
  writeFileSync(join(home, 'milepost'), '')
  expect(await seen()).toEqual(['autostart-unit'])
  rmSync(join(config, 'systemd', 'user', 'graphical-session.target.wants'), { recursive: true })
  expect(await seen()).toEqual(['autostart-off'])
  installAutostart(config, 'entry', { ...start, dataFolder: '/elsewhere' }, null)
  expect(await seen()).toEqual(['autostart-other-folder'])
})

test('the lane check reports connected displays and the sleep setting from the system’s files', async () => {
  const folder = temporaryFolder()
  expect(checkDisplay(join(folder, 'none'))).toMatchObject([{ code: 'display-unseen' }])
  for (const [name, state] of [
    ['card0-HDMI-A-1', 'connected'],
    ['card0-DP-1', 'disconnected'],
  ]) {
    mkdirSync(join(folder, 'drm', name ?? ''), { recursive: true })
    writeFileSync(join(folder, 'drm', name ?? '', 'status'), `${state}\n`)
  }
  expect(checkDisplay(join(folder, 'drm'))).toMatchObject([{ code: 'display-one' }])
  writeFileSync(join(folder, 'drm', 'card0-DP-1', 'status'), 'connected\n')
  expect(checkDisplay(join(folder, 'drm'))).toMatchObject([{ code: 'display-several', values: { count: 2 } }])

  const units = join(folder, 'units')
  mkdirSync(units)
  writeFileSync(join(folder, 'state'), 'freeze mem\n')
  const { signal } = new AbortController()
  const power = async () => (await checkPower(signal, { units, states: join(folder, 'state') }))[0]?.code
  expect(await power()).not.toBe('power-awake')
  for (const unit of ['sleep.target', 'suspend.target']) symlinkSync('/dev/null', join(units, unit))
  expect(await power()).toBe('power-awake')
})

test('the lane check reports an update that is pending, on trial or rolled back, as recorded at the slots', () => {
  const slots = temporaryFolder()
  const file = join(slots, 'state.json')
  const at = '2026-11-25T12:00:00.000Z'
  const codesOf = (change: Partial<SlotsState>) => {
    writeFileSync(file, JSON.stringify({ ...firstState('a'), ...change }))
    return updateOf(slots).map(({ code, values }) => `${code} ${JSON.stringify(values['version'] ?? null)}`)
  }
  const trial = { slot: 'b' as const, version: '1.5.0', from: '1.4.9', starts: 2, since: at, schemaBefore: 3 }
  const last = { version: '1.4.9', from: '1.4.0', outcome: 'went-back' as const, why: 'hung' as const, at }
  expect(codesOf({})).toEqual(['update-none null'])
  expect(codesOf({ pending: { version: '1.5.0', since: at, isArmed: false, from: null } })).toEqual([
    'update-waiting "1.5.0"',
  ])
  expect(codesOf({ trial: { ...trial, isBack: false, began: 1, closings: 0, why: null }, last })).toEqual([
    'update-trial "1.5.0"',
    'update-refused "1.4.9"',
  ])
  expect(codesOf({ last: { ...last, why: 'asked' } })).toEqual(['update-none null'])
  expect(codesOf({ last: { ...last, outcome: 'running', why: null } })).toEqual(['update-none null'])
  codesOf({ last })
  renameSync(file, join(slots, 'state.kept.json'))
  writeFileSync(file, '')
  expect(
    updateOf(slots).map(({ code }) => code),
    'of a damaged one its copy',
  ).toEqual(['update-refused'])
})

test('every finding has a text in every language, and a remedy if it needs an action', () => {
  const NAMES = ['place', 'mistake', 'count', 'lane', 'lanes', 'settings', 'store', 'number', 'made', 'from', 'day']
  const more = ['revoked', 'version', 'node', 'schema', 'known', 'starts', 'major', 'folder', 'pid', 'names', 'mode']
  const rest = ['file', 'problem', 'size', 'detail', 'time', 'days', 'outcome', 'free', 'needed', 'ms', 'total']
  const last = ['seconds', 'zone', 'machine', 'role', 'trouble', 'advice', 'path', 'group', 'name', 'host', 'services']
  const all = Object.fromEntries(
    [...NAMES, ...more, ...rest, ...last, 'cause', 'todo', 'reason', 'program', 'why'].map((one) => [one, 7]),
  )
  perLocale((locale) => {
    const texts = laneCheckTexts(locale)
    for (const code of Object.keys(LANE_FINDINGS) as LaneFindingCode[]) {
      const { found, todo } = texts.textOf({ code, values: all })
      expect(found, code).not.toMatch(/[{}]|laneCheck/)
      expect(todo === null, code).toBe(!isToDo(code))
      expect(todo ?? '', code).not.toMatch(/[{}]|laneCheck/)
    }
  })
})

test('the lane check reports another user’s database as such, not as damaged', async () => {
  const dataFolder = await closedLane()
  const file = join(dataFolder, 'terminal.db')
  if (process.getuid?.() === 0) chownSync(file, 12_345, 12_345)
  else chmodSync(file, 0o000)
  const { codes, text: output } = await look({ dataFolder, profileFile: TRAINING })
  expect(codes.database).toEqual(['database-not-ours'])
  expect(output).toContain('terminal.db belongs to another user')
  expect(output).not.toContain('damaged')
  chmodSync(file, 0o600)
})

test('the lane check detects a clock that is wrong by years even if no service sends the time', async () => {
  const dataFolder = await closedLane()
  const at = (year: number) =>
    look({
      dataFolder,
      profileFile: profileIn(temporaryFolder(), UNREACHABLE),
      now: () => new Date(`${year}-06-01T12:00:00Z`),
    })
  const year = new Date().getUTCFullYear()
  expect((await at(year - 6)).codes.clock).toContain('clock-behind')
  expect((await at(year + 6)).codes.clock).toContain('clock-far-ahead')
})

test('the lane check reports in advance, with the same text, that a start would be refused', async () => {
  const dataFolder = await closedLane()
  const profileFile = TRAINING
  const usual = await look({ dataFolder, profileFile })
  expect(usual.codes.database).not.toContain('start-refused')
  const database = join(dataFolder, 'terminal.db')
  const sound = readFileSync(database)
  const mark = readFileSync(join(dataFolder, 'journal.mark'))
  for (const [planted, why] of [
    ['CREATE TRIGGER x AFTER INSERT ON sale BEGIN SELECT 1; END', 'cannot be trusted'],
    ["UPDATE staff SET role = 'manager'", 'cannot be trusted'],
  ] as const) {
    const db = new Sqlite(database)
    db.exec(planted)
    db.close()
    const { codes, text: output } = await look({ dataFolder, profileFile })
    expect(codes.database, planted).toContain('start-refused')
    expect(output).toContain(why)
    writeFileSync(database, sound)
  }
  rmSync(join(dataFolder, 'journal.mark'))
  expect((await look({ dataFolder, profileFile })).text).toContain('its mark (journal.mark) is missing')
  writeFileSync(join(dataFolder, 'journal.mark'), mark)
  expect((await look({ dataFolder, profileFile })).codes.database).not.toContain('start-refused')
  writeFileSync(join(dataFolder, 'seal.key'), `${Buffer.alloc(32, 1).toString('base64')}\n`)
  expect((await look({ dataFolder, profileFile })).codes.database).toContain('start-refused')
  rmSync(join(dataFolder, 'terminal.db'))
  expect((await look({ dataFolder, profileFile })).text).toContain('The next start would be refused: The database')
  const environment = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
  const folder = temporaryFolder()
  const production = { dataFolder: join(folder, 'data'), profileFile: profileIn(folder, UNREACHABLE), environment }
  expect((await look(production)).codes.program).toContain('start-refused')
})

test('the lane check treats a data folder without database, sentinel and backups as new', async () => {
  const { codes } = await look({ dataFolder: temporaryFolder(), profileFile: TRAINING })
  expect(codes.program).not.toContain('start-refused')
  expect(codes.database).toEqual(['database-new'])
})

test('the lane check reports that a file of the installed program was changed', async () => {
  const root = temporaryFolder()
  const signer = newSigner()
  const slot = join(root, 'slots', 'a')
  mkdirSync(join(slot, 'launcher'), { recursive: true })
  mkdirSync(join(root, 'store'))
  writeFileSync(join(root, 'store', 'trust.keys'), sealTrust(listOf(1, [signer]), signer))
  writeFileSync(join(slot, 'launcher', 'main.js'), 'as signed')
  const file = { path: 'launcher/main.js', sha256: sha256(Buffer.from('as signed')), bytes: 9, executable: false }
  writeFileSync(
    join(slot, PROGRAM_SIGNED),
    sealManifest(
      {
        format: 1,
        kind: 'program update',
        version: '1.0.0',
        releasedAt: '2026-11-20T12:00:00Z',
        schema: 1,
        readsBack: 1,
        notes: { 'en-CA': '', 'fr-CA': '' },
        programs: [{ platform: 'linux-x64-browser', files: [file] }],
      },
      signer,
    ),
  )
  const programFolder = join(slot, 'launcher')
  expect(await changedFile(programFolder, join(root, 'data'))).toEqual([])
  writeFileSync(join(slot, 'launcher', 'main.js'), 'as it is!')
  expect(await changedFile(programFolder, join(root, 'data'))).toMatchObject([{ code: 'program-changed' }])
})
