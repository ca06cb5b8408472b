import { dirname, resolve } from 'node:path'
import type { ProfileCheckAnswer, ProfileCheckRequest, ProfileMistake } from '../../contracts/profile-check.ts'
import type { Profile } from '../../contracts/profile.ts'
import { scanCodesOf, scanReach, type ScanCodes } from '../domain/scan-reach.ts'
import { stageCatalog, type CatalogError } from '../features/catalog/load.ts'
import { openStaging } from '../features/catalog/staging.ts'
import { fileMessages } from '../i18n.ts'
import type { CatalogNames } from '../profile-checks.ts'
import { dataOf, mistakeOf, parseSettings, readSettings, type ProfileError } from '../profile-file.ts'
import { checkCatalogNames, loadProfileText } from '../profile.ts'
import { unusableFiles } from './named-files.ts'
import { readTable } from './table.ts'

/** Answers what the scripts ask of profiles and of the files around them. A catalog is read once for all its stores. */
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

/** What keeps a file from being read as settings, whatever they are. */
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

/** The words of a value's mistake begin with its column. */
const catalogMistake = ({ file, line, messages }: CatalogError): ProfileMistake => ({
  file,
  line,
  column: null,
  path: '',
  at: [],
  what: 'value',
  messages,
})
