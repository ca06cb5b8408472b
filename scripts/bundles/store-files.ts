import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { PROFILE_FILE } from '../../delivery/manifest.ts'

/** What of a profile names a file beside it. Whether the profile is right otherwise is the backend's to say. */
const Named = z.looseObject({
  catalog: z.looseObject({ file: z.string() }),
  receipt: z.looseObject({ logo: z.looseObject({ file: z.string() }).optional() }).optional(),
  lanes: z.array(
    z.looseObject({
      devices: z
        .looseObject({
          cardTerminal: z
            .looseObject({ connection: z.looseObject({ certificateFile: z.string().optional() }) })
            .nullish(),
        })
        .optional(),
    }),
  ),
})

export class StoreFilesError extends Error {
  override name = 'StoreFilesError'
}

/**
 * The files that a lane of the store needs, by the path that the profile gives them; the profile itself as
 * `profile.yaml`. Throws StoreFilesError in words where one is missing, or lies outside of the profile's folder, also
 * by a link: a package or bundle holds only what is beside or below the profile.
 */
export function readStoreFiles(profileFile: string): ReadonlyMap<string, Buffer> {
  const profile = readFileSync(profileFile)
  const { catalog, receipt, lanes } = Named.parse(parse(profile.toString('utf8')))
  const named: [string, string][] = [
    ['catalog.file', catalog.file],
    ...(receipt?.logo ? [['receipt.logo.file', receipt.logo.file] satisfies [string, string]] : []),
    ...lanes.flatMap(({ devices }, index): [string, string][] => {
      const file = devices?.cardTerminal?.connection.certificateFile
      return file === undefined ? [] : [[`lanes[${index}].devices.cardTerminal.connection.certificateFile`, file]]
    }),
  ]
  const files = new Map<string, Buffer>([[PROFILE_FILE, profile]])
  for (const [setting, name] of named) {
    const { inside, bytes } = readBeside(profileFile, setting, name)
    if (inside === PROFILE_FILE && !bytes.equals(profile))
      throw new StoreFilesError(`${profileFile}: ${setting}: a file cannot be called ${PROFILE_FILE} here.`)
    files.set(inside, bytes)
  }
  return files
}

function readBeside(profileFile: string, setting: string, name: string): { inside: string; bytes: Buffer } {
  const folder = realpathSync(path.dirname(profileFile))
  const file = path.resolve(folder, name)
  const outside = (): never => {
    throw new StoreFilesError(
      `${profileFile}: ${setting}: ${name} lies outside of the profile's folder; only what is beside or below the ` +
        'profile goes to a lane.',
    )
  }
  if (!file.startsWith(folder + path.sep)) return outside()
  if (!existsSync(file) || !statSync(file).isFile())
    throw new StoreFilesError(`${profileFile}: ${setting}: there is no file ${file}.`)
  if (!realpathSync(file).startsWith(folder + path.sep)) return outside()
  return { inside: path.relative(folder, file).split(path.sep).join('/'), bytes: readFileSync(file) }
}
