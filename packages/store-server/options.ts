import { isIP } from 'node:net'
import { CommandLineError, readCommandLine } from '../../contracts/core/command-line.ts'
import { localeNamed } from '../../contracts/i18n/languages.ts'
import type { ChangesAction } from './changes/command.ts'
import type { QuarantineAction } from './lanes/unread.ts'
import type { VouchersAction } from './vouchers/command.ts'
import { METRICS_ACTIONS, type MetricsAction } from './metrics/metrics.routes.ts'
import { mistypedError, refused } from './log.ts'

export const USAGE = `The store server: serves the lanes of a store over TLS.

  npm run milepost -- store --data FOLDER --database URL [options]
  npm run milepost -- store certificate --data FOLDER --name HOST [--name HOST …]
  npm run milepost -- store certificate renew --data FOLDER [--name HOST …]
  npm run milepost -- store migrate --database URL
  npm run milepost -- store rebuild --database URL
  npm run milepost -- store archive [--months N] --database URL
  npm run milepost -- store aside --database URL
  npm run milepost -- store aside settle STREAM/NUMBER --by NAME --why TEXT --database URL
  npm run milepost -- store changes --database URL
  npm run milepost -- store changes confirm STREAM/NUMBER --by NAME --why TEXT --database URL
  npm run milepost -- store vouchers --database URL
  npm run milepost -- store vouchers release ID --by NAME --why TEXT [--lost] --database URL
  npm run milepost -- store vouchers release STORE/LANE --by NAME --why TEXT [--lost] --database URL
  npm run milepost -- store vouchers without STORE/LANE --by NAME --why TEXT --database URL
  npm run milepost -- store metrics on|off|status --data FOLDER

  --data FOLDER         folder of its certificate and keys; created when missing
  --database URL        the store's PostgreSQL: postgres://USER@HOST:PORT/DATABASE. Several servers may use the same
                        one. The password comes from PGPASSWORD or PGPASSFILE
  --enrolment           serves the enrolment of lanes
  --updates FOLDER      serves versions published by \`npm run milepost updates\`, and accepts lanes' reports
  --update-keys FOLDER  trusted keys of the channel, as written by \`npm run milepost keys\`. With the private key of
                        one, the server halts a wave itself; otherwise it holds back the channel
                        (MILEPOST_KEY_PASSPHRASE: passphrase of the private key)
  --update-tokens       accepts reports only from enrolled lanes, each for itself
  --host ADDRESS        address to listen on (default 0.0.0.0)
  --port N              port to listen on (default 8443); 0: a free one
  --certificate FILE    its certificate, with the chain of its authority, as PEM
  --key FILE            the key of that certificate, as PEM; readable by its owner only
                        (default: server.crt and server.key in the data folder)
  --log-level LEVEL     trace, debug, info, warn, error or silent (default info)
  --exit-with-stdin     stop when standard input closes
  --language CODE       en-CA or fr-CA for messages; the log is always in English
  --help

Commands with --database need the owner of the tables as the user in URL; the server itself does not.

migrate brings the tables of the database up to date. A server does this at its start if its user has the right.

rebuild derives everything that the store shows from the facts of the lanes again. Run it after an update that adds a
table or reads facts that the earlier version could not read. During the run lanes sell as if the server were offline.

archive moves facts of closed months to one table per month, and keeps those of the last whole months (--months,
default 13). It deletes nothing, and lanes can sell during the run.

aside lists facts in quarantine, which the store could not read. settle stops counting a fact that no version can read.
Check the documents of its lane first.

changes lists changes that add a right, or replace a PIN or badge of a person with rights: each waits at the other lanes
for a manager. confirm applies one at every lane.

vouchers lists amounts of gift cards and store credit that were granted and never reported, and the lanes that the store
waits for after a restore. release makes such an amount available again; STORE/LANE means all value at a replaced lane.
Check the documents first. without stops waiting for a lane that is permanently lost. Name and reason are stored.

  --by NAME             your name
  --why TEXT            your finding, for later questions
  --lost                release: also for a lane that did not connect since and is permanently lost, or for a replaced
                        lane before the end of its lease, when the old machine is gone or permanently switched off

metrics creates or deletes the token by which Prometheus reads the server and its lanes. A running server applies it.

certificate creates an authority for this store and a server certificate signed by it, and prints the fingerprint of the
authority, which lanes pin. HOST is a name or address by which lanes reach this machine. The server renews its
certificate itself; renew does it now, with new names if --name is given. A running server uses the new certificate
within a minute.

  --years N             validity of the authority (default 20)
`

const LOG_LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent']

export interface ServeCommand {
  readonly command: 'serve'
  readonly data: string
  readonly database: string
  readonly enrolment: boolean
  readonly updates: { readonly folder: string; readonly keys: string; readonly tokens: boolean } | null
  readonly host: string
  readonly port: number
  readonly certificate: string | null
  readonly key: string | null
  readonly logLevel: string
  readonly exitWithStdin: boolean
}

export interface CertificateCommand {
  readonly command: 'certificate'
  readonly data: string
  readonly names: readonly string[]
  readonly years: number
  /** Whether the existing authority renews the server certificate; otherwise a new authority is created. */
  readonly renews: boolean
}

export interface MigrateCommand {
  readonly command: 'migrate'
  readonly database: string
  readonly logLevel: string
}

export interface RebuildCommand {
  readonly command: 'rebuild'
  readonly database: string
  readonly logLevel: string
}

export interface ArchiveCommand {
  readonly command: 'archive'
  readonly database: string
  readonly months: number
  readonly logLevel: string
}

export interface VouchersCommand {
  readonly command: 'vouchers'
  readonly database: string
  readonly action: VouchersAction
  readonly logLevel: string
}

export interface QuarantineCommand {
  readonly command: 'aside'
  readonly database: string
  readonly action: QuarantineAction
  readonly logLevel: string
}

export interface ChangesCommand {
  readonly command: 'changes'
  readonly database: string
  readonly action: ChangesAction
  readonly logLevel: string
}

export interface MetricsCommand {
  readonly command: 'metrics'
  readonly data: string
  readonly action: MetricsAction
}

export type Command =
  | ServeCommand
  | CertificateCommand
  | MigrateCommand
  | RebuildCommand
  | ArchiveCommand
  | QuarantineCommand
  | ChangesCommand
  | VouchersCommand
  | MetricsCommand
const COMMANDS: readonly (string | undefined)[] = [
  undefined,
  'certificate',
  'migrate',
  'rebuild',
  'archive',
  'aside',
  'changes',
  'vouchers',
  'metrics',
]

function readArguments(argv: readonly string[]) {
  try {
    return readCommandLine(argv, {
      texts: 'data database updates update-keys host certificate key log-level by why language',
      mayBeEmpty: 'database name',
      flags: 'enrolment update-tokens exit-with-stdin lost',
      lists: 'name',
      numbers: { port: [0, 65_535], years: [1, 30], months: [1, 1_200] },
      words: true,
    })
  } catch (error) {
    throw error instanceof CommandLineError ? mistypedError(error) : error
  }
}

/** Parses the command line. Throws LocalizedError for invalid input. */
export function readOptions(argv: readonly string[]): Command | 'help' {
  const { values, words: positionals, help } = readArguments(argv)
  if (help) return 'help'
  const { language } = values
  if (language !== undefined && localeNamed(language) === undefined) throw refused('language', { given: language })
  const [command, ...more] = positionals
  const action = METRICS_ACTIONS.find((known) => command === 'metrics' && known === more[0])
  const isRenewal = command === 'certificate' && more[0] === 'renew'
  const most =
    command === 'vouchers' || command === 'aside' || command === 'changes'
      ? 2
      : action !== undefined || isRenewal
        ? 1
        : 0
  if (!COMMANDS.includes(command) || more.length > most) throw refused('command', { given: positionals.join(' ') })
  const logLevel = levelOf(values['log-level'] ?? 'info')
  const database = values.database?.trim() ?? null
  if (database === '') throw refused('databaseEmpty')
  if (command === 'migrate' || command === 'rebuild') {
    if (database === null) throw refused('noDatabase')
    return { command, database, logLevel }
  }
  if (command === 'archive') {
    if (database === null) throw refused('noDatabase')
    return { command, database, months: values.months ?? 13, logLevel }
  }
  if (command === 'changes') {
    if (database === null) throw refused('noDatabase')
    return { command, database, action: changesActionOf(more, values), logLevel }
  }
  if (command === 'vouchers' || command === 'aside') {
    if (database === null) throw refused('noDatabase')
    return command === 'aside'
      ? { command, database, action: quarantineActionOf(more, values), logLevel }
      : { command, database, action: actionOf(more, values), logLevel }
  }
  const data = values.data?.trim()
  if (!data) throw refused('noData')
  if (command === 'metrics') {
    if (action === undefined) throw refused('metricsOrder')
    return { command, data, action }
  }
  if (command === 'certificate') {
    if (values.name.length === 0 && !isRenewal) throw refused('noName')
    return { command, data, names: values.name.map(machineOf), years: values.years ?? 20, renews: isRenewal }
  }
  if ((values.certificate === undefined) !== (values.key === undefined))
    throw refused('together', { option: '--certificate', other: '--key' })
  const { updates, 'update-keys': updateKeys } = values
  if ((updates === undefined) !== (updateKeys === undefined))
    throw refused('together', { option: '--updates', other: '--update-keys' })
  if (database === null) throw refused('noDatabase')
  return {
    command: 'serve',
    data,
    database,
    enrolment: values.enrolment,
    updates:
      updates !== undefined && updateKeys !== undefined
        ? { folder: updates, keys: updateKeys, tokens: values['update-tokens'] }
        : null,
    host: values.host ?? '0.0.0.0',
    port: values.port ?? 8443,
    certificate: values.certificate ?? null,
    key: values.key ?? null,
    logLevel,
    exitWithStdin: values['exit-with-stdin'],
  }
}

function actionOf(
  [name, of = '', ...more]: readonly string[],
  { lost, ...values }: Confirmation & { readonly lost: boolean },
): VouchersAction {
  if (name === undefined) return { kind: 'list' }
  if (!['release', 'without'].includes(name) || of === '' || more.length > 0) throw refused('vouchersOrder')
  const confirmation = confirmationOf(values)
  if (name === 'release') {
    const whole = laneNamed(of)
    if (whole !== null) return { kind: 'release-lane', ...whole, ...confirmation, isLaneLost: lost }
    if (!UUID.test(of)) throw refused('drawId', { given: of })
    return { kind: 'release', id: of, ...confirmation, isLaneLost: lost }
  }
  const { store, lane } = laneNamed(of) ?? {}
  if (store === undefined || lane === undefined) throw refused('laneForm', { given: of })
  return { kind: 'without', store, lane: lane === 'unknown' ? '' : lane, ...confirmation }
}

function changesActionOf([name, of = '']: readonly string[], values: Confirmation): ChangesAction {
  if (name === undefined) return { kind: 'list' }
  const [, stream, seq] = FACT.exec(of) ?? []
  if (name !== 'confirm' || stream === undefined) throw refused('changesOrder')
  return { kind: 'confirm', stream, seq: Number(seq), ...confirmationOf(values) }
}

const FACT = /^([0-9a-f]{32})\/([1-9]\d{0,8})$/

function laneNamed(of: string): { readonly store: string; readonly lane: string } | null {
  const [, store, lane] = /^([^/]+)\/([^/]+)$/.exec(of) ?? []
  return store === undefined || lane === undefined ? null : { store, lane }
}

function quarantineActionOf([name, of = '']: readonly string[], values: Confirmation): QuarantineAction {
  if (name === undefined) return { kind: 'list' }
  const [, stream, seq] = FACT.exec(of) ?? []
  if (name !== 'settle' || stream === undefined) throw refused('asideOrder')
  return { kind: 'dismiss', stream, seq: Number(seq), ...confirmationOf(values) }
}

interface Confirmation {
  readonly by?: string | undefined
  readonly why?: string | undefined
}

function confirmationOf({ by, why }: Confirmation): { readonly by: string; readonly why: string } {
  const confirmation = { by: by?.trim() ?? '', why: why?.trim() ?? '' }
  if (confirmation.by === '' || confirmation.why === '') throw refused('noWord')
  return confirmation
}
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Parses a host name. Rejects names that lanes cannot match in a certificate. */
function machineOf(name: string): string {
  if (isIP(name) === 0 && !HOST.test(name)) throw refused('nameForm', { given: name })
  return name
}
const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i

function levelOf(level: string): string {
  if (!LOG_LEVELS.includes(level)) throw refused('logLevel', { given: level, levels: LOG_LEVELS.join(', ') })
  return level
}
