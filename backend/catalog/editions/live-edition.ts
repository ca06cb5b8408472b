import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from '../../core/db/database.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { aboutEdition, applyChanges, openEditionFile } from './edition-file.ts'
import { editionsOf } from './editions.sql.ts'
import { rebuildBeside } from './make-beside.ts'
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
 * The edition that is sold from. Its file follows the terminal's database: a change is committed there first, and what
 * the file has not is put in before it is read again, also after a crash between the two.
 */
function createLiveEdition(ctx: Ctx) {
  const { db, clock, log } = ctx
  const editions = editionsOf(ctx)
  /** Holds the files of the editions, and nothing else. */
  const folder = programOf(ctx).folder.catalog
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let open: Open | null = null
  /** The file may lack a change that is committed. */
  let behind = false
  const listeners: (() => void)[] = []

  const pathOf = (id: string): string => join(folder, `${id}.db`)

  function opened(id: string): Open | null {
    if (!existsSync(pathOf(id))) return null
    let file: Database | null = null
    try {
      file = openEditionFile(pathOf(id))
      const about = aboutEdition(file)
      if (about?.edition !== id || about.applied > editions.lastChange(id)) throw new Error('it is of another edition')
      applyChanges(file, editions.changesAfter(id, about.applied))
      return { id, file, items: createCatalogRepository(file, clock.now), rows: createEditionRows(file) }
    } catch (error) {
      file?.close()
      log.warn({ err: error, edition: id }, 'the file of the catalog is made anew')
      return null
    }
  }

  /** The file of an edition, made anew where there is none that can be used. */
  async function made(id: string): Promise<Open> {
    const found = opened(id)
    if (found) return found
    await rebuildBeside({ kind: 'rebuild', terminal: db.name, target: pathOf(id), edition: id })
    const anew = opened(id)
    if (anew === null) throw new Error('the file of the catalog could not be made')
    return anew
  }

  const use = (next: Open): void => {
    open?.file.close()
    open = next
    behind = false
  }

  /** On a full disk the lane sells on from what it has, and tries again with every look. */
  function catchUp({ id, file }: Open): void {
    try {
      applyChanges(file, editions.changesAfter(id, aboutEdition(file)?.applied ?? 0))
      behind = false
    } catch (error) {
      log.warn({ err: error, edition: id }, 'a change of the catalog could not be written to its file')
    }
  }

  function current(): Open {
    if (open === null) throw new Error('there is no catalog yet')
    if (behind) catchUp(open)
    return open
  }

  return {
    pathOf,
    /** Null before the first import of a lane. */
    get id() {
      return open?.id ?? null
    },
    get items() {
      return current().items
    },
    /** As they are written, whatever price holds now. */
    get rows() {
      return current().rows
    },
    /** Whether its file has every change that is committed; tries to put in what it lacks. */
    isWhole(): boolean {
      current()
      return !behind
    },
    /** The lane sells from this edition from now on. Its file must be there and whole. */
    switchTo(id: string): void {
      const next = opened(id)
      if (next === null) throw new Error('the file of the catalog is not there')
      use(next)
    },
    /** The same, where the file may have to be made: after a restored backup, or by another way of indexing. */
    async load(id: string): Promise<void> {
      if (open?.id !== id) use(await made(id))
    },
    /** Makes the file of an edition, unless it is there. */
    async prepare(id: string): Promise<void> {
      ;(await made(id)).file.close()
    },
    /** A change was committed. */
    follow(): void {
      behind = true
      current()
    },
    /** Takes away the file of an edition that is nobody's any more. */
    discard(id: string): void {
      for (const name of readdirSync(folder))
        if (name.startsWith(`${id}.db`)) rmSync(join(folder, name), { force: true })
    },
    /** Takes away the files of other editions, and what a stopped import has left. */
    tidy(kept: readonly (string | null)[]): void {
      const names = kept.filter((id) => id !== null).map((id) => `${id}.db`)
      for (const name of readdirSync(folder)) {
        if (names.some((kept) => name.startsWith(kept))) continue
        try {
          rmSync(join(folder, name), { force: true })
        } catch (error) {
          // Windows keeps a file that a thread still writes; the next start takes it away.
          log.warn({ err: error, name }, 'a file of the catalog could not be taken away')
        }
      }
    },
    /** Called after a commit that may have changed what is sold, or its price. */
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
