import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { writeWhole } from '../../delivery/whole-file.ts'
import { dataHome } from '../../supervisor/places.ts'
import { TerminalRefused } from '../../supervisor/terminal-refused.ts'

/**
 * State of the demo for its next start. Ports stay the same, because lanes know their server by its address, and
 * windows their lane.
 */
const State = z.object({
  format: z.literal(1),
  serverPort: z.int().nullable(),
  lanes: z.record(z.string(), z.object({ port: z.int().nullable(), enrolledAt: z.string().nullable() })),
})
export type DemoState = z.infer<typeof State>
export type LaneState = DemoState['lanes'][string]

export const NEW_LANE: LaneState = { port: null, enrolledAt: null }

export interface DemoFolder {
  readonly folder: string
  readonly profile: string
  readonly server: string
  readonly postgres: string
  lane(id: string): string
  state(): DemoState
  save(change: Partial<Omit<DemoState, 'format'>>): void
}

const STATE = 'demo.json'
/** Permissions of the demo’s folder. PostgreSQL never runs as root, so its user must be able to enter the folder. */
const MODE = process.getuid?.() === 0 ? 0o711 : 0o700
/**
 * Default folder as root: PostgreSQL’s user cannot enter root’s home folder. `/var/lib/milepost` is the home folder of
 * the store server’s account (docs/store.md).
 */
const ROOTS_FOLDER = '/var/lib/milepost-store-demo'
/** Default folder as root of earlier versions: a demo that exists there is used again. */
const EARLIER_FOLDER = '/var/lib/milepost/store-demo'

/** Returns the default folder of the demo. */
export function defaultDemoFolder(isRoot = process.getuid?.() === 0, earlier = EARLIER_FOLDER): string {
  if (!isRoot) return path.join(dataHome(), 'milepost', 'store-demo')
  return existsSync(path.join(earlier, STATE)) ? earlier : ROOTS_FOLDER
}

/** Opens or creates the folder of a demo. Throws TerminalRefused for a folder with other content. */
export function openDemoFolder(place: string): DemoFolder {
  const folder = path.resolve(place)
  const file = path.join(folder, STATE)
  if (existsSync(folder) && !existsSync(file) && readdirSync(folder).length > 0)
    throw new TerminalRefused(`${folder} has other files than those of a demo. Give --data an empty folder.`, 2)
  refuseClosed(folder)
  mkdirSync(folder, { recursive: true, mode: MODE })
  chmodSync(folder, MODE)
  const at = (name: string): string => path.join(folder, name)
  const state = (): DemoState =>
    existsSync(file) ? State.parse(JSON.parse(readFileSync(file, 'utf8'))) : { format: 1, serverPort: null, lanes: {} }
  const save: DemoFolder['save'] = (change) => writeWhole(file, `${JSON.stringify({ ...state(), ...change })}\n`)
  save({})
  return {
    folder,
    profile: at('store.yaml'),
    server: at('server'),
    postgres: at('postgres'),
    lane: (id) => path.join(folder, 'lanes', id),
    state,
    save,
  }
}

/** Renames the folder of a demo, to keep it; returns the new path, or null if there is no demo. */
export function renameDemo(place: string, now: Date): string | null {
  const folder = path.resolve(place)
  if (!existsSync(folder)) return null
  if (!existsSync(path.join(folder, STATE))) return null
  const oldFolder = `${folder}.before-${now.toISOString().replace(/[:.]/g, '-')}`
  renameSync(folder, oldFolder)
  return oldFolder
}

/**
 * Throws TerminalRefused if a parent folder is closed: as root, PostgreSQL runs as another user, who must be able to
 * enter each parent folder.
 */
function refuseClosed(folder: string): void {
  if (process.getuid?.() !== 0) return
  for (let at = path.dirname(folder); at !== path.dirname(at); at = path.dirname(at))
    if (((statSync(at, { throwIfNoEntry: false })?.mode ?? 0o001) & 0o001) === 0)
      throw new TerminalRefused(
        `As root, PostgreSQL runs as another user, who cannot open ${at}. Give --data another folder, such as ` +
          `${ROOTS_FOLDER}.`,
        2,
      )
}
