import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { FIRST_LOCALE, localeNamed, LOCALES } from '../contracts/i18n/languages.ts'
import type { Locale } from '../contracts/locales.ts'
import { startProfileChecker, type ProfileChecker } from './check-profile.ts'
import { BASE, isChain, readChain } from './profiles/chain.ts'
import { checkStores } from './profiles/check-stores.ts'
import { chainDifferences, compared, storeDifferences } from './profiles/diff.ts'
import { createMistakes } from './profiles/mistakes.ts'
import { openProfileFolder, refusedFolder } from './profiles/render.ts'
import { SCHEMA_FILES } from './profiles/schema-files.ts'

/** `npm run profiles`: the profiles of many stores from one folder of settings (docs/install.md, “For a chain”). */
const HELP = `npm run profiles -- COMMAND

  check FOLDER               checks every store of the chain in FOLDER, and tells every mistake
  render FOLDER --out OUT    writes the profile of each good store to OUT/<store id>.yaml, with the files it names
  diff A B                   what differs, setting by setting; A and B are two chains' folders, or two stores:
                             FOLDER/<store id>, or the file of a profile
  schema                     writes the schemas for editors anew, from the program's own
  --language LANGUAGE        the language of mistakes: ${LOCALES.join(', ')} (default: ${FIRST_LOCALE})

Ends with 0; with 1 where something is wrong with a store; with 2 where the command cannot be done.
`

class Refusal extends Error {}

function readOptions(): { command: string; names: string[]; out: string | null; locale: Locale } {
  const refuse = (message: string): never => {
    throw new Refusal(`${message}\n\n${HELP}`)
  }
  let read
  try {
    read = parseArgs({
      allowPositionals: true,
      options: { out: { type: 'string' }, language: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    })
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
  const { values, positionals } = read
  const [command, ...names] = values.help === true ? ['help'] : positionals
  const locale = values.language === undefined ? FIRST_LOCALE : localeNamed(values.language)
  if (command === undefined) return refuse('Say what to do.')
  if (locale === undefined) return refuse(`There is no language ${values.language}: ${LOCALES.join(', ')}.`)
  return { command, names, out: values.out ?? null, locale }
}

/** Checks every store, and hands the good ones' profiles to `out` where one is given. */
async function checkOrRender(folder: string, out: string | null, checker: ProfileChecker, locale: Locale) {
  if (!isChain(folder)) throw new Refusal(`${folder} has no ${BASE}: name the folder of a chain (docs/install.md).`)
  const refused = out === null ? null : refusedFolder(out)
  if (refused !== null) throw new Refusal(refused)
  const chain = await readChain(folder, checker)
  if (chain.storeIds.length === 0)
    throw new Refusal(`${folder} has no store yet: write stores/<store id>.yaml, or a row of stores.csv.`)
  const target = out === null ? null : openProfileFolder(out)
  const mistakes = createMistakes(chain)
  for (const mistake of chain.mistakes) mistakes.add(mistake, null)
  let good = 0
  let done = 0
  for await (const store of checkStores(chain, checker)) {
    for (const mistake of store.mistakes) mistakes.add(mistake, store.id)
    if (store.profile !== null) good += 1
    target?.put(store)
    done += 1
    if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${chain.storeIds.length} stores`)
  }
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  for (const line of mistakes.lines(locale)) console.error(line)
  const old = target?.tidy() ?? 0
  const count = chain.storeIds.length
  console.log(`${count} stores: ${good} good, ${count - good} with mistakes (${mistakes.count} in all).`)
  if (out !== null) console.log(`${good} profiles are in ${out}${old === 0 ? '' : `; ${old} old ones were removed`}.`)
  return mistakes.count === 0 ? 0 : 1
}

async function diff([a = '', b = '']: readonly string[], checker: ProfileChecker, locale: Locale): Promise<number> {
  const [before, after] = [await compared(a, checker, locale), await compared(b, checker, locale)]
  for (const side of [before, after]) if (side.kind === 'wrong') throw new Refusal(side.message)
  if (before.kind === 'chain' && after.kind === 'chain')
    console.log(chainDifferences(before.chain, after.chain, locale).join('\n'))
  else if (before.kind === 'store' && after.kind === 'store')
    console.log(storeDifferences(before.settings, after.settings).join('\n'))
  else throw new Refusal('A chain can be compared with a chain, and a store with a store.')
  return 0
}

function writeSchemas(): number {
  for (const { file, text } of SCHEMA_FILES) {
    writeFileSync(file, text())
    console.log(`${path.relative('.', file)}: ${readFileSync(file).byteLength} bytes`)
  }
  return 0
}

async function run(): Promise<number> {
  const { command, names, out, locale } = readOptions()
  const checker = startProfileChecker()
  try {
    const [folder] = names
    if (command === 'help') process.stdout.write(HELP)
    else if (command === 'schema' && names.length === 0) return writeSchemas()
    else if (command === 'diff' && names.length === 2) return await diff(names, checker, locale)
    else if (command === 'check' && names.length === 1 && folder !== undefined)
      return await checkOrRender(folder, null, checker, locale)
    else if (command === 'render' && names.length === 1 && folder !== undefined && out !== null)
      return await checkOrRender(folder, out, checker, locale)
    else throw new Refusal(`This is no complete command: ${[command, ...names].join(' ')}\n\n${HELP}`)
    return 0
  } finally {
    checker.close()
  }
}

try {
  process.exitCode = await run()
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(error.message)
  process.exitCode = 2
}
