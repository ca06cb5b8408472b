import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { writeWhole } from '../../delivery/whole-file.ts'
import { dataHome } from '../../supervisor/places.ts'
import { TerminalRefused } from '../../supervisor/refused.ts'

/** What the next start has to know: ports stay, for the lanes know their server and windows their lane by them. */
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
  keep(change: Partial<Omit<DemoState, 'format'>>): void
}

const STATE = 'demo.json'
/** Of a folder in which PostgreSQL, which never runs as root, has one of its own. */
const MODE = process.getuid?.() === 0 ? 0o711 : 0o700
const ROOTS_OWN = '/var/lib'

/** Root’s home is closed to the user that PostgreSQL runs as. */
export const defaultDemoFolder = (): string =>
  path.join(process.getuid?.() === 0 ? ROOTS_OWN : dataHome(), 'milepost', 'store-demo')

/** Opens the folder of a demo, or makes it. Throws TerminalRefused for a folder of something else. */
export function openDemoFolder(place: string): DemoFolder {
  const folder = path.resolve(place)
  const file = path.join(folder, STATE)
  if (existsSync(folder) && !existsSync(file) && readdirSync(folder).length > 0)
    throw new TerminalRefused(`${folder} holds something else than a demo. Give --data an empty folder.`, 2)
  refuseClosed(folder)
  mkdirSync(folder, { recursive: true, mode: MODE })
  chmodSync(folder, MODE)
  const at = (name: string): string => path.join(folder, name)
  const state = (): DemoState =>
    existsSync(file) ? State.parse(JSON.parse(readFileSync(file, 'utf8'))) : { format: 1, serverPort: null, lanes: {} }
  const keep: DemoFolder['keep'] = (change) => writeWhole(file, `${JSON.stringify({ ...state(), ...change })}\n`)
  keep({})
  return {
    folder,
    profile: at('store.yaml'),
    server: at('server'),
    postgres: at('postgres'),
    lane: (id) => path.join(folder, 'lanes', id),
    state,
    keep,
  }
}

/** Moves a demo out of the way; answers where to. Null: there was none. */
export function setDemoAside(place: string, now: Date): string | null {
  const folder = path.resolve(place)
  if (!existsSync(folder)) return null
  if (!existsSync(path.join(folder, STATE))) return null
  const aside = `${folder}.before-${now.toISOString().replace(/[:.]/g, '-')}`
  renameSync(folder, aside)
  return aside
}

/** As root, PostgreSQL runs as somebody else, who has to come as far as its folder. */
function refuseClosed(folder: string): void {
  if (process.getuid?.() !== 0) return
  for (let at = path.dirname(folder); at !== path.dirname(at); at = path.dirname(at))
    if (((statSync(at, { throwIfNoEntry: false })?.mode ?? 0o001) & 0o001) === 0)
      throw new TerminalRefused(
        `As root, PostgreSQL runs as another user, to whom ${at} is closed. Give --data another folder, such as ` +
          `${path.join(ROOTS_OWN, 'milepost', 'store-demo')}.`,
        2,
      )
}
