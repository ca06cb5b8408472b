import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished, type TestContext } from 'vitest'
import { createLog } from '../log.ts'
import { openFileStorage, openPostgresStorage, type Storage } from '../storage.ts'
import type { ReportsPlace } from '../updates/updates.ts'
import { usePostgres } from './postgres.ts'

/** A fresh storage, which ends with the test. */
export interface StorageOfTest {
  readonly storage: Storage
  /** Where its files are. */
  readonly disk: string
  readonly place: ReportsPlace
  /** What another server finds that starts on it now. */
  again(): Promise<StorageOfTest>
}

/** What a store server may keep what it knows in: a test of each is `test.for(STORAGES)('…, on %s', …)`. */
export const STORAGES = ['SQLite', 'PostgreSQL'] as const

/**
 * Opens a fresh storage of a kind; with a real PostgreSQL, of which the test is skipped with its reason where there is
 * none. Called at the top of the file.
 */
export function useStorages(): (kind: (typeof STORAGES)[number], skip: TestContext['skip']) => Promise<StorageOfTest> {
  const cluster = usePostgres({ fsync: false })

  async function inPostgres(database: string): Promise<StorageOfTest> {
    const storage = await openPostgresStorage(database, { log: createLog('error') })
    onTestFinished(() => storage.close())
    return { storage, disk: cluster.server().folder, place: { database }, again: () => inPostgres(database) }
  }

  return async (kind, skip) => (kind === 'SQLite' ? await inFile(null) : await inPostgres(await cluster.database(skip)))
}

/** In a folder of its own: empty, or with what stands in another. */
async function inFile(like: string | null): Promise<StorageOfTest> {
  const data = mkdtempSync(path.join(tmpdir(), 'milepost-storage-'))
  if (like !== null) cpSync(like, data, { recursive: true })
  const storage = openFileStorage(data)
  onTestFinished(async () => {
    await storage.close()
    rmSync(data, { recursive: true, force: true })
  })
  return { storage, disk: data, place: { data }, again: () => inFile(data) }
}
