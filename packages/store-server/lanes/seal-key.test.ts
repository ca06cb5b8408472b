import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, type TestContext } from 'vitest'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { ENROLMENT_TABLES } from '../enrolment/enrolment.sql.ts'
import { createLog } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { LANES_TABLES } from './lanes.ts'
import { readSealKey } from './key-files.ts'

const postgres = usePostgres({ fsync: false })
const UNPRIVILEGED_UID = 65_534

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'milepost-key-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}
async function open(skip: TestContext['skip']) {
  const database = openPostgres({ url: await postgres.database(skip), log: createLog('silent') })
  onTestFinished(() => database.close())
  await migrate(database, [ENROLMENT_TABLES, LANES_TABLES])
  return database
}

test('if servers start at once on one database, one creates the seal key; the others stop and name the remedy', async ({
  skip,
}) => {
  const database = await open(skip)
  const folders = Array.from({ length: 4 }, folder)
  const began = await Promise.allSettled(folders.map((one) => readSealKey(one, database)))
  const keys = folders.filter((one) => existsSync(join(one, 'store.key')))
  expect(keys).toHaveLength(1)
  expect(began.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  const whys = began.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
  for (const why of whys) expect(why).toMatch(/Copy it from the server that has it|Replace it with the correct key/)
  for (const one of folders.filter((without) => !keys.includes(without)))
    await expect(readSealKey(one, database)).rejects.toThrow('Copy it from the server that has it')
})

test('a seal key that other users can read, or that is truncated, is refused with a readable error', async ({
  skip,
}) => {
  const database = await open(skip)
  const here = folder()
  const file = join(here, 'store.key')
  const key = await readSealKey(here, database)
  chmodSync(file, 0o644)
  await expect(readSealKey(here, database)).rejects.toThrow(
    `Other users can read the key ${file}. Run: chmod 600 '${file}'`,
  )
  chmodSync(file, 0o600)
  expect(await readSealKey(here, database)).toEqual(key)
  writeFileSync(file, key.subarray(0, 16))
  await expect(readSealKey(here, database)).rejects.toThrow('it has 16 bytes')
})

test('servers that start at once in one folder share one seal key and ignore files left by a crash', async ({
  skip,
}) => {
  const database = await open(skip)
  const here = folder()
  writeFileSync(join(here, 'store.key.of-a-crash'), '')
  const keys = await Promise.all(Array.from({ length: 4 }, () => readSealKey(here, database)))
  for (const key of keys) expect(key).toEqual(keys[0])
  expect(readdirSync(here)).toEqual(['store.key', 'store.key.of-a-crash'])
})

test('a seal key that belongs to another user is reported as such, not as a read-only folder', async ({ skip }) => {
  const database = await open(skip)
  const here = folder()
  await readSealKey(here, database)
  const isRoot = process.getuid?.() === 0
  chmodSync(here, 0o755)
  if (isRoot) process.seteuid?.(UNPRIVILEGED_UID)
  else chmodSync(join(here, 'store.key'), 0)
  try {
    await expect(readSealKey(here, database)).rejects.toThrow(
      /^This user has no permission to read .*store\.key\. Run the server as/,
    )
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})
