import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockDataFolder, StartRefusedError } from '../../core/program/data-folder.ts'
import { openDatabase } from '../../core/db/database.ts'
import { systemClock } from '../../core/clock.ts'
import { createAuditTrail } from '../../core/audit.ts'
import { createSeal } from '../../core/integrity/seal.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { type Outcome, run } from '../../../packages/lab/rig/process.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { nextRelease, TODAY, updateTo } from '../../../packages/lab/testing/next-release.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

const restore = (data: string, from: string): Promise<Outcome> =>
  run([join(import.meta.dirname, '../provision.ts'), 'restore', '--data', data, '--from', from])

async function sell(harness: TerminalHarness, card?: string): Promise<string> {
  let sale = await harness.ring('1021')
  if (card) sale = await harness.swipe(card)
  return (
    await harness.call('POST', `/api/sales/${sale.id}/tenders`, {
      kind: 'cash',
      version: sale.version,
      tenderedCents: 5_000,
    })
  ).body.sale.id
}

const closingOf = (folder: string): string => {
  const name = readdirSync(join(folder, 'backups'))
    .filter((file) => file.startsWith('closing-'))
    .toSorted()
    .at(-1)
  if (!name) throw new Error('no closing backup')
  return join(folder, 'backups', name)
}

async function twoDays(): Promise<{ data: string; backup: string; retained: string; lost: string; backlog: number }> {
  const data = temporaryFolder()
  const monday = await openTerminalHarness(central, { folder: data, backsUpAtClose: true })
  const retained = await sell(monday, 'fine')
  await monday.until((sale) => sale.issuance?.state === 'confirmed')
  await monday.close()
  const backup = join(temporaryFolder(), 'monday.db')
  copyFileSync(closingOf(data), backup)

  const tuesday = await openTerminalHarness(central, { folder: data })
  const lost = await sell(tuesday, 'fine')
  await tuesday.until((sale) => sale.issuance?.state === 'confirmed')
  await tuesday.close()
  return { data, backup, retained, lost, backlog: (await central.requests('/checkout/issuance/issue')).length }
}

test('a terminal starts with a restored backup and sells', async () => {
  const { data, backup, retained, lost, backlog } = await twoDays()
  const done = await restore(data, backup)
  expect(done).toMatchObject({ code: 0, stderr: '' })
  expect(done.stdout).toMatch(/The replaced database had \d+ newer entries\./)
  expect(done.stdout).toContain('Ask the program for the reconciliation since that time')

  const replaced = readdirSync(join(data, 'backups')).find((name) => name.startsWith('replaced-')) ?? ''
  expect(readdirSync(join(data, 'backups', replaced)).toSorted()).toEqual(
    expect.arrayContaining(['journal.mark', 'terminal.db']),
  )
  const again = await openTerminalHarness(central, { folder: data })
  expect((await again.call('GET', `/api/sales/${retained}`)).body.sale.issuance?.state).toBe('confirmed')
  expect((await again.call('GET', `/api/sales/${lost}`)).status).toBe(404)
  const sold = await sell(again, 'fine')
  expect((await again.until((sale) => sale.id === sold && sale.issuance?.state === 'confirmed')).state).toBe(
    'completed',
  )
  // Calls that were confirmed before the backup are not sent again.
  expect(await central.requests('/checkout/issuance/issue')).toHaveLength(backlog + 1)
  await again.close()

  const db = openDatabase(join(data, 'terminal.db'))
  onTestFinished(() => {
    db.close()
  })
  const note = createAuditTrail({ db, clock: systemClock, seal: createSeal(Buffer.alloc(32)) })
    .latest(50)
    .find(({ kind }) => kind === 'database-restored')
  expect(note).toMatchObject({
    actorId: null,
    subject: 'monday.db',
    detail: { todo: 'ask the program for the reconciliation since the newest entry' },
  })
  expect(note?.detail['entriesLost']).toBeGreaterThan(0)
})

test('a lane that lost its database refuses to start until a backup is restored', async () => {
  const { data, backup } = await twoDays()
  for (const file of ['terminal.db', 'terminal.db-wal', 'terminal.db-shm']) rmSync(join(data, file), { force: true })
  expect(() => lockDataFolder(data, null, null)).toThrow(StartRefusedError)
  const done = await restore(data, backup)
  expect(done).toMatchObject({ code: 0 })
  expect(done.stdout).toContain('the number of lost entries is unknown')
  const again = await openTerminalHarness(central, { folder: data })
  await sell(again)
})

test('an old copy that was put in place of the database, without a restore, is detected', async () => {
  const { data, backup } = await twoDays()
  for (const file of ['terminal.db-wal', 'terminal.db-shm']) rmSync(join(data, file), { force: true })
  copyFileSync(backup, join(data, 'terminal.db'))
  await expect(openTerminalHarness(central, { folder: data })).rejects.toThrow('it is older than its mark')
})

test('a restore is refused while a terminal uses the folder, and changes nothing', async () => {
  const { data, backup } = await twoDays()
  const running = await openTerminalHarness(central, { folder: data })
  const before = readdirSync(join(data, 'backups'))
  expect(await restore(data, backup)).toMatchObject({
    code: 3,
    stdout: '',
    stderr: expect.stringContaining('is running. Stop it, then run this again.') as string,
  })
  expect(readdirSync(join(data, 'backups'))).toEqual(before)
  await sell(running)
})

test('a restore is refused when its backup is damaged, missing, of another key or of a newer program', async () => {
  const { data, backup } = await twoDays()
  const before = readFileSync(join(data, 'terminal.db'))
  const newer = join(temporaryFolder(), 'data')
  cpSync(data, newer, { recursive: true })
  await updateTo(newer, nextRelease('CREATE TABLE next (a TEXT) STRICT', TODAY + 1))
  const refusals: [string, (file: string) => void, string][] = [
    ['gone.db', () => undefined, 'There is no backup'],
    [
      'text.db',
      (file) => {
        writeFileSync(file, 'hello '.repeat(1000))
      },
      'cannot be read as a database',
    ],
    [
      'newer.db',
      (file) => {
        copyFileSync(join(newer, 'terminal.db'), file)
      },
      `has schema ${TODAY + 1} and this program knows ${TODAY}; install the newer program`,
    ],
    [
      'numbered.db',
      (file) => {
        copyFileSync(backup, file)
        const db = openDatabase(file)
        db.pragma('user_version = 9999')
        db.close()
      },
      'its schema version was changed',
    ],
  ]
  for (const [name, make, words] of refusals) {
    const file = join(temporaryFolder(), name)
    make(file)
    const refused = await restore(data, file)
    expect(refused.stderr, name).toContain(words)
    expect(refused.stderr, name).toContain('Nothing was changed')
    expect(refused.code, name).not.toBe(0)
  }
  const stranger = temporaryFolder()
  cpSync(data, stranger, { recursive: true })
  rmSync(join(stranger, 'terminal.json'))
  writeFileSync(join(stranger, 'seal.key'), `${Buffer.alloc(32, 3).toString('base64')}\n`, { mode: 0o600 })
  expect((await restore(stranger, backup)).stderr).toContain('another sealing key')
  expect((await restore(data, join(data, 'terminal.db'))).stderr).toContain('the database itself')
  expect(readFileSync(join(data, 'terminal.db')).equals(before)).toBe(true)
  expect(existsSync(join(data, 'terminal.db.restoring'))).toBe(false)
})
