import { z } from 'zod'
import { StaffId } from '../core/ids.ts'
import { Locale } from '../core/locales.ts'
import { AuditExport, AuditExportRequest, AuditPage, AuditQuery, AuditVerification } from './audit.ts'
import {
  LinkRequest,
  RunRequest,
  AssignBadge,
  ChangePerson,
  LaneRun,
  LaunchToken,
  NewPerson,
  OneTimePin,
  OpenedSession,
  OpenSession,
  PeopleList,
  PersonAdded,
  SessionList,
  SignIn,
  SignInByBadge,
  Staff,
  StaffList,
  Terminal,
} from './session.ts'
import {
  ChangeSetting,
  SettingList,
  SettingName,
  SettingsExport,
  SettingsExportRequest,
  UndoSetting,
  WaitingChangeKey,
  WaitingChanges,
} from './settings.ts'
import { routes } from '../core/route.ts'

const SignedIn = z.object({ staff: Staff })

export const terminalContract = routes('terminal', {
  'GET /terminal': {
    description: 'Data that a screen needs before anyone signs in.',
    access: 'public',
    answer: Terminal,
  },
  'POST /session': {
    description: 'Exchanges a launch token for the key of the window, with the lane’s proof that it knows the token.',
    access: 'public',
    command: 'awaited',
    body: OpenSession,
    answer: OpenedSession,
  },
  'GET /session/run': {
    description:
      'The lane proves that it knows the key of this window, for the host that the window called. The window ' +
      'authenticates with its own proof for this run of the program.',
    access: 'public',
    query: RunRequest,
    answer: LaneRun,
  },
  'POST /session/link': {
    description:
      'A reloaded page has lost its key: the program that started the terminal gets a new link, at ' +
      'most every few seconds.',
    access: 'public',
    command: 'reading',
    body: LinkRequest,
  },
  'POST /session/launch-token': {
    description: 'Gives a launch token to a window that is about to reload its page and would lose its key.',
    access: 'window',
    command: 'reading',
    body: LinkRequest,
    answer: LaunchToken,
  },
  'POST /session/active': {
    description: 'Reports a key or a touch without a command, to keep the session open. Every command does the same.',
    command: 'reading',
  },
})

export const staffContract = routes('staff', {
  'GET /staff': { description: 'People who may sign in here.', access: 'window', answer: StaffList },
  'POST /sign-in': {
    description:
      'Signs a person in at this window, and out at any other. A person without a PIN gets the problem ' +
      '`pin-not-set`. When the PIN is locked, the detail `lockedUntil` has the end of the lock.',
    access: 'window',
    command: 'awaited',
    body: SignIn,
    answer: SignedIn,
  },
  'POST /sign-in/badge': {
    description: 'Signs in the person whose badge was read at this lane, if the store allows sign-in by badge.',
    access: 'window',
    command: 'awaited',
    body: SignInByBadge,
    answer: SignedIn,
  },
  // The command is `awaited`, so nothing is stored: a person can sign out even if storage has failed.
  'POST /sign-out': { access: 'window', command: 'awaited' },
  'GET /sessions': {
    description: 'The windows that may call this terminal, newest first.',
    access: 'manager',
    answer: SessionList,
  },
  'POST /sessions/:id/end': {
    description: 'Ends a window: its person is signed out, and it needs a new link; recorded in the audit trail.',
    access: 'manager',
    params: { id: z.string().regex(/^\S{1,40}$/) },
    answer: SessionList,
  },
  'PUT /staff/me/locale': {
    description: 'The language of the signed-in person, saved for the next sign-in.',
    body: z.object({ locale: Locale }),
  },
  'GET /people': { summary: 'All people who work or worked here', access: 'manager', answer: PeopleList },
  'POST /people': {
    summary: 'Add a person; they have no PIN yet',
    access: 'manager',
    body: NewPerson,
    answer: PersonAdded,
  },
  'PUT /people/:id': {
    summary: 'Change name, role or language of a person, or end or begin their work here',
    access: 'manager',
    params: { id: StaffId },
    body: ChangePerson,
    answer: PeopleList,
  },
  'PUT /people/:id/badge': {
    summary: 'Assign the badge that was read to a person',
    access: 'manager',
    params: { id: StaffId },
    body: AssignBadge,
    answer: PeopleList,
  },
  'POST /people/:id/badge/deactivate': {
    summary: 'Deactivate the badge of a person; it remains known',
    access: 'manager',
    params: { id: StaffId },
    answer: PeopleList,
  },
  'POST /people/:id/lift-lock': {
    summary: 'Unlock a person’s PIN; recorded in the audit trail',
    access: 'manager',
    command: 'awaited',
    params: { id: StaffId },
    answer: PeopleList,
  },
  // The command is `awaited`, so its answer is not stored, because the answer holds a PIN.
  'POST /people/:id/reset-pin': {
    summary: 'Give a person a one-time PIN, returned once',
    access: 'manager',
    command: 'awaited',
    params: { id: StaffId },
    answer: OneTimePin,
  },
  'GET /waiting-changes': {
    summary: 'Changes of other lanes that need confirmation here',
    access: 'manager',
    answer: WaitingChanges,
  },
  'POST /waiting-changes/confirm': {
    summary: 'Apply a waiting change at this lane',
    access: 'manager',
    body: WaitingChangeKey,
    answer: WaitingChanges,
  },
  'POST /waiting-changes/refuse': {
    summary: 'Refuse a waiting change at this lane',
    access: 'manager',
    body: WaitingChangeKey,
    answer: WaitingChanges,
  },
})

export const settingsContract = routes('settings', {
  'GET /settings': {
    summary: 'All settings, with the profile’s values',
    access: 'manager',
    answer: SettingList,
  },
  'PUT /settings/:name': {
    summary: 'Change a setting at once or from a future time, or reset it to the profile’s value',
    access: 'manager',
    params: { name: SettingName },
    body: ChangeSetting,
    answer: SettingList,
  },
  'POST /settings/:name/undo': {
    summary: 'Undo a change; a planned one is cancelled',
    access: 'manager',
    params: { name: SettingName },
    body: UndoSetting,
    answer: SettingList,
  },
  'POST /settings/exports': {
    summary: 'Differences from the profile as a file; recorded in the audit trail',
    access: 'manager',
    body: SettingsExportRequest,
    answer: SettingsExport,
  },
})

export const auditContract = routes('audit', {
  'GET /audit': { summary: 'The audit trail, newest first', access: 'manager', query: AuditQuery, answer: AuditPage },
  'POST /audit/exports': {
    summary: 'Request an export; recorded in the audit trail',
    access: 'manager',
    body: AuditExportRequest,
    answer: AuditExport,
  },
  'GET /audit/exports/:number': {
    summary: 'The requested export, once, for the person who requested it',
    access: 'manager',
    params: { number: z.coerce.number().pipe(z.int().min(1)) },
    file: ['text/csv; charset=utf-8', 'application/json; charset=utf-8'],
  },
  'GET /audit/verification': {
    summary: 'Result of the verification of the audit trail',
    access: 'manager',
    byItself: true,
    answer: AuditVerification,
  },
  // The command is `awaited`, because nothing is written before the verification ends.
  'POST /audit/verification': {
    summary: 'Verify the whole audit trail and its chain',
    access: 'manager',
    command: 'awaited',
    answer: AuditVerification,
  },
})
