import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { Profile } from '../../../contracts/core/profile.ts'
import { PROFILE_FILE } from '../manifest.ts'

export class StoreFilesError extends Error {
  override name = 'StoreFilesError'
}

/**
 * The files that a lane of the store needs, by the path that its good profile gives them; the profile itself as
 * `profile.yaml`. Throws StoreFilesError in words where one is missing, or lies outside of the profile's folder, also
 * by a link: a package or bundle holds only what is beside or below the profile.
 */
export function readStoreFiles(profileFile: string): ReadonlyMap<string, Buffer> {
  const profile = readFileSync(profileFile)
  const { catalog, receipt, lanes } = Profile.parse(parse(profile.toString('utf8')))
  const named: [string, string][] = [['catalog.file', catalog.file]]
  if (receipt.logo) named.push(['receipt.logo.file', receipt.logo.file])
  for (const [index, { devices }] of lanes.entries()) {
    const terminal = devices.cardTerminal?.connection
    if (terminal?.kind === 'tcp')
      named.push([`lanes[${index}].devices.cardTerminal.connection.certificateFile`, terminal.certificateFile])
  }
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
