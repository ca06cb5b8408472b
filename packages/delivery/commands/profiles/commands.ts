import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { languageTyped } from '../../../../contracts/core/command-line.ts'
import { FIRST_LOCALE, localeNamed, LOCALES } from '../../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../../contracts/core/locales.ts'
import type { ProfileChecker } from '../check-profile.ts'
import { MistypedError, readArgs, systemErrorText } from '../../../../scripts/command-line.ts'
import { BASE, isChain, readChain } from './chain.ts'
import { checkStores } from './check-stores.ts'
import { chainDifferences, compared, storeDifferences } from './differences.ts'
import { createMistakes } from './mistakes.ts'
import { openProfileFolder, refusedFolder } from './render.ts'
import { SCHEMA_FILES } from './chain-schema.ts'
import { localized } from './settings.ts'

export interface CommandLine {
  readonly checker: ProfileChecker
  print(text: string): void
  printError(text: string): void
  readonly progress?: (text: string) => void
}

const HELP = `npm run milepost -- profiles COMMAND

  check FOLDER               checks every store of the chain in FOLDER and lists all mistakes
  render FOLDER --out OUT    writes the profile of each valid store to OUT/<store id>.yaml, with its files
  diff A B                   lists differing settings; A and B are two chains' folders, or two stores:
                             FOLDER/<store id>, or a profile's file
  schema                     writes the schemas for editors from the program's own
  --language CODE            ${LOCALES.join(' or ')} for mistakes (default: ${FIRST_LOCALE})

Exit codes: 0 for success, 1 if a store has mistakes, 2 if the command cannot run.
`

class Refusal extends Error {}

interface Options {
  readonly command: string
  readonly names: readonly string[]
  readonly out: string | null
  readonly locale: Locale
}

function readOptions(args: readonly string[]): Options {
  const refuse = (message: string): never => {
    throw new Refusal(`${message}\n\n${HELP}`)
  }
  let read
  try {
    read = readArgs(args, { texts: 'out language', words: true })
  } catch (error) {
    if (!(error instanceof MistypedError)) throw error
    return refuse(error.messages[languageTyped(args)])
  }
  const { values, words: typed, help } = read
  const [command, ...names] = help ? ['help'] : typed
  const locale = values.language === undefined ? FIRST_LOCALE : localeNamed(values.language)
  if (command === undefined) return refuse('Give a command.')
  if (locale === undefined)
    return refuse(`There is no language ${values.language}. Choose one of: ${LOCALES.join(', ')}.`)
  return { command, names, out: values.out ?? null, locale }
}

async function checkOrRender(
  folder: string,
  { out, locale }: Options,
  { checker, print, printError, progress }: CommandLine,
): Promise<number> {
  if (!isChain(folder)) throw new Refusal(`${folder} has no ${BASE}. Name the folder of a chain (docs/profile.md).`)
  const refused = out === null ? null : refusedFolder(out)
  if (refused !== null) throw new Refusal(refused)
  const chain = await readChain(folder, checker)
  if (chain.storeIds.length === 0)
    throw new Refusal(`${folder} has no store yet. Write stores/<store id>.yaml, or a row of stores.csv.`)
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
    progress?.(`${done} of ${chain.storeIds.length} stores`)
  }
  progress?.('')
  for (const line of mistakes.lines(locale)) printError(line)
  const old = target?.tidy() ?? 0
  const count = chain.storeIds.length
  print(`${count} stores: ${good} valid, ${count - good} with mistakes (${mistakes.count} in all).`)
  if (out !== null) print(`Profiles in ${out}: ${good}${old === 0 ? '' : `; removed ${old} old profiles`}.`)
  return mistakes.count === 0 ? 0 : 1
}

async function diff({ names, locale }: Options, { checker, print }: CommandLine): Promise<number> {
  const [a = '', b = ''] = names
  const [before, after] = [await compared(a, checker, locale), await compared(b, checker, locale)]
  for (const side of [before, after]) if (side.kind === 'wrong') throw new Refusal(side.message)
  if (before.kind === 'chain' && after.kind === 'chain')
    print(chainDifferences(before.chain, after.chain, locale).join('\n'))
  else if (before.kind === 'store' && after.kind === 'store')
    print(storeDifferences(before.settings, after.settings, locale).join('\n'))
  else throw new Refusal(localized('chain.likeWithLike')[locale])
  return 0
}

function writeSchemas({ print }: CommandLine): number {
  for (const { file, text } of SCHEMA_FILES) {
    writeFileSync(file, text())
    print(`${path.relative('.', file)}: ${readFileSync(file).byteLength} bytes`)
  }
  return 0
}

async function run(options: Options, line: CommandLine): Promise<number> {
  const { command, names, out } = options
  const [folder] = names
  if (command === 'schema' && names.length === 0) return writeSchemas(line)
  if (command === 'diff' && names.length === 2) return diff(options, line)
  const complete = folder !== undefined && names.length === 1
  if (complete && command === 'check') return checkOrRender(folder, { ...options, out: null }, line)
  if (complete && command === 'render' && out !== null) return checkOrRender(folder, options, line)
  if (command !== 'help') throw new Refusal(`The command is incomplete: ${[command, ...names].join(' ')}\n\n${HELP}`)
  line.print(HELP)
  return 0
}

export async function runProfiles(args: readonly string[], line: CommandLine): Promise<number> {
  try {
    return await run(readOptions(args), line)
  } catch (error) {
    // File system errors, such as a missing write permission, are printed unchanged.
    const language = languageTyped(args)
    const message =
      error instanceof MistypedError
        ? error.messages[language]
        : error instanceof Refusal
          ? error.message
          : systemErrorText(error)?.[language]
    if (message === undefined) throw error
    line.printError(message)
    return 2
  }
}
