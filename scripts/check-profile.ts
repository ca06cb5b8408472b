import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/**
 * The backend's own readers, in a process of their own: what the lane will refuse is refused here, in the same words.
 */
const CHECK = `
const [profileReader, catalogReader, stagingOpener, file] = process.argv.slice(1)
const refuse = (words) => { console.error(words); process.exit(2) }
const { loadProfile, formatProfileErrors, checkCatalogNames } = await import(profileReader)
const loaded = loadProfile(file)
if ('errors' in loaded) refuse(formatProfileErrors(loaded.errors))
const { stageCatalog, formatCatalogErrors } = await import(catalogReader)
const { openStaging } = await import(stagingOpener)
const { dirname, resolve } = await import('node:path')
const staging = openStaging()
const { catalog, timeZone } = loaded.profile
const staged = stageCatalog(resolve(dirname(file), catalog.file), staging, { timeZone })
if ('errors' in staged) refuse(formatCatalogErrors(staged.errors))
const [skus, departments, categories] = [new Set(), new Set(), new Set()]
for (const item of staging.alphabetical()) {
  skus.add(item.sku)
  departments.add(item.departmentId)
  categories.add(item.categoryId)
}
staging.close()
const unknown = checkCatalogNames(file, loaded.profile, {
  hasSku: (sku) => skus.has(sku),
  hasDepartment: (id) => departments.has(id),
  hasCategory: (id) => categories.has(id),
})
if (unknown.length > 0) refuse(formatProfileErrors(unknown))
`
const READERS = [
  '../backend/profile.ts',
  '../backend/features/catalog/load.ts',
  '../backend/features/catalog/staging.ts',
].map((file) => new URL(file, import.meta.url).href)

/** Null when the profile and its catalog are good, else everything that is wrong with them, a line each. */
export function checkProfile(file: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--input-type=module', '--eval', CHECK, '--', ...READERS, file],
      { cwd: fileURLToPath(new URL('..', import.meta.url)) },
      (error, _stdout, stderr) => {
        if (error === null) resolve(null)
        else
          resolve(
            error.code === 2 ? stderr.trim() : `The profile could not be checked: ${stderr.trim() || error.message}`,
          )
      },
    )
  })
}
