import { dirname, resolve } from 'node:path'
import type { ProfileCheckAnswer, ProfileCheckRequest, ProfileMistake } from '../../../contracts/core/profile-check.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import { type ScanCodes, scanCodesOf, scanReach } from '../../core/scan-codes.ts'
import { type CatalogError, stageCatalog } from '../../catalog/editions/load.ts'
import { openStaging } from '../../catalog/editions/staging.ts'
import { fileMessages } from '../../core/i18n.ts'
import type { CatalogNames } from '../../core/profile/profile-checks.ts'
import {
  type ProfileError,
  dataOf,
  mistakeOf,
  parseSettings,
  pathText,
  readSettings,
} from '../../core/profile/profile-file.ts'
import { checkCatalogNames, loadProfileText } from '../../core/profile/profile.ts'
import { readTable } from './table.ts'
import { statSync } from 'node:fs'
import { LineCounter, parseDocument } from 'yaml'
import type { Localized } from '../../../contracts/core/locales.ts'
import { StartRefusedError } from '../../core/program/data-folder.ts'
import { loadLogo } from '../../core/paper/images.ts'
import { type PathKey, positionOf } from '../../core/profile/profile-issues.ts'
import { shortFile } from '../../core/text-file.ts'

/**
 * Answers requests of the scripts about profiles and their files. Reads a catalog only once, also if several stores use
 * it.
 */
export function createProfileChecker(): { answer(request: ProfileCheckRequest): ProfileCheckAnswer } {
  const catalogs = new Map<string, Catalog>()
  const catalogOf = (file: string, { timeZone, ...profile }: Profile): Catalog => {
    const scanCodes = scanCodesOf(profile)
    const key = JSON.stringify([file, timeZone, scanCodes])
    const known = catalogs.get(key) ?? readCatalog(file, timeZone, scanCodes)
    catalogs.set(key, known)
    return known
  }

  const profileMistakes = (
    name: string,
    text: string,
    catalogFile: (profile: Profile) => string | null,
    filesIn: string | null = null,
  ): ProfileMistake[] => {
    const loaded = loadProfileText(name, text)
    if ('errors' in loaded) return loaded.errors.map(mistake)
    const unusable = filesIn === null ? [] : unusableFiles(name, text, loaded.profile, filesIn)
    if (unusable.length > 0) return unusable.map(mistake)
    const file = catalogFile(loaded.profile)
    if (file === null) return []
    const catalog = catalogOf(file, loaded.profile)
    if ('mistakes' in catalog) return catalog.mistakes
    return checkCatalogNames(name, loaded.profile, catalog.names, text).map(mistake)
  }

  return {
    answer(request) {
      switch (request.kind) {
        case 'store': {
          const { file } = request
          const read = readSettings(file)
          if ('errors' in read) return answered(read.errors.map(mistake))
          const folder = dirname(file)
          return answered(profileMistakes(file, read.text, ({ catalog }) => resolve(folder, catalog.file), folder))
        }
        case 'profile':
          return answered(profileMistakes(request.name, request.text, () => request.catalog, request.folder))
        case 'layer':
          return answered(layerMistakes(request.file).map(mistake))
        case 'table':
          return readTable(request.file)
      }
    },
  }
}

const answered = (mistakes: ProfileMistake[]): ProfileCheckAnswer => ({ mistakes, rows: [] })
const mistake = (error: ProfileError): ProfileMistake => ({ ...error, at: [...error.at] })

function layerMistakes(file: string): ProfileError[] {
  const read = readSettings(file)
  if ('errors' in read) return read.errors
  const settings = parseSettings(file, read.text)
  if ('errors' in settings) return settings.errors
  return dataOf(settings.document) === null ? [mistakeOf(file, fileMessages('profile.aliases'))] : []
}

type Catalog = { readonly names: CatalogNames } | { readonly mistakes: ProfileMistake[] }

function readCatalog(file: string, timeZone: string, scanCodes: ScanCodes): Catalog {
  const staging = openStaging()
  try {
    const staged = stageCatalog(file, staging, { timeZone, isReachable: scanReach(scanCodes) })
    if ('errors' in staged) return { mistakes: staged.errors.map(catalogMistake) }
    const [skus, departments, categories] = [new Set<string>(), new Set<string>(), new Set<string>()]
    for (const item of staging.alphabetical()) {
      skus.add(item.sku)
      departments.add(item.departmentId)
      if (item.categoryId !== null) categories.add(item.categoryId)
    }
    const names = {
      hasSku: (sku: string) => skus.has(sku),
      hasDepartment: (id: string) => departments.has(id),
      hasCategory: (id: string) => categories.has(id),
    }
    return { names }
  } finally {
    staging.close()
  }
}

/** The column is null, because the message names it. */
const catalogMistake = ({ file, line, messages }: CatalogError): ProfileMistake => ({
  file,
  line,
  column: null,
  path: '',
  at: [],
  what: 'value',
  messages,
})

/**
 * Reports files that a valid profile names and that cannot be used: a missing catalog or certificate, an invalid logo.
 * `folder`: base of relative paths.
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
