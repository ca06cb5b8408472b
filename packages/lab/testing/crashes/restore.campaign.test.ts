import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { systemClock } from '../../../../backend/core/clock.ts'
import { lockDataFolder } from '../../../../backend/core/program/data-folder.ts'
import { numbersAfter, type EpochStart } from '../../../../backend/core/db/database.ts'
import { createPlainTransact } from '../../../../backend/core/db/transact.ts'
import { takeBackup } from '../../../../backend/operations/backups/backup.ts'
import { createShiftsRepository } from '../../../../backend/sales/drawer.sql.ts'
import { createSalesRepository } from '../../../../backend/sales/sale/sales.sql.ts'
import { SaleId } from '../../../../contracts/core/ids.ts'
import { temporaryFolder } from '../../../../backend/core/http/testing.ts'
import { openTerminalDatabase } from '../../../../backend/core/integrity/open-terminal.ts'
import { applyRestore, restoreDatabase } from '../../../../backend/operations/restore/restore.ts'
import {
  readRestoreInstruction,
  writeRestoreInstruction,
} from '../../../../backend/operations/restore/restore-files.ts'
import { backupContext } from '../lane-context.ts'

const RESTORE_AND_EXIT = join(import.meta.dirname, 'restore-and-exit.ts')
const LANE = '01'

async function inFolder<Result>(
  data: string,
  work: (opened: Awaited<ReturnType<typeof openTerminalDatabase>>) => Result | Promise<Result>,
): Promise<Result> {
  const folder = lockDataFolder(data, null, null)
  const opened = await openTerminalDatabase(folder, systemClock)
  try {
    return await work(opened)
  } finally {
    opened.close()
    folder.release()
  }
}

const work = (data: string): Promise<{ sequence: number; shift: number }> =>
  inFolder(data, ({ db }) => {
    db.prepare("INSERT OR IGNORE INTO staff (id, name, role, locale) VALUES ('sam', 'Sam', 'manager', 'en-CA')").run()
    const sales = createSalesRepository(db)
    const shifts = createShiftsRepository(db, LANE)
    return createPlainTransact(db)((tx) => {
      const sequence = sales.nextSequence()
      const lane = String(sequence)
      sales.insert(tx, {
        id: SaleId.parse(`N101${lane.padStart(10, '0')}QZQZ`),
        sequence,
        lane,
        cashierId: 'sam',
        openedAt: 1,
      })
      const shift = shifts.insert(tx, {
        drawerOf: null,
        openedAt: 1,
        openedBy: 'sam',
        floatCents: 0,
        floatCount: null,
      })
      shifts.setCounted(tx, shift, 2)
      return { sequence, shift }
    })
  })

const backUp = (data: string): Promise<string> =>
  inFolder(data, async ({ db }) => {
    const folder = join(data, 'backups')
    const { masterKey } = keyOf(data)
    const at = Date.now() + readdirSync(folder).length * 1_000
    const ctx = backupContext(db, { backups: folder, masterKey }, { clock: { ...systemClock, now: () => at } })
    const made = await takeBackup(ctx, 'hand')
    if (made.file === null) throw new Error(made.detail ?? made.outcome)
    return join(folder, made.file)
  })

const keys = new Map<string, Uint8Array>()
const keyOf = (data: string): { masterKey: Uint8Array } => {
  const known = keys.get(data)
  if (!known) throw new Error('the folder has no key')
  return { masterKey: known }
}
function newFolder(): string {
  const data = join(temporaryFolder(), 'data')
  const folder = lockDataFolder(data, null, null)
  keys.set(data, folder.masterKey)
  folder.release()
  return data
}

const numbersIn = (data: string): Promise<EpochStart> => inFolder(data, ({ db }) => numbersAfter(db))
const salesIn = (data: string): Promise<number> =>
  inFolder(data, ({ db }) => Number(db.prepare('SELECT count(*) FROM sale').pluck().get()))

test('a restore killed after any step is completed by the next start, without repeated numbers', async () => {
  const data = newFolder()
  await work(data)
  const from = await backUp(data)
  await work(data)
  await work(data)
  const used = await numbersIn(data)
  writeRestoreInstruction(data, {
    phase: 'asked',
    from,
    askedBy: 'sam',
    approvedBy: 'sam',
    approverName: 'Sam',
    attempts: 0,
  })
  const steps: string[] = []
  const killedAt = (at: number): { killed: string; done: boolean } => {
    const killed = join(temporaryFolder(), 'data')
    cpSync(data, killed, { recursive: true })
    const { signal, stdout } = spawnSync(
      process.execPath,
      [...process.execArgv, RESTORE_AND_EXIT, killed, String(at)],
      {
        encoding: 'utf8',
      },
    )
    steps.push(stdout.trim().split('\n').at(-1) ?? '')
    return { killed, done: signal !== 'SIGKILL' }
  }
  for (let at = 1; ; at += 1) {
    const { killed, done } = killedAt(at)
    if (done) break
    // Until the copy is ready, the old database is in place. Afterwards the next start only renames files.
    const instruction = readRestoreInstruction(killed)
    expect(
      instruction?.phase === 'asked' ? existsSync(join(killed, 'terminal.db')) : true,
      `after ${steps.at(-1)}`,
    ).toBe(true)
    expect(applyRestore(killed, null), `after ${steps.at(-1)}`).toMatchObject({ outcome: 'restored' })
    expect(readRestoreInstruction(killed)).toBeNull()
    expect(await salesIn(killed), `after ${steps.at(-1)}`).toBe(1)
    const next = await work(killed)
    expect(next.sequence).toBeGreaterThanOrEqual(used.firstSequence)
    expect(next.shift).toBeGreaterThanOrEqual(used.firstShift)
    expect(readdirSync(killed).filter((name) => name.includes('restoring'))).toEqual([])
  }
  expect(steps).toEqual(
    expect.arrayContaining(['copied', 'completed', 'ready', 'aside terminal.db', 'database in place', 'mark in place']),
  )
}, 300_000)

test('a restore is abandoned after three interrupted attempts, and the old database remains', async () => {
  const data = newFolder()
  await work(data)
  const from = await backUp(data)
  await work(data)
  writeRestoreInstruction(data, {
    phase: 'asked',
    from,
    askedBy: 'sam',
    approvedBy: 'sam',
    approverName: 'Sam',
    attempts: 3,
  })
  expect(applyRestore(data, null)).toMatchObject({ outcome: 'refused' })
  expect(await salesIn(data)).toBe(2)
})

test('no sale or shift number is used twice after restores in any order', async () => {
  const step = fc.constantFrom('work', 'back up', 'restore newest', 'restore oldest', 'lose database')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 9 }), async (steps) => {
      const data = newFolder()
      const seen = { sequences: new Set<number>(), shifts: new Set<number>() }
      const once = async (): Promise<void> => {
        const { sequence, shift } = await work(data)
        expect(seen.sequences.has(sequence)).toBe(false)
        expect(seen.shifts.has(shift)).toBe(false)
        seen.sequences.add(sequence)
        seen.shifts.add(shift)
      }
      await once()
      const backups = [await backUp(data)]
      for (const one of steps) {
        if (one === 'work') await once()
        else if (one === 'back up') backups.push(await backUp(data))
        else {
          if (one === 'lose database') writeFileSync(join(data, 'terminal.db'), 'a failed disk')
          restoreDatabase(data, (one === 'restore oldest' ? backups[0] : backups.at(-1)) ?? '', null)
          await once()
        }
      }
    }),
    { numRuns: process.env['MILEPOST_CAMPAIGN'] === '1' ? 60 : 6 },
  )
}, 600_000)
