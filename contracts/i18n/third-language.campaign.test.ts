import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..', '..')
/** The copy is inside the project, so that it finds the packages. */
const COPY = join(ROOT, 'build', 'third-language')
const MESSAGE = 'Error del terminal.'
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')

function typesOf(folder: string, starts: readonly string[]): string {
  const file = join(COPY, folder, 'tsconfig.third.json')
  writeFileSync(file, JSON.stringify({ extends: './tsconfig.json', files: starts, include: [] }))
  // One thread: several would each compute many types again and slow down other tests.
  return spawnSync(process.execPath, [...process.execArgv, TSC, '--singleThreaded', '-p', file], { encoding: 'utf8' })
    .stdout
}

beforeAll(() => {
  rmSync(COPY, { recursive: true, force: true })
  mkdirSync(COPY, { recursive: true })
  for (const part of [
    'backend',
    'contracts',
    'electron',
    'hardware',
    'packages',
    'renderer',
    'stores',
    'package.json',
    'tsconfig.json',
  ])
    cpSync(join(ROOT, part), join(COPY, part), { recursive: true })
  // A third language needs a folder like the others and one line in `all-languages.ts`.
  const languages = join(COPY, 'contracts', 'i18n')
  cpSync(join(languages, 'fr-CA'), join(languages, 'es-MX'), { recursive: true })
  const language = join(languages, 'es-MX', 'language.ts')
  const spanish = readFileSync(language, 'utf8')
    .replace("'Français'", "'Español'")
    .replace("short: 'fr'", "short: 'es'")
    .replace('namesRequired: true', 'namesRequired: false')
  writeFileSync(language, spanish)
  const problems = join(languages, 'es-MX', 'errors.ts')
  writeFileSync(problems, readFileSync(problems, 'utf8').replace(/^ {2}internal:.*$/m, `  internal: '${MESSAGE}',`))
  appendFileSync(join(languages, 'all-languages.ts'), "export { default as 'es-MX' } from './es-MX/language.ts'\n")
})
afterAll(() => rmSync(COPY, { recursive: true, force: true }))

test('the sources pass the type check with a third language that adds only a folder and a line', () => {
  const programs = [
    'backend/main.ts',
    'backend/operations/provision.ts',
    'electron/main.ts',
    'packages/supervisor/launcher/main.ts',
  ]
  expect(typesOf('.', [...programs, 'packages/store-server/main.ts', 'packages/store-server/db/pgpass.d.ts'])).toBe('')
  expect(typesOf('renderer', ['main.tsx', 'core/i18n/messages.d.ts'])).toBe('')
})

test('the backend offers the third language with the existing profiles of stores', () => {
  const asked = `
    import { LANGUAGES, LOCALES, localeAfter, localeNamed } from './contracts/i18n/languages.ts'
    import { nameIn } from './contracts/core/names.ts'
    import { problemMessages } from './backend/core/i18n.ts'
    import { loadProfile } from './backend/core/profile/profile.ts'
    const { profile, errors } = loadProfile('stores/training.yaml')
    console.log(JSON.stringify({
      locales: LOCALES,
      said: problemMessages('internal')['es-MX'],
      named: localeNamed('es'),
      next: localeAfter('fr-CA'),
      button: LANGUAGES['es-MX'].name,
      errors: errors ?? [],
      department: nameIn(profile.catalog.departments[0].name, 'es-MX') !== '',
    }))`
  const said = execFileSync(
    process.execPath,
    [...process.execArgv, '--input-type=module-typescript', '--eval', asked],
    {
      cwd: COPY,
      encoding: 'utf8',
    },
  )
  expect(JSON.parse(said)).toEqual({
    locales: ['en-CA', 'es-MX', 'fr-CA'],
    said: MESSAGE,
    named: 'es-MX',
    next: 'en-CA',
    button: 'Español',
    errors: [],
    department: true,
  })
})

test('a message that the third language lacks is a type error', () => {
  const errors = join(COPY, 'contracts', 'i18n', 'es-MX', 'errors.ts')
  writeFileSync(errors, readFileSync(errors, 'utf8').replace(/^ {2}internal:.*$/m, ''))
  expect(typesOf('.', ['contracts/i18n/languages.ts'])).toContain('es-MX/errors.ts')
})
