import { z } from 'zod'
import { BackupName, Backups, RestoreRequest } from './backups.ts'
import { ConnectionCheck, ConnectionHistory, ConnectionHistoryQuery, ConnectionStatus } from './connection.ts'
import { EchoHistory, EchoResult, Maintenance } from './diagnostics.ts'
import { EnrolmentDone, EnrolmentRequest, EnrolmentStatus } from './enrolment.ts'
import { LastLaneCheck } from './lane-check-page.ts'
import { SupportExport, SupportExportRequest, SupportPreview } from './support.ts'
import { UpdateDecision, Updates } from './updates.ts'
import { routes } from '../core/route.ts'

export const diagnosticsContract = routes('diagnostics', {
  'POST /diagnostics/echo': {
    description: 'Runs ECHO against the cash service now. An outage is a result, not an error.',
    access: 'manager',
    command: 'awaited',
    answer: EchoResult,
  },
  'GET /diagnostics/echo': {
    description: 'The last results of ECHO, newest first.',
    access: 'manager',
    answer: EchoHistory,
  },
  'GET /diagnostics/connection': {
    description: 'Current state of the program’s services, its start, and the last requested check.',
    access: 'manager',
    answer: ConnectionStatus,
  },
  'POST /diagnostics/connection/check': {
    description:
      'Starts a connection check in nine steps, or joins the running one. Moves nothing. The event ' +
      'connection-check-changed reports its steps.',
    access: 'manager',
    command: 'awaited',
    answer: ConnectionCheck,
  },
  'GET /diagnostics/connection/history': {
    description: 'Uptime and response times of a day, a week, a month or a year, with outages.',
    access: 'manager',
    query: ConnectionHistoryQuery,
    answer: ConnectionHistory,
  },
  'GET /diagnostics/lane': {
    description: 'The last check of this lane since its terminal was started, or the state of the running one.',
    access: 'manager',
    answer: LastLaneCheck,
  },
  'POST /diagnostics/lane': {
    description:
      'Starts a check of this computer, its devices and its connection, or joins the running one. Changes ' +
      'nothing. The event lane-check-changed reports its sections.',
    access: 'manager',
    command: 'awaited',
    answer: LastLaneCheck,
  },
  'GET /diagnostics/maintenance': {
    description: 'Whether the clock can be right, the result of the last backup, and the free disk space.',
    answer: Maintenance,
  },
})

export const backupsContract = routes('backups', {
  'GET /backups': { summary: 'The backups, and work in progress', access: 'manager', answer: Backups },
  'POST /backups': { summary: 'Back up now', access: 'manager', answer: Backups },
  'POST /backups/:name/proof': {
    summary: 'Verify a backup',
    access: 'manager',
    params: { name: BackupName },
    answer: Backups,
  },
  'POST /backups/:name/preview': {
    summary: 'Records that a restore of this backup would lose',
    access: 'manager',
    params: { name: BackupName },
    answer: Backups,
  },
  'POST /backups/restore': {
    summary: 'Restore the previewed backup with a manager’s PIN; the terminal restarts',
    access: 'manager',
    body: RestoreRequest,
    answer: Backups,
  },
})

export const supportContract = routes('support', {
  // The command is `awaited`, because a preview is in no table.
  'POST /support-file/previews': {
    summary: 'Preview a support file',
    access: 'manager',
    command: 'awaited',
    answer: SupportPreview,
  },
  'POST /support-file/exports': {
    summary: 'Request the previewed file; recorded in the audit trail',
    access: 'manager',
    body: SupportExportRequest,
    answer: SupportExport,
  },
  'GET /support-file/exports/:number': {
    summary: 'The requested file, once, for the person who requested it',
    access: 'manager',
    params: { number: z.coerce.number().pipe(z.int().min(1)) },
    file: ['application/gzip'],
  },
})

export const enrolmentContract = routes('enrolment', {
  'GET /enrolment': { summary: 'Progress of the enrolment of this lane', access: 'window', answer: EnrolmentStatus },
  // The command is `awaited`, because it waits for the service. A repeated call has no second effect, because an
  // enrolment code works once.
  'POST /enrolment': {
    summary: 'Exchange a one-time code for the client secret and the first PINs of this lane',
    access: 'window',
    command: 'awaited',
    body: EnrolmentRequest,
    answer: EnrolmentDone,
  },
})

export const updatesContract = routes('updates', {
  'GET /updates': {
    summary: 'The running version, the next one, and when it is installed',
    access: 'manager',
    answer: Updates,
  },
  'POST /updates/order': {
    summary: 'Choose when the next version is installed',
    access: 'manager',
    body: UpdateDecision,
    answer: Updates,
  },
})
