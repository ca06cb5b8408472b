import { maskCollectorNumber } from '../../../../contracts/core/ids.ts'
import { STATISTICS } from '../../../../contracts/operations/kinds.ts'
import type { Trouble } from '../../../../contracts/operations/diagnostics.ts'
import { formatThousandths } from '../../../../contracts/catalog/measure-units.ts'
import type { ScaleView } from '../../../../contracts/sales/weighing.ts'
import { LANGUAGES } from '../../../../contracts/i18n/languages.ts'
import type { Locale } from '../../../../contracts/core/locales.ts'
import type { LaneSettings, Profile } from '../../../../contracts/core/profile.ts'
import { troubleOf } from '../../../../hardware/index.ts'
import { type Translate, translate } from '../../../core/i18n.ts'
import type { DeviceReport, LaneDiskSpace, LastRead, PrintState, ToolEvent } from './report.ts'

const LABEL_WIDTH = 17
const INDENT = '    '

const time = (at: number): string => new Date(at).toTimeString().slice(0, 8)

function masked({ kind, last4 }: LastRead): string {
  if (last4 === null) return ''
  return kind === 'program-card' ? maskCollectorNumber(last4) : `…${last4}`
}

function lastReadText(t: Translate, read: LastRead): string {
  // A collector number from a barcode is shown as a scan, not as a card.
  const kind = read.kind === 'program-card' && read.entryMode === 'SCAN' ? 'collector' : read.kind
  return t('installer.readBy', {
    entryMode: read.entryMode,
    what: t(`installer.read.${kind}`, { masked: masked(read) }),
  })
}

function stateOf(t: Translate, { health: { state, position } }: DeviceReport): string {
  return position === undefined
    ? t(`installer.state.${state}`)
    : `${t(`installer.state.${state}`)}, ${t(`installer.position.${position}`)}`
}

function wireOf(t: Translate, { connection }: DeviceReport): string | null {
  switch (connection?.kind) {
    case undefined:
      return null
    case 'serial':
      return t('screens.devices.connection.serial', { path: connection.path, baudRate: String(connection.baudRate) })
    case 'tcp':
      return t('screens.devices.connection.tcp', { host: connection.host, port: String(connection.port) })
    case 'file':
      return t('screens.devices.connection.file', { path: connection.path })
    case 'virtual':
    case 'printer':
      return t(`screens.devices.connection.${connection.kind}`)
  }
}

function identityOf(t: Translate, { identity, health: { trouble } }: DeviceReport): string | null {
  if (identity === null) return null
  const [first] = identity.own
  if (first !== undefined)
    return identity.stable ? first : t('installer.identityOther', { names: identity.own.join(', '), first })
  if (trouble?.kind !== 'not-there' && trouble?.kind !== 'unplugged') return t('installer.identityNone')
  return identity.others.length === 0
    ? t('installer.identityNothing')
    : t('installer.identityAbsent', { names: identity.others.join(', ') })
}

function reasonOf(t: Translate, detail: string | null, trouble: Trouble | null): string | null {
  if (detail === null || trouble === null || trouble.kind === 'other') return detail
  return (
    `${t(`screens.devices.trouble.${trouble.kind}`, { holder: trouble.holder ?? 'none' })}` +
    (trouble.code === null ? '' : ` (${trouble.code})`)
  )
}

function adviceOf(t: Translate, { health: { state, trouble }, connection }: DeviceReport): string | null {
  if (state === 'not-configured') return t('installer.notConfiguredHelp')
  if (trouble === undefined) return null
  if (trouble.kind !== 'in-use') return t(`installer.trouble.${trouble.kind}`)
  if (trouble.holder !== null) return t('installer.trouble.in-use', { holder: trouble.holder })
  return t('installer.trouble.in-use-by-somebody', { path: connection?.kind === 'serial' ? connection.path : '' })
}

const driverOf = (t: Translate, { role, printer, health: { state } }: DeviceReport): string | null =>
  state === 'not-configured'
    ? null
    : t(`installer.driver.${role}`, { language: printer?.language ?? '', columns: String(printer?.columns ?? '') })

function countsOf(t: Translate, { statistics }: DeviceReport): string | null {
  if (statistics === null) return null
  const counted = STATISTICS.flatMap((name) => {
    const count = statistics[name]
    return count === undefined || count === 0 ? [] : [t(`screens.devices.count.${name}`, { count: String(count) })]
  })
  return counted.length === 0 ? t('installer.nothingCounted') : counted.join(' · ')
}

function reportedIdentityOf(t: Translate, { says }: DeviceReport): string | null {
  if (says === null) return null
  const { manufacturerName, modelName, firmwareRevision, serialNumber } = says
  const named = [manufacturerName, modelName].filter((name) => name !== null).join(' ')
  return [
    ...(named === '' ? [] : [named]),
    ...(firmwareRevision === null ? [] : [t('screens.devices.firmware', { firmware: firmwareRevision })]),
    ...(serialNumber === null ? [] : [t('screens.devices.serialNumber', { number: serialNumber })]),
  ].join(' · ')
}

/** Weight or state of a scale, such as `1.235 kg`. */
function weightText(
  t: Translate,
  locale: Locale,
  { state, grossThousandths, decimals, unit, isNet }: ScaleView,
): string {
  if (grossThousandths === null) return t(`screens.weighing.state.${state}`)
  const weight = `${formatThousandths(grossThousandths, decimals, LANGUAGES[locale].paper.decimal)} ${unit}`
  return isNet ? t('screens.weighing.net', { weight }) : weight
}

function deviceLines(t: Translate, locale: Locale, report: DeviceReport): string[] {
  const facts = [
    ['wire', wireOf(t, report)],
    ['identity', identityOf(t, report)],
    ['driver', driverOf(t, report)],
    ['says', reportedIdentityOf(t, report)],
    ['reason', reasonOf(t, report.health.detail, report.health.trouble ?? null)],
    ['advice', adviceOf(t, report)],
    ['counts', countsOf(t, report)],
    ['weight', report.scale && weightText(t, locale, report.scale)],
    ['lastRead', report.lastRead && `${time(report.lastRead.at)}  ${lastReadText(t, report.lastRead)}`],
  ] as const
  return [
    `${t(`installer.role.${report.role}`)} – ${stateOf(t, report)}`,
    ...facts.flatMap(([label, value]) =>
      value === null ? [] : [INDENT + t(`installer.label.${label}`).padEnd(LABEL_WIDTH) + value],
    ),
  ]
}

function testPage(t: Translate, state: PrintState, detail: string | null): string {
  const result = t(`installer.testPage.${state}`)
  const reason = reasonOf(t, detail, troubleOf(detail))
  const why = reason === null || state === 'confirmed' ? '' : ` (${reason})`
  return `${t('installer.testPage.label')} – ${result}${why}`
}

function roomLines(locale: Locale, { folder, freeMb, neededMb, state }: LaneDiskSpace): string[] {
  const t = translate(locale)
  const amounts = { free: freeMb.toLocaleString(locale), needed: neededMb.toLocaleString(locale) }
  const label = t(state === 'enough' ? 'installer.label.room' : 'installer.label.advice').padEnd(LABEL_WIDTH)
  return [
    `${t('screens.terminalPage.room')} – ${t(`screens.terminalPage.roomState.${state}`)}`,
    `${INDENT}${t('installer.label.folder').padEnd(LABEL_WIDTH)}${folder}`,
    `${INDENT}${label}${t(`screens.terminalPage.roomHelp.${state}`, amounts)}`,
  ]
}

/** Formats one line for an event at `now` (epoch ms); `report` is that of the event's device. */
function eventLine(
  t: Translate,
  locale: Locale,
  event: ToolEvent,
  report: DeviceReport | undefined,
  now: number,
): string {
  const change = (role: DeviceReport['role'], text: string): string =>
    t('installer.change', { time: time(now), role: t(`installer.role.${role}`), what: text })
  switch (event.kind) {
    case 'health': {
      if (!report) return ''
      const advice = adviceOf(t, report)
      const reason = reasonOf(t, report.health.detail, report.health.trouble ?? null)
      return change(
        event.role,
        [stateOf(t, report), ...(reason === null ? [] : [`– ${reason}.`]), ...(advice === null ? [] : [advice])].join(
          ' ',
        ),
      )
    }
    case 'read':
      return change(event.role, lastReadText(t, event.read))
    case 'weight':
      return change(event.role, weightText(t, locale, event.scale))
    case 'raw':
      return change(event.role, `${event.hex}   ${event.text}`)
    case 'test-page':
      return `${time(now)}  ${testPage(t, event.state, event.detail)}`
  }
}

export type ToolMessages = ReturnType<typeof toolMessages>

export function toolMessages(
  locale: Locale,
  { store }: Pick<Profile, 'store'>,
  { id: laneId }: Pick<LaneSettings, 'id'>,
) {
  const t = translate(locale)
  return {
    picture(reports: readonly DeviceReport[]): string[] {
      const configured = reports.some(({ health }) => health.state !== 'not-configured')
      return [
        t('installer.heading', { lane: laneId, store: store.id, name: store.name }),
        ...reports.flatMap((report) => ['', ...deviceLines(t, locale, report)]),
        ...(configured ? [] : ['', t('installer.none')]),
      ]
    },
    room: (space: LaneDiskSpace): string[] => roomLines(locale, space),
    leave: t('installer.leave'),
    eventLine: (event: ToolEvent, report: DeviceReport | undefined, now: number): string =>
      eventLine(t, locale, event, report, now),
    noPrinter: t('installer.testPage.none'),
    terminalRuns: (roles: readonly DeviceReport['role'][]): string =>
      t('installer.terminalRuns', { roles: roles.map((role) => t(`installer.role.${role}`)).join(', ') }),
  }
}
