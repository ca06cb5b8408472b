import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { LineCounter, parseDocument } from 'yaml'
import type { Profile } from '../../contracts/profile.ts'
import type { Localized } from '../../contracts/locales.ts'
import { StartRefusedError } from '../data-folder.ts'
import { fileMessages } from '../i18n.ts'
import { loadLogo } from '../images/logo.ts'
import { mistakeOf, pathText, type ProfileError } from '../profile-file.ts'
import { positionOf, type PathKey } from '../profile-issues.ts'
import { shortFile } from '../text-file.ts'

/**
 * Files beside a good profile by which a lane would not start: a catalog or a certificate that is not there, a logo
 * that is no picture. `folder`: from where they are named.
 */
export function unusableFiles(name: string, text: string, profile: Profile, folder: string): ProfileError[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines })
  const at = (path: readonly PathKey[], messages: Localized): ProfileError => ({
    ...mistakeOf(name, messages),
    ...positionOf(document, lines, path, 'value'),
    path: pathText(path),
    at: path,
  })
  const isCatalog = statSync(resolve(folder, profile.catalog.file), { throwIfNoEntry: false })?.isFile() === true
  const logo = profile.receipt.logo?.file
  const wrongLogo = logo !== undefined && !isLogo(profile, folder)
  const certificates = profile.lanes.flatMap(({ devices }, index) => {
    const connection = devices.cardTerminal?.connection
    if (connection?.kind !== 'tcp' || isReadable(resolve(folder, connection.certificateFile))) return []
    const path = ['lanes', index, 'devices', 'cardTerminal', 'connection', 'certificateFile']
    return [at(path, fileMessages('profile.certificate', { file: connection.certificateFile }))]
  })
  return [
    ...(isCatalog ? [] : [at(['catalog', 'file'], fileMessages('catalog.noFile'))]),
    ...(wrongLogo ? [at(['receipt', 'logo', 'file'], fileMessages('profile.logo', { file: logo }))] : []),
    ...certificates,
  ]
}

function isLogo(profile: Profile, folder: string): boolean {
  try {
    loadLogo(profile, resolve(folder, 'profile.yaml'))
    return true
  } catch (error) {
    if (error instanceof StartRefusedError) return false
    throw error
  }
}

function isReadable(file: string): boolean {
  try {
    return shortFile(file).byteLength > 0
  } catch {
    return false
  }
}
