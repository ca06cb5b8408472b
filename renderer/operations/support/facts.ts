import type { SupportFile } from '../../../contracts/operations/support.ts'
import { SETTINGS } from '../../../contracts/staff/setting-names.ts'
import type { SupportSection } from '../../../contracts/operations/support-values.ts'
import { LANGUAGES } from '../../../contracts/i18n/languages.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useSettingTexts } from '../../staff/settings/setting-table.tsx'
import { useServicesTexts } from '../status-bar/explain.tsx'
import { useClockTexts } from '../status-bar/status-bar.tsx'
import { STATISTICS } from '../../../contracts/operations/kinds.ts'
import type { Format } from '../../core/i18n/format.ts'
import type { Translate } from '../../core/i18n/message-key.ts'

export function useSupportFacts(file: SupportFile): Readonly<Record<SupportSection, readonly Fact[]>> {
  const i18n = useI18n()
  const { t, format } = i18n
  const central = useServicesTexts()
  const settings = useSettingTexts()
  const { room, queue, settings: changed } = file
  const clock = useClockTexts({ state: room.clock ?? 'right', aheadSeconds: room.aheadSeconds })
  return {
    program: programOf(file, i18n),
    room: [
      [
        t('support.fact.disk'),
        t('support.roomOf', {
          state: t(`terminalPage.roomState.${room.state}`),
          free: format.miles(room.freeMb),
          needed: format.miles(room.neededMb),
        }),
      ],
      [t('support.fact.database'), t('support.megabytes', { size: format.miles(room.databaseMb) })],
      [t('support.fact.logs'), t('support.megabytes', { size: format.miles(room.logsMb) })],
      [t('support.fact.clock'), clock.state],
    ],
    devices: devicesOf(file, i18n),
    queue: [[t('support.fact.central'), central(queue.central ?? 'unknown').state], ...queueOf(file, i18n)],
    connection: connectionOf(file, i18n),
    integrity: integrityOf(file, i18n),
    backups: backupsOf(file, i18n),
    offers: file.offers.lists.map(({ locale, count, fetchedAt, failed }): Fact => [
      LANGUAGES[locale].name,
      [
        t('support.offerList', { count, time: format.dateTime(fetchedAt) }),
        ...(failed === null ? [] : [t(`offersManager.cause.${failed}`)]),
      ].join(' · '),
    ]),
    settings: [
      ...changed.changed.map(({ name, value }): Fact => {
        const { form } = SETTINGS[name]
        const whole = typeof value === 'number' && form.as === 'number' ? value * form.times : value
        return [settings.nameOf(name), whole === null ? t('support.notTold') : settings.valueOf(name, whole)]
      }),
      [t('support.fact.planned'), format.miles(changed.planned)],
    ],
    errors: errorsOf(file, i18n),
    log: logOf(file, i18n),
  }
}

function programOf({ program }: SupportFile, { t, format }: I18n): Fact[] {
  const { version, store, lane, mode, platform, arch, osVersion, nodeVersion, schema, knownSchema } = program
  const { timeZone, startedAt, uptimeSeconds, stopped } = program
  return [
    [t('support.fact.version'), version],
    [t('support.fact.lane'), [store, lane].filter((one) => one !== null).join(' / ')],
    ...(mode === null ? [] : [[t('support.fact.mode'), t(`support.mode.${mode}`)] as const]),
    [t('support.fact.system'), `${platform} ${arch} ${osVersion}, Node ${nodeVersion}`],
    [t('support.fact.schema'), t('support.schema', { schema, known: knownSchema })],
    ...(timeZone === null ? [] : [[t('support.fact.timeZone'), timeZone] as const]),
    ...(startedAt === null ? [] : [[t('support.fact.startedAt'), format.dateTime(startedAt)] as const]),
    ...(uptimeSeconds === null ? [] : [[t('support.fact.uptime'), format.age(uptimeSeconds * 1_000)] as const]),
    ...(stopped === null ? [] : [[t('support.fact.stopped'), stopped] as const]),
  ]
}

function queueOf({ queue }: SupportFile, { t, format }: I18n): Fact[] {
  return [
    [t('support.fact.waiting'), format.miles(queue.waiting)],
    [t('support.fact.attention'), format.miles(queue.attention)],
    ...queue.operations.map(({ type, state, count, oldestSeconds }): Fact => [
      type === 'offer-state' ? t('support.offerState') : t(`queue.kind.${type}`),
      t('support.calls', {
        count,
        state: state === 'refused' || state === 'lapsed' ? t(`support.endState.${state}`) : t(`queue.states.${state}`),
        age: format.age(oldestSeconds * 1_000),
      }),
    ]),
  ]
}

function connectionOf({ connection }: SupportFile, { t, format }: I18n): Fact[] {
  const { state, since, outagesInWeek, checks } = connection
  const sentence =
    state === null || state === 'unknown' || since === null
      ? t('connection.sentence.unknown')
      : t(`connection.sentence.${state}`, { time: format.dateTime(since) })
  return [
    [t('support.fact.status'), sentence],
    [t('support.fact.outages'), format.miles(outagesInWeek)],
    ...checks.map(({ at, outcome, responseCode, httpStatus, latencyMs, traceId }): Fact => [
      format.dateTime(at),
      [
        t(`echo.outcome.${outcome}`),
        ...(responseCode === null ? [] : [t('connection.code', { code: responseCode })]),
        ...(httpStatus === null ? [] : [`HTTP ${httpStatus}`]),
        ...(latencyMs === null ? [] : [t('connection.ms', { ms: format.miles(latencyMs) })]),
        t('connection.trace', { trace: traceId }),
      ].join(' · '),
    ]),
  ]
}

function integrityOf({ integrity }: SupportFile, { t, format }: I18n): Fact[] {
  const { verifiedAt, broken } = integrity
  if (verifiedAt === null) return [[t('support.fact.verified'), t('support.never')]]
  return [
    [t('support.fact.verified'), format.dateTime(verifiedAt)],
    [t('support.fact.result'), broken === null ? t('audit.ok') : t(`audit.cause.${broken}`)],
  ]
}

const PROOFS = { held: 'backups.held', broken: 'backups.broken', none: 'backups.unproved' } as const

function backupsOf({ backups }: SupportFile, { t, format }: I18n): Fact[] {
  const { lastAt, lastOutcome, copies, kept, restoredAt, restoreOutcome, epoch } = backups
  const restored = restoreOutcome === 'restored' ? t('backups.restored') : t('backups.notRestored')
  return [
    [
      t('support.fact.lastBackup'),
      lastAt === null || lastOutcome === null
        ? t('support.never')
        : `${t(`terminalPage.backupOutcome.${lastOutcome}`)}, ${format.dateTime(lastAt)}`,
    ],
    ...(copies === null ? [] : [[t('support.fact.copies'), t(`backups.copy.${copies}`)] as const]),
    ...kept.map(({ kind, count, newestAt, newestProof }): Fact => [
      t(`backups.kind.${kind}`),
      t('support.backupsKept', { count, time: format.dateTime(newestAt), proof: t(PROOFS[newestProof]) }),
    ]),
    ...(restoredAt === null
      ? []
      : [[t('support.fact.restored'), `${restored}, ${format.dateTime(restoredAt)}`] as const]),
    [t('support.fact.epoch'), format.miles(epoch)],
  ]
}

const NAMES = {
  'card-reader': 'status.cardReader',
  scanner: 'status.scanner',
  printer: 'status.printer',
  drawer: 'status.drawer',
  'line-display': 'status.lineDisplay',
  scale: 'status.scale',
  'card-terminal': 'status.cardTerminal',
} as const
const STATES = {
  ready: 'status.ready',
  connecting: 'status.connecting',
  unavailable: 'status.unavailable',
  'needs-attention': 'status.needsAttention',
  'not-configured': 'status.notConfigured',
} as const
const JOBS = ['confirmed', 'sent', 'unknown', 'failed'] as const

export const devicesOf = ({ devices }: SupportFile, { t }: I18n): Fact[] =>
  (devices?.list ?? []).map(({ role, state, trouble, code, statistics, jobs }): Fact => [
    t(NAMES[role]),
    [
      t(STATES[state]),
      ...(trouble === null ? [] : [t(`devices.trouble.${trouble}`, { holder: 'none' })]),
      ...(code === null ? [] : [code]),
      ...(jobs === null ? [] : JOBS.map((job) => t(`devices.jobs.${job}`, { count: jobs[job] }))),
      ...STATISTICS.flatMap((name) => {
        const count = statistics[name]
        return count === undefined ? [] : [t(`devices.count.${name}`, { count })]
      }),
    ].join(' · '),
  ])

export const errorsOf = ({ errors }: SupportFile, { t, format }: I18n): Fact[] =>
  errors.counts.map(({ level, message, count, lastAt }): Fact => [
    `${t(`support.level.${level}`)} · ${message ?? t('support.unknownMessage')}`,
    t('support.times', { count: format.miles(count), time: format.dateTime(lastAt) }),
  ])

export function logOf({ log }: SupportFile, { t, format }: I18n): Fact[] {
  const { lines, unreadable, unknownMessages, droppedFields, entries } = log
  return [
    [t('support.fact.lines'), format.miles(lines)],
    [t('support.fact.unreadable'), format.miles(unreadable)],
    [t('support.fact.unknownMessages'), format.miles(unknownMessages)],
    [t('support.fact.droppedFields'), format.miles(droppedFields)],
    ...entries
      .toReversed()
      .map(({ at, level, message, ...facts }): Fact => [
        `${format.dateTime(at)} · ${t(`support.level.${level}`)}`,
        [
          message ?? t('support.unknownMessage'),
          ...Object.entries(facts).map(([name, fact]) => `${name} ${fact}`),
        ].join(' · '),
      ]),
  ]
}

export type Fact = readonly [name: string, value: string]

export interface I18n {
  readonly t: Translate
  readonly format: Format
}
