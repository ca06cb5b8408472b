import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { MAX_PROGRAM_BYTES, PROGRAM_SIGNED, ProgramPath } from '../../updates/formats.ts'
import { UpdatesRefusal } from './status.ts'

export interface FoundFile {
  readonly path: string
  readonly file: string
  readonly bytes: number
  readonly executable: boolean
}
export interface FoundProgram {
  readonly files: readonly FoundFile[]
  readonly links: readonly { readonly path: string; readonly to: string }[]
  /** Version in the program's package.json; null if that file is in an archive. */
  readonly version: string | null
  /** The newest migration of the program's database; null if the migrations are in an archive. */
  readonly schema: number | null
}

/** Mode bits of an executable file, which Windows does not have. */
const IS_RUN = 0o111
const MIGRATION = /(^|\/)backend\/core\/db\/migrations\/(\d{4})_[^/]+\.sql$/
const PACKAGE = /^(resources\/)?(app\/)?package\.json$/
const Package = z.object({ name: z.literal('milepost'), version: z.string() })

export function readProgram(folder: string): FoundProgram {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new UpdatesRefusal('program-missing', { folder })
  const files: FoundFile[] = []
  const links: { path: string; to: string }[] = []
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const at = name.split(path.sep).join('/')
    const file = path.join(folder, name)
    const found = lstatSync(file)
    // Leave out the signed manifest of the version, which a lane stores in the folder of the program.
    if (found.isDirectory() || at === PROGRAM_SIGNED) continue
    if (!ProgramPath.safeParse(at).success) throw new UpdatesRefusal('bad-path', { file: at })
    if (found.isSymbolicLink()) links.push({ path: at, to: targetOf(folder, at) })
    else if (found.isFile()) files.push({ path: at, file, bytes: found.size, executable: (found.mode & IS_RUN) !== 0 })
    else throw new UpdatesRefusal('odd-file', { file: at })
  }
  if (files.length === 0) throw new UpdatesRefusal('program-empty', { folder })
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > MAX_PROGRAM_BYTES)
    throw new UpdatesRefusal('program-too-large', { folder })
  return { files, links, version: versionOf(files), schema: schemaOf(files) }
}

function targetOf(folder: string, at: string): string {
  const to = path
    .relative(folder, path.resolve(folder, path.dirname(at), readlinkSync(path.join(folder, at))))
    .split(path.sep)
    .join('/')
  if (!ProgramPath.safeParse(to).success) throw new UpdatesRefusal('bad-link', { file: at })
  return to
}

function versionOf(files: readonly FoundFile[]): string | null {
  for (const { path: at, file } of files) {
    if (!PACKAGE.test(at)) continue
    const read = Package.safeParse(JSON.parse(readFileSync(file, 'utf8')))
    if (read.success) return read.data.version
  }
  return null
}

function schemaOf(files: readonly FoundFile[]): number | null {
  const numbers = files.map(({ path: at }) => Number(MIGRATION.exec(at)?.[2] ?? 0))
  return Math.max(...numbers) || null
}
