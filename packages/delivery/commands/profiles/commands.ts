import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { languageTyped } from '../../../../contracts/core/command-line.ts'
import { FIRST_LOCALE, localeNamed, LOCALES } from '../../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../../contracts/core/locales.ts'
import type { ProfileChecker } from '../check-profile.ts'
import { MistypedError, readArgs, systemWords } from '../../../../scripts/command-line.ts'
import { BASE, isChain, readChain } from './chain.ts'
import { checkStores } from './check-stores.ts'
import { chainDifferences, compared, storeDifferences } from './differences.ts'
import { createMistakes } from './mistakes.ts'
import { openProfileFolder, refusedFolder } from './render.ts'
import { SCHEMA_FILES } from './chain-schema.ts'
import { words } from './settings.ts'

/** Where a command speaks, and who answers it of profiles. */
export interface CommandLine {
  readonly checker: ProfileChecker
  say(text: string): void
  complain(text: string): void
  /** How far it is; nothing at its end. Left out where nobody watches. */
  readonly progress?: (text: string) => void
}

const HELP = `npm run milepost -- profiles COMMAND

  check FOLDER               checks every store of the chain in FOLDER, and tells every mistake
  render FOLDER --out OUT    writes the profile of each good store to OUT/<store id>.yaml, with the files it names
  diff A B                   what differs, setting by setting; A and B are two chains' folders, or two stores:
                             FOLDER/<store id>, or the file of a profile
  schema                     writes the schemas for editors anew, from the program's own
  --language LANGUAGE        the language of mistakes: ${LOCALES.join(', ')} (default: ${FIRST_LOCALE})

Ends with 0; with 1 where something is wrong with a store; with 2 where the command cannot be done.
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
  if (command === undefined) return refuse('Say what to do.')
  if (locale === undefined) return refuse(`There is no language ${values.language}: ${LOCALES.join(', ')}.`)
  return { command, names, out: values.out ?? null, locale }
}

/** Checks every store, and hands the good ones' profiles to `out` where one is given. */
async function checkOrRender(
  folder: string,
  { out, locale }: Options,
  { checker, say, complain, progress }: CommandLine,
): Promise<number> {
  if (!isChain(folder)) throw new Refusal(`${folder} has no ${BASE}: name the folder of a chain (docs/profile.md).`)
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
    progress?.(`${done} of ${chain.storeIds.length} stores`)
  }
  progress?.('')
  for (const line of mistakes.lines(locale)) complain(line)
  const old = target?.tidy() ?? 0
  const count = chain.storeIds.length
  say(`${count} stores: ${good} good, ${count - good} with mistakes (${mistakes.count} in all).`)
  if (out !== null) say(`Profiles in ${out}: ${good}${old === 0 ? '' : `; ${old} old ones were removed`}.`)
  return mistakes.count === 0 ? 0 : 1
}

async function diff({ names, locale }: Options, { checker, say }: CommandLine): Promise<number> {
  const [a = '', b = ''] = names
  const [before, after] = [await compared(a, checker, locale), await compared(b, checker, locale)]
  for (const side of [before, after]) if (side.kind === 'wrong') throw new Refusal(side.message)
  if (before.kind === 'chain' && after.kind === 'chain')
    say(chainDifferences(before.chain, after.chain, locale).join('\n'))
  else if (before.kind === 'store' && after.kind === 'store')
    say(storeDifferences(before.settings, after.settings, locale).join('\n'))
  else throw new Refusal(words('chain.likeWithLike')[locale])
  return 0
}

function writeSchemas({ say }: CommandLine): number {
  for (const { file, text } of SCHEMA_FILES) {
    writeFileSync(file, text())
    say(`${path.relative('.', file)}: ${readFileSync(file).byteLength} bytes`)
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
  if (command !== 'help') throw new Refusal(`This is no complete command: ${[command, ...names].join(' ')}\n\n${HELP}`)
  line.say(HELP)
  return 0
}

/** Does what the words of a command line ask for. Answers the exit code. */
export async function runProfiles(args: readonly string[], line: CommandLine): Promise<number> {
  try {
    return await run(readOptions(args), line)
  } catch (error) {
    // What the system refuses, such as a folder that may not be written to, it says itself.
    const language = languageTyped(args)
    const told =
      error instanceof MistypedError
        ? error.messages[language]
        : error instanceof Refusal
          ? error.message
          : systemWords(error)?.[language]
    if (told === undefined) throw error
    line.complain(told)
    return 2
  }
}
