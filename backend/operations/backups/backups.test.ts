import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../../core/http/testing.ts'
import { applyRestore } from '../restore/restore.ts'
import { readRestoreInstruction } from '../restore/restore-files.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'
import { backUp, countOf, list, restoreRequestOf, preview, SAM, whenIdle } from './backups.fixture.ts'
import { copyBackup } from './copy-backup.ts'

const central = useCentral()
const ISSUE = '/checkout/issuance/issue'
async function sell(here: TerminalHarness, card?: string): Promise<string> {
  let sale = await here.ring('1021')
  if (card) sale = await here.swipe(card)
  const paid = { kind: 'cash', version: sale.version, tenderedCents: 5_000 }
  return (await here.call('POST', `/api/sales/${sale.id}/tenders`, paid)).body.sale.id
}

const sequenceOf = (id: string): number => Number(id.slice(-12, -4))

test('a manual backup is verified, listed, and copied byte by byte to the second backup folder', async () => {
  const stick = temporaryFolder()
  const here = await openTerminalHarness(central, { staffId: 'sam', copyTo: stick })
  await sell(here)
  const name = await backUp(here)
  const now = await whenIdle(here)
  expect(now.backups).toMatchObject([{ name, kind: 'hand', proof: { state: 'held', problem: null } }])
  expect(now.copies).toMatchObject({ state: 'copied', lastFile: name })
  const [lane = ''] = readdirSync(stick)
  expect(readdirSync(join(stick, lane))).toEqual([name])
  expect(readFileSync(join(stick, lane, name)).equals(readFileSync(join(here.folder, 'backups', name)))).toBe(true)
  expect(here.read<{ kind: string }>('SELECT kind FROM audit_entry').map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['backup-made', 'backup-copied']),
  )

  // A file with a backup's name that is not a backup.
  writeFileSync(join(here.folder, 'backups', 'hand-20200101-000000.db'), 'not a database '.repeat(400))
  expect((await here.call('POST', '/api/backups/hand-20200101-000000.db/proof')).status).toBe(200)
  expect((await whenIdle(here)).backups.map(({ proof }) => proof.state)).toEqual(
    expect.arrayContaining(['broken', 'held']),
  )
  expect(await here.refused('POST', '/api/backups/hand-20210101-000000.db/proof')).toBe('backup-unknown')
})

const copyTask = (folder: string) => {
  const name = 'hand-20261120-100000.db'
  const file = join(folder, name)
  writeFileSync(file, Buffer.alloc(3_000_000, 7))
  return {
    file,
    name,
    lane: 'S-01',
    retention: { before: '20261101-000000', minimumCount: 1 },
    folder: join(folder, 'stick'),
  }
}

test('a missing second backup folder is reported and not created', () => {
  const task = copyTask(temporaryFolder())
  expect(copyBackup(task)).toEqual({ state: 'not-there', detail: null })
  expect(existsSync(task.folder)).toBe(false)
})

test('a full or read-only second backup folder is reported, and no partial copy stays there', (context) => {
  const task = copyTask(temporaryFolder())
  const { folder } = task
  mkdirSync(folder)
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder], { encoding: 'utf8' })
  if (mount.status !== 0) context.skip('mounting a small disk is allowed only to root')
  onTestFinished(() => {
    spawnSync('umount', [folder])
  })
  expect(copyBackup(task).state).toBe('full')
  spawnSync('mount', ['-o', 'remount,ro', folder])
  expect(copyBackup(task).state).toBe('read-only')
  spawnSync('mount', ['-o', 'remount,rw,size=9m', folder])
  expect(copyBackup(task).state).toBe('copied')
  expect(readdirSync(join(folder, 'S-01'))).toEqual([task.name])
})

test('a restore first names what it would lose, needs a manager’s PIN, and starts a new epoch', async () => {
  let restarts = 0
  const restart = (): void => {
    restarts += 1
  }
  const here = await openTerminalHarness(central, { staffId: 'sam', restart })
  const stored = await sell(here, 'fine')
  await here.until((sale) => sale.issuance?.state === 'confirmed')
  const name = await backUp(here)
  const lost = await sell(here, 'fine')
  await here.until((sale) => sale.id === lost && sale.issuance?.state === 'confirmed')
  await here.call('POST', '/api/people', { name: 'Kim Roy', role: 'cashier', locale: 'fr-CA' })

  const shown = await preview(here, name)
  expect(countOf(shown)).toEqual({ sales: 1, issuances: 1, staff: 1 })
  expect(shown.lost.find(({ kind }) => kind === 'sales')).toMatchObject({
    totalCents: 2_259,
    newest: [{ id: lost, amountCents: 2_259 }],
  })
  expect(shown).toMatchObject({ waits: 0, answeredSince: 0, openSales: 0, refusal: null })

  // The restore is refused without a manager's PIN, with another backup's preview, after any change, and during a
  // payment.
  expect(await here.refused('POST', '/api/backups/restore', restoreRequestOf(shown, '1111'))).toBe('pin-wrong')
  expect(
    await here.refused('POST', '/api/backups/restore', { ...restoreRequestOf(shown), covers: 'x'.repeat(43) }),
  ).toBe('restore-preview-gone')
  const alex = { staffId: 'alex', pin: '1234', covers: shown.covers }
  expect(await here.refused('POST', '/api/backups/restore', { covers: shown.covers, approval: alex })).toBe(
    'approver-not-allowed',
  )
  const last = await sell(here)
  expect(await here.refused('POST', '/api/backups/restore', restoreRequestOf(shown))).toBe('restore-changed')
  const open = await here.ring('1021')
  const partialPayment = { kind: 'cash', version: open.version, tenderedCents: 500 }
  const { sale: paid } = (await here.call('POST', `/api/sales/${open.id}/tenders`, partialPayment)).body
  const withPaid = await preview(here, name)
  expect(await here.refused('POST', '/api/backups/restore', restoreRequestOf(withPaid))).toBe('restore-sale-open')
  await here.call('POST', `/api/sales/${open.id}/cancel`, { version: paid.version })

  const again = await preview(here, name)
  expect(countOf(again)).toMatchObject({ sales: 2 })
  expect((await here.call('POST', '/api/backups/restore', restoreRequestOf(again))).status).toBe(200)
  expect(restarts).toBe(1)
  expect(readRestoreInstruction(here.folder)).toMatchObject({ phase: 'asked', approvedBy: 'sam' })
  await here.close()

  expect(applyRestore(here.folder, null)).toMatchObject({ outcome: 'restored', backup: name, epoch: 2 })
  expect(readRestoreInstruction(here.folder)).toBeNull()
  const restored = await openTerminalHarness(central, { staffId: 'sam', folder: here.folder, restart })
  expect((await restored.call('GET', `/api/sales/${stored}`)).status).toBe(200)
  expect((await restored.call('GET', `/api/sales/${lost}`)).status).toBe(404)
  const next = await sell(restored, 'fine')
  expect(sequenceOf(next)).toBeGreaterThan(Math.max(sequenceOf(last), sequenceOf(open.id)))
  const now = await list(restored)
  expect(now).toMatchObject({ epoch: 2, restored: { outcome: 'restored', by: 'Sam Okafor', epoch: 2 } })
  expect(now.backups.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['hand', 'before-restore']))
  expect(restored.read("SELECT actor_id AS actor, subject FROM audit_entry WHERE kind = 'database-restored'")).toEqual([
    { actor: 'sam', subject: name },
  ])
  // A window that was open before the restore needs no new launch link.
  expect((await restored.post('/api/sign-in', SAM, 'a-key-of-the-old-window-1')).status).toBe(200)
})

test('a call queued in the backup is sent again with the same bytes and idempotency key, and counts once', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam', restart: () => undefined })
  const before = (await central.requests(ISSUE)).length
  await central.faults({ path: ISSUE, times: 1, action: { kind: 'answer', status: 500, body: {} } })
  const sold = await sell(here, 'fine')
  await here.untilOperation('issue', 'queued')
  const held = join(temporaryFolder(), 'waiting.db')
  const name = await backUp(here)
  copyFileSync(join(here.folder, 'backups', name), held)
  await here.until((sale) => sale.id === sold && sale.issuance?.state === 'confirmed')

  const shown = await preview(here, name)
  // If the answer arrived before the backup was made, the backup has no waiting call.
  expect(shown.answeredSince).toBe(shown.waits)
  await here.call('POST', '/api/backups/restore', restoreRequestOf(shown))
  await here.close()
  expect(applyRestore(here.folder, null)?.outcome).toBe('restored')
  const restored = await openTerminalHarness(central, { staffId: 'sam', folder: here.folder })
  await restored.untilOperation('issue', 'confirmed')
  const sent = (await central.requests(ISSUE)).slice(before)
  expect(new Set(sent.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  expect(new Set(sent.map(({ body }) => JSON.stringify(body))).size).toBe(1)
})
