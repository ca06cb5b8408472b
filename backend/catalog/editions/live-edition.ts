import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../core/db/database.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { aboutEdition, applyChanges, openEditionFile } from './edition-file.ts'
import { editionsOf } from './editions.sql.ts'
import { rebuildInWorker } from './edition-jobs.ts'
import { createEditionRows, type EditionRows } from './edition-rows.ts'
import { createCatalogRepository, type CatalogRepository } from './catalog.sql.ts'

export type LiveEdition = ReturnType<typeof createLiveEdition>

interface Open {
  readonly id: string
  readonly file: Database
  readonly items: CatalogRepository
  readonly rows: EditionRows
}

/**
 * The edition in use. A change is committed to the terminal's database first, and then applied to the edition's file.
 * Changes that the file lacks, for example after a crash, are applied before the next read.
 */
function createLiveEdition(ctx: Ctx) {
  const { db, clock, log } = ctx
  const editions = editionsOf(ctx)
  const folder = programOf(ctx).folder.catalog
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let open: Open | null = null
  let behind = false
  const listeners: (() => void)[] = []

  const pathOf = (id: string): string => join(folder, `${id}.db`)

  function opened(id: string): Open | null {
    if (!existsSync(pathOf(id))) return null
    let file: Database | null = null
    try {
      file = openEditionFile(pathOf(id))
      const about = aboutEdition(file)
      if (about?.edition !== id || about.applied > editions.lastChange(id))
        throw new Error('the file is of another edition')
      applyChanges(file, editions.changesAfter(id, about.applied))
      return {
        id,
        file,
        items: createCatalogRepository(file, clock.now, ctx.profile.timeZone),
        rows: createEditionRows(file),
      }
    } catch (error) {
      file?.close()
      log.warn({ err: error, edition: id }, 'rebuilding the file of the catalog')
      return null
    }
  }

  /** Opens the file of an edition; rebuilds it first if it is missing or cannot be used. */
  async function made(id: string): Promise<Open> {
    const found = opened(id)
    if (found) return found
    await rebuildInWorker({ kind: 'rebuild', terminal: db.name, target: pathOf(id), edition: id })
    const rebuilt = opened(id)
    if (rebuilt === null) throw new Error('the file of the catalog could not be built')
    return rebuilt
  }

  const use = (next: Open): void => {
    open?.file.close()
    open = next
    behind = false
  }

  /**
   * Applies committed changes that the edition's file lacks. On a full disk the lane continues with the file as it is,
   * and every read tries again.
   */
  function catchUp({ id, file }: Open): void {
    try {
      applyChanges(file, editions.changesAfter(id, aboutEdition(file)?.applied ?? 0))
      behind = false
    } catch (error) {
      log.warn({ err: error, edition: id }, 'a change of the catalog could not be written to its file')
    }
  }

  function current(): Open {
    if (open === null) throw new Error('the lane has no catalog yet')
    if (behind) catchUp(open)
    return open
  }

  return {
    pathOf,
    get id() {
      return open?.id ?? null
    },
    get items() {
      return current().items
    },
    /** Items of the edition in use as they are stored: planned prices are not applied. */
    get rows() {
      return current().rows
    },
    /** Whether the edition's file has every committed change, after a try to apply missing ones. */
    isWhole(): boolean {
      current()
      return !behind
    },
    switchTo(id: string): void {
      const next = opened(id)
      if (next === null) throw new Error('the file of the catalog is missing')
      use(next)
    },
    /**
     * Switches to this edition; first builds its file if it is missing (after a restored backup) or has another index
     * version.
     */
    async load(id: string): Promise<void> {
      if (open?.id !== id) use(await made(id))
    },
    /** Builds the file of an edition unless it exists. */
    async prepare(id: string): Promise<void> {
      ;(await made(id)).file.close()
    },
    follow(): void {
      behind = true
      current()
    },
    discard(id: string): void {
      for (const name of readdirSync(folder))
        if (name.startsWith(`${id}.db`)) rmSync(join(folder, name), { force: true })
    },
    /** Deletes the files of all other editions, and what an interrupted import left. */
    tidy(exceptIds: readonly (string | null)[]): void {
      const names = exceptIds.filter((id) => id !== null).map((id) => `${id}.db`)
      for (const name of readdirSync(folder)) {
        if (names.some((retained) => name.startsWith(retained))) continue
        try {
          rmSync(join(folder, name), { force: true })
        } catch (error) {
          // On Windows a file to which a worker still writes cannot be deleted; the next start deletes it.
          log.warn({ err: error, name }, 'a file of the catalog could not be deleted')
        }
      }
    },
    onChange(listener: () => void): void {
      listeners.push(listener)
    },
    announce(): void {
      for (const listener of listeners) listener()
    },
    close(): void {
      open?.file.close()
      open = null
    },
  }
}

export const liveEditionOf = perLane(createLiveEdition)
