import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { SupportPreview } from '../contracts/operations/support.ts'
import { plantSecrets, secretFinder, SECRET_KINDS } from '../scripts/testing/planted-secrets.ts'
import { MANAGER } from './lane.ts'
import { createDealer, openToPlant, plantedLog, plantEverywhere, plantRow, type Dealer } from './secret-dealer.ts'
import { expect, test, track2, type Store } from './store.ts'
import type { Window } from '../packages/lab/rig/window.ts'
import { openTerminal } from './terminal.ts'

const COMMAND = 'build/app/backend/operations/support/support-file.js'
const CHUNKS = 5
/** Number of planted log lines: no more than the support file contains of a log, so that each line is checked. */
const LINES = 250
const SETTING_KINDS = ['name', 'token', 'key'] as const

test.setTimeout(600_000)

async function saved(client: Window): Promise<Buffer> {
  const preview = await client.post<SupportPreview>('/api/support-file/previews', {})
  const requested = await client.post<{ number: number }>('/api/support-file/exports', { preview: preview.id })
  return client.file(`/api/support-file/exports/${requested.number}`)
}

const command = (data: string, out: string, environment: NodeJS.ProcessEnv = {}) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    execFile(
      process.execPath,
      [COMMAND, '--data', data, '--out', out],
      { env: { ...process.env, ...environment } },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr })
      },
    )
  })

async function plantAtLane({ scanner, reader }: Store, client: Window, dealer: Dealer): Promise<void> {
  // Settings get no card secrets, because a setting with a card number is rejected.
  const lines = (count: number): string[] =>
    Array.from({ length: count }, (_, line) => dealer.next(SETTING_KINDS[line % SETTING_KINDS.length]))
  const set = async (name: string, value: unknown): Promise<void> => {
    const { status } = await client.call('PUT', `/api/settings/${name}`, {
      seen: 0,
      to: { kind: 'value', value },
      from: null,
    })
    expect(status, name).toBe(200)
  }
  await set('receipt.header', lines(200))
  await set('receipt.footer', { 'en-CA': lines(100), 'fr-CA': lines(100) })
  await set('receipt.link', `https://shop.example/?token=${dealer.next('token')}`)
  for (let read = 0; read < 40; read += 1) {
    await scanner.send(`]C0${dealer.next('card')}\r`)
    await scanner.send(`]C0${dealer.next('token')}\r`)
    await reader.send(track2(dealer.next(read % 2 === 0 ? 'card' : 'collector')))
    await client.call('POST', '/api/devices/keys', { text: dealer.next() })
  }
}

async function plantInFolder(data: string, dealer: Dealer): Promise<void> {
  for (const folder of ['logs', 'paper', 'backups', 'cache']) {
    await mkdir(join(data, folder), { recursive: true })
    for (let file = 0; file < 60; file += 1)
      await writeFile(join(data, folder, `${encodeURIComponent(dealer.next())}.txt`), dealer.next())
  }
  for (let folder = 0; folder < 20; folder += 1) {
    const backup = join(data, 'backups', `replaced-${dealer.next('pin')}`)
    await mkdir(backup)
    await writeFile(join(backup, 'terminal.db'), dealer.next())
  }
  const proof = (): object => ({ at: new Date().toISOString(), problem: dealer.next() })
  const proofs = Object.fromEntries(Array.from({ length: 40 }, () => [dealer.next(), proof()]))
  await writeFile(join(data, 'backups', 'proofs.json'), JSON.stringify(proofs))
  await writeFile(
    join(data, 'backups', 'last-restore.json'),
    JSON.stringify({
      at: new Date().toISOString(),
      outcome: 'refused',
      epoch: null,
      entriesLost: null,
      newestEntryAt: null,
      seconds: null,
      backup: dealer.next(),
      reason: dealer.next(),
      by: dealer.next(),
    }),
  )
}

const echo = (dealer: Dealer, change: object = {}): object => ({
  at: new Date().toISOString(),
  outcome: 'approved',
  responseCode: dealer.next('pin'),
  httpStatus: 200,
  latencyMs: Number(dealer.next('pin')),
  message: dealer.next(),
  requestHeaders: { [dealer.next()]: dealer.next() },
  traceId: randomUUID(),
  ...change,
})

function plantInDatabase(data: string, dealer: Dealer): string[] {
  const db = openToPlant(join(data, 'terminal.db'))
  const now = Date.now()
  try {
    const tables = plantEverywhere(db, 6, dealer)
    for (let row = 0; row < 20; row += 1) {
      plantRow(db, 'echo_result', dealer, { at: now, failed: 0, known_ms: 0, result: JSON.stringify(echo(dealer)) })
      const issuance = { kind: 'issuance', type: 'issue', state: 'queued', open: 1, created_at: now, changed_at: now }
      plantRow(db, 'operation', dealer, issuance)
      const verified = { entries: Number(dealer.next('pin')), [dealer.next()]: dealer.next() }
      plantRow(db, 'audit_entry', dealer, { at: now + row, kind: 'audit-verified', detail: JSON.stringify(verified) })
    }
    db.exec('DELETE FROM offer_list')
    plantRow(db, 'offer_list', dealer, { locale: 'en-CA', fetched_at: now })
    for (const name of ['taxes', 'receipt.header', 'limits.idleLockMs', 'limits.backupKeepDays', 'connection.sound']) {
      const values = [JSON.stringify(dealer.next()), dealer.next('pin')]
      for (const value of values) plantRow(db, 'setting', dealer, { name, value, from_at: 1, at: 1, calls_off: null })
    }
    return tables
  } finally {
    db.close()
  }
}

test('a support file contains none of ten thousand secrets that its sources can reach', async ({ store }) => {
  const secrets = plantSecrets(10_000, 'support file', [4, 5, 6, 7, 8])
  const [dealer, find] = [createDealer(secrets), secretFinder(secrets)]
  const { data } = store.lane
  const client = await openTerminal(store.lane, MANAGER)
  await mkdir(join(data, 'logs'), { recursive: true })
  await plantAtLane(store, client, dealer)
  await plantInFolder(data, dealer)

  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    const log = plantedLog(LINES, dealer)
    await writeFile(join(data, 'logs', chunk % 2 === 0 ? 'backend.log' : 'backend.log.1'), log)
    if (chunk === 0) expect(find(Buffer.from(log)).length, 'the search finds planted secrets').toBeGreaterThan(1_000)
    const file = await saved(client)
    expect(find(file)).toEqual([])
    // A log line contains the program's own message; its fields with secrets are left out.
    expect(gunzipSync(file).toString()).toContain('"message": "a call failed"')
  }
  client.close()
  await store.lane.stop()

  const folder = await mkdtemp(join(tmpdir(), 'milepost-planted-'))
  try {
    const copy = join(folder, 'data')
    await cp(data, copy, { recursive: true })
    const tables = plantInDatabase(copy, dealer)
    expect(tables).toEqual(expect.arrayContaining(['sale_line', 'staff', 'operation_call', 'print_job', 'voucher']))
    const [held, out] = [
      Object.fromEntries(SECRET_KINDS.map((kind) => [`HELD_${kind}`, dealer.next(kind)])),
      join(folder, 'a.gz'),
    ]
    expect(await command(copy, out, held)).toMatchObject({ code: 0 })
    const bytes = readFileSync(out)
    expect(find(bytes)).toEqual([])
    expect(find(gunzipSync(bytes))).toEqual([])
    // Put the remaining secrets into one more log, so that each secret was placed.
    const rest = Array.from({ length: dealer.left }, () => `${JSON.stringify({ level: 50, msg: dealer.next() })}\n`)
    await writeFile(join(copy, 'logs', 'backend.log'), rest.join(''))
    expect(await command(copy, join(folder, 'b.gz'))).toMatchObject({ code: 0 })
    expect(find(readFileSync(join(folder, 'b.gz')))).toEqual([])
    expect(dealer.placed).toBe(10_000)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('no support file is written when a secret replaces one of the program’s own texts', async ({ store }) => {
  const secrets = plantSecrets(400, 'no support file')
  const [dealer, find] = [createDealer(secrets), secretFinder(secrets)]
  await store.lane.stop()
  const folder = await mkdtemp(join(tmpdir(), 'milepost-planted-'))
  const now = Date.now()
  const row = (table: string, given: () => Record<string, unknown>) => (data: string) => {
    const db = openToPlant(join(data, 'terminal.db'))
    plantRow(db, table, dealer, given())
    db.close()
  }
  const checked = (change: () => object) =>
    row('echo_result', () => ({ at: now, failed: 0, known_ms: 0, result: JSON.stringify(echo(dealer, change())) }))
  const waiting = { kind: 'issuance', type: 'issue', state: 'queued', open: 1, created_at: now, changed_at: now }
  const owned = (owner: () => object) => (data: string) => {
    const file = join(data, 'terminal.json')
    const marked = JSON.parse(readFileSync(file, 'utf8')) as object
    return writeFile(
      file,
      JSON.stringify({ ...marked, owner: { mode: 'production', store: 'N101', lane: '01', ...owner() } }),
    )
  }
  const places: Record<string, (data: string) => unknown> = {
    'outcome of a check': checked(() => ({ outcome: dealer.next() })),
    'trace of a check': checked(() => ({ traceId: dealer.next() })),
    'time of a check': checked(() => ({ at: dealer.next() })),
    'type of a call': row('operation', () => ({ ...waiting, type: dealer.next() })),
    'state of a call': row('operation', () => ({ ...waiting, state: dealer.next() })),
    'language of offers': row('offer_list', () => ({ fetched_at: now, total: 1 })),
    'cause of a broken trail': row('audit_entry', () => ({
      at: now,
      kind: 'audit-verified',
      detail: JSON.stringify({ entries: 1, cause: dealer.next() }),
    })),
    'count of a trail': row('audit_entry', () => ({
      at: now,
      kind: 'audit-verified',
      detail: JSON.stringify({ entries: dealer.next() }),
    })),
    'lane of the folder': owned(() => ({ lane: dealer.next('pin') })),
    'mode of the folder': owned(() => ({ mode: dealer.next() })),
  }
  try {
    for (const [place, plant] of Object.entries(places)) {
      const [copy, out] = [join(folder, 'data'), join(folder, 'support.gz')]
      await cp(store.lane.data, copy, { recursive: true })
      await plant(copy)
      const { code, output } = await command(copy, out)
      expect(code, `${place}: ${output}`).toBe(4)
      expect(find(Buffer.from(output)), place).toEqual([])
      expect(existsSync(out), place).toBe(false)
      await rm(copy, { recursive: true })
    }
    // A store id is free text, so a support file is still written, but without an id that looks like a secret.
    for (const kind of ['token', 'key', 'card', 'collector'] as const) {
      const [copy, out] = [join(folder, 'data'), join(folder, `${kind}.gz`)]
      await cp(store.lane.data, copy, { recursive: true })
      await owned(() => ({ store: dealer.next(kind) }))(copy)
      expect(await command(copy, out), kind).toMatchObject({ code: 0 })
      expect(find(gunzipSync(readFileSync(out))), kind).toEqual([])
      await rm(copy, { recursive: true })
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
