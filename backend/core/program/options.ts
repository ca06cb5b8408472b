import { resolve } from 'node:path'
import { z } from 'zod'
import {
  CommandLineError,
  languageTyped,
  languageValue,
  readCommandLine,
  type CommandLine,
  type Declared,
} from '../../../contracts/core/command-line.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import { localeNamed } from '../../../contracts/i18n/languages.ts'
import { translate } from '../i18n.ts'
import { EXIT, StartRefusedError } from './data-folder.ts'

export interface BackendOptions {
  readonly profile: string
  readonly data: string
  readonly lane: string | null
  readonly listen:
    | { readonly kind: 'tcp'; readonly port: number; readonly orAnother: boolean }
    | { readonly kind: 'socket'; readonly path: string }
  readonly central: z.infer<typeof CentralAddress> | null
  readonly staticRoot: string | null
  readonly exitWithStdin: boolean
  readonly logLevel: string
}

export const CentralAddress = z.object({
  url: z.url(),
  tokenUrl: z.url(),
  memberSignInUrl: z.url().optional(),
  revocationUrl: z.url().optional(),
  issuer: z.url().optional(),
  controlUrl: z.url().nullish(),
  clientId: z.string().min(1),
  clientSecret: z.string().optional(),
})

export const USAGE = `npx node backend/main.ts --profile FILE --data FOLDER [options]

  --profile FILE      the store profile (YAML)
  --data FOLDER       the data that the terminal must not lose: database, keys, backups
  --lane ID           the lane of the profile (default: the first)
  --port N            listen on 127.0.0.1:N (default 0: any free port)
  --or-another-port   use any free port if another program uses that one
  --socket PATH       listen on a Unix socket or named pipe instead
  --central-json JSON address of the reference services (training): url, tokenUrl, clientId, and more
  --static FOLDER     the built screens
  --exit-with-stdin   stop when standard input ends
  --log-level LEVEL   error, warn, info (default) or debug

  MILEPOST_CLIENT_SECRET  secret for the token service; MILEPOST_SEAL_KEY  32 bytes in base64 from the key store`

const LOG_LEVELS: readonly string[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Parses a command line, in English by default. Throws StartRefusedError with the usage for the first mistake. */
export function readCommand<
  const Texts extends string,
  const Flags extends string = never,
  const Wholes extends string = never,
>(
  argv: readonly string[],
  declared: Declared<Texts, Flags, never, Wholes>,
  usage: string,
  messageOf = ({ message }: CommandLineError): string => message,
): CommandLine<Texts, Flags, never, Wholes> {
  try {
    return readCommandLine(argv, declared)
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error
    throw new StartRefusedError(`${messageOf(error)}\n\n${usage}`, EXIT.badArguments)
  }
}

/** Parses an installer's CLI command in the language of its `--language`. Throws StartRefusedError with the usage. */
export function readInstallerCommand<const Texts extends string, const Flags extends string = never>(
  argv: readonly string[],
  declared: Declared<Texts, Flags, never, never>,
  usageIn: (locale: Locale) => string,
) {
  const locale = languageTyped(argv)
  const [t, usage] = [translate(locale), usageIn(locale)]
  const read = readCommand(argv, declared, usage, ({ key, values }) =>
    key === 'unknownOption' || key === 'valueMissing'
      ? t(`installer.commandLine.${key}`, values)
      : t(`files.command.${key}`, values),
  )
  const language = read.help ? undefined : languageValue(argv)
  if (language !== undefined && localeNamed(language) === undefined)
    throw new StartRefusedError(`${t('installer.commandLine.language', { language })}\n\n${usage}`, EXIT.badArguments)
  return { ...read, locale }
}

/** Parses the options of the program. Throws StartRefusedError with the usage for invalid ones. */
export function parseOptions(argv: readonly string[]): BackendOptions {
  const refuse = (message: string): never => {
    throw new StartRefusedError(`${message}\n\n${USAGE}`, EXIT.badArguments)
  }
  const { values } = readCommand(
    argv,
    {
      texts: 'profile data lane socket central-json static log-level',
      flags: 'or-another-port exit-with-stdin',
      numbers: { port: [0, 65_535] },
    },
    USAGE,
  )
  const {
    profile,
    data,
    port,
    socket,
    static: staticRoot,
    'central-json': central,
    'log-level': logLevel = 'info',
  } = values
  if (profile === undefined || data === undefined) return refuse('give --profile and --data')
  if (port !== undefined && socket !== undefined) return refuse('give either --port or --socket, not both')
  if (!LOG_LEVELS.includes(logLevel))
    return refuse(`--log-level must be one of ${LOG_LEVELS.join(', ')}, not ${logLevel}`)
  return {
    profile,
    data,
    lane: values.lane ?? null,
    listen:
      socket === undefined
        ? { kind: 'tcp', port: port ?? 0, orAnother: values['or-another-port'] }
        : { kind: 'socket', path: socket },
    central: central === undefined ? null : parseCentral(central, refuse),
    staticRoot: staticRoot === undefined ? null : resolve(staticRoot),
    exitWithStdin: values['exit-with-stdin'],
    logLevel,
  }
}

function parseCentral(json: string, refuse: (message: string) => never): z.infer<typeof CentralAddress> {
  try {
    return CentralAddress.parse(JSON.parse(json))
  } catch {
    return refuse('--central-json must be the address of the reference services: {"url":…,"tokenUrl":…,"clientId":…}')
  }
}
