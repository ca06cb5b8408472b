import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { parse } from 'yaml'
import { Profile } from '../../../contracts/core/profile.ts'
import { PROFILE_FILE } from '../manifest.ts'

export class StoreFilesError extends Error {
  override name = 'StoreFilesError'
}

/**
 * Reads the files that a lane of the store needs, by the path in its valid profile; the profile itself as
 * `profile.yaml`. Throws StoreFilesError if a file is missing, or outside the profile's folder (also by a link): a
 * package or bundle contains only files in or below that folder.
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
    const { inside, bytes } = readFromFolder(profileFile, setting, name)
    if (inside === PROFILE_FILE && !bytes.equals(profile))
      throw new StoreFilesError(`${profileFile}: ${setting}: a file cannot be named ${PROFILE_FILE} here. Rename it.`)
    files.set(inside, bytes)
  }
  return files
}

function readFromFolder(profileFile: string, setting: string, name: string): { inside: string; bytes: Buffer } {
  const folder = realpathSync(path.dirname(profileFile))
  const file = path.resolve(folder, name)
  const outside = (): never => {
    throw new StoreFilesError(
      `${profileFile}: ${setting}: ${name} is outside the profile's folder. Only files in or below this ` +
        'folder are copied to a lane.',
    )
  }
  if (!file.startsWith(folder + path.sep)) return outside()
  if (!existsSync(file) || !statSync(file).isFile())
    throw new StoreFilesError(`${profileFile}: ${setting}: there is no file ${file}.`)
  if (!realpathSync(file).startsWith(folder + path.sep)) return outside()
  return { inside: path.relative(folder, file).split(path.sep).join('/'), bytes: readFileSync(file) }
}
