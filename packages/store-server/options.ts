import { isIP } from 'node:net'
import { CommandLineError, readCommandLine } from '../../contracts/core/command-line.ts'
import { localeNamed } from '../../contracts/i18n/languages.ts'
import type { ChangesAction } from './changes/command.ts'
import type { AsideAction } from './lanes/unread.ts'
import type { VouchersAction } from './vouchers/command.ts'
import { METRICS_ACTIONS, type MetricsAction } from './metrics/metrics.routes.ts'
import { mistypedError, refused } from './log.ts'

export const USAGE = `The store server: what the lanes of a store ask over TLS.

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

  --data FOLDER         where its certificate and its keys are; made when missing
  --database URL        the store's PostgreSQL: postgres://USER@HOST:PORT/DATABASE. Several servers may use the same
                        one. The password comes from PGPASSWORD or PGPASSFILE
  --enrolment           serves the enrolment of lanes
  --updates FOLDER      serves updates, as \`npm run milepost updates\` publishes them, and takes lanes' reports
  --update-keys FOLDER  whose channel is believed: the trusted keys, as \`npm run milepost keys\` keeps them. With the
                        private part of one, the server halts a wave by itself; else it holds the channel back
                        (MILEPOST_KEY_PASSPHRASE opens it)
  --update-tokens       takes reports of enrolled lanes alone, each of itself
  --host ADDRESS        address to listen on (default 0.0.0.0)
  --port N              port to listen on (default 8443); 0 takes a free one
  --certificate FILE    its certificate, with what its authority adds, as PEM
  --key FILE            the key of that certificate, as PEM; readable by its owner only
                        (default: server.crt and server.key in the data folder)
  --log-level LEVEL     trace, debug, info, warn, error or silent (default info)
  --exit-with-stdin     stops when standard input closes
  --language CODE       en-CA or fr-CA, for what is said to people; the log stays in English
  --help

migrate brings the tables of the database up to date, as their owner. A server does so itself where its user may.

rebuild, as the owner too, makes what the store shows of all that lanes have told once more: after a new version with a
part that the store did not have, or that reads what the one before could not. Lanes sell on meanwhile as if the server
were away.

archive, as the owner too, moves facts of closed months to a table for each month, and keeps those of the last whole
months (--months, default 13) where they are. Nothing is deleted, and lanes sell on meanwhile.

aside, as the owner too, lists facts that the store could not read. settle takes one out of the count that nobody will
ever read, after a look at the papers of its lane.

changes, as the owner too, lists changes that raise a right, or replace a PIN or badge of a person with rights: each
waits at the other lanes for a manager there. confirm puts one into effect at every lane.

vouchers, as the owner too, lists what was granted of gift cards and store credit and never told, and for which lanes
the store waits after a backup was put back. release makes such an amount worth something again, after a look at the
papers; with STORE/LANE all that lay at a lane which was replaced. without goes on without a lane that is lost for
good. Who and why is kept.

  --by NAME             who says so
  --why TEXT            what was found, for whoever asks later
  --lost                release: also of a lane that was not there since, and will not come; of one that was replaced,
                        before its lease has ended: the old machine is gone, or switched off for good

metrics makes the token by which a Prometheus reads the server and its lanes, or ends it. A running server goes by it.

certificate makes an authority for this store and a server certificate that it signs, and prints the fingerprint of the
authority, which lanes pin. HOST is a name or an address by which lanes reach this machine. The server renews its
certificate by itself; renew does it at once, with other names where --name gives some. A running server uses the new
one within a minute.

  --years N             how long the authority is good (default 20)
`

const LOG_LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent']

export interface ServeCommand {
  readonly command: 'serve'
  readonly data: string
  readonly database: string
  readonly enrolment: boolean
  /** What is published, and the keys of who publishes it; null: no updates are served. */
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
  /** The server certificate is signed again; no authority is made. */
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

export interface AsideCommand {
  readonly command: 'aside'
  readonly database: string
  readonly action: AsideAction
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
  | AsideCommand
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

/** Throws LocalizedError for what cannot be understood. */
export function readOptions(argv: readonly string[]): Command | 'help' {
  const { values, words, help } = readArguments(argv)
  if (help) return 'help'
  const { language } = values
  if (language !== undefined && localeNamed(language) === undefined) throw refused('language', { given: language })
  const [command, ...more] = words
  const action = METRICS_ACTIONS.find((known) => command === 'metrics' && known === more[0])
  const isRenewal = command === 'certificate' && more[0] === 'renew'
  const most =
    command === 'vouchers' || command === 'aside' || command === 'changes'
      ? 2
      : action !== undefined || isRenewal
        ? 1
        : 0
  if (!COMMANDS.includes(command) || more.length > most) throw refused('command', { given: words.join(' ') })
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
      ? { command, database, action: asideActionOf(more, values), logLevel }
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
  { lost, ...values }: Said & { readonly lost: boolean },
): VouchersAction {
  if (name === undefined) return { kind: 'list' }
  if (!['release', 'without'].includes(name) || of === '' || more.length > 0) throw refused('vouchersOrder')
  const said = saidOf(values)
  if (name === 'release') {
    const whole = laneNamed(of)
    if (whole !== null) return { kind: 'release-lane', ...whole, ...said, isLaneLost: lost }
    if (!UUID.test(of)) throw refused('drawId', { given: of })
    return { kind: 'release', id: of, ...said, isLaneLost: lost }
  }
  const { store, lane } = laneNamed(of) ?? {}
  if (store === undefined || lane === undefined) throw refused('laneForm', { given: of })
  return { kind: 'without', store, lane: lane === 'unknown' ? '' : lane, ...said }
}

function changesActionOf([name, of = '']: readonly string[], values: Said): ChangesAction {
  if (name === undefined) return { kind: 'list' }
  const [, stream, seq] = FACT.exec(of) ?? []
  if (name !== 'confirm' || stream === undefined) throw refused('changesOrder')
  return { kind: 'confirm', stream, seq: Number(seq), ...saidOf(values) }
}

const FACT = /^([0-9a-f]{32})\/([1-9]\d{0,8})$/

function laneNamed(of: string): { readonly store: string; readonly lane: string } | null {
  const [, store, lane] = /^([^/]+)\/([^/]+)$/.exec(of) ?? []
  return store === undefined || lane === undefined ? null : { store, lane }
}

function asideActionOf([name, of = '']: readonly string[], values: Said): AsideAction {
  if (name === undefined) return { kind: 'list' }
  const [, stream, seq] = FACT.exec(of) ?? []
  if (name !== 'settle' || stream === undefined) throw refused('asideOrder')
  return { kind: 'settle', stream, seq: Number(seq), ...saidOf(values) }
}

interface Said {
  readonly by?: string | undefined
  readonly why?: string | undefined
}

function saidOf({ by, why }: Said): { readonly by: string; readonly why: string } {
  const said = { by: by?.trim() ?? '', why: why?.trim() ?? '' }
  if (said.by === '' || said.why === '') throw refused('noWord')
  return said
}
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A name that no lane would find in a certificate is of no use in it. */
function machineOf(name: string): string {
  if (isIP(name) === 0 && !HOST.test(name)) throw refused('nameForm', { given: name })
  return name
}
const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/i

function levelOf(level: string): string {
  if (!LOG_LEVELS.includes(level)) throw refused('logLevel', { given: level, levels: LOG_LEVELS.join(', ') })
  return level
}
