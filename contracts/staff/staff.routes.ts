import { z } from 'zod'
import { StaffId } from '../core/ids.ts'
import { Locale } from '../core/locales.ts'
import { AuditExport, AuditExportRequest, AuditPage, AuditQuery, AuditVerification } from './audit.ts'
import {
  AskLink,
  AskRun,
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
    description: 'What a screen needs before anybody has signed in.',
    access: 'public',
    answer: Terminal,
  },
  'POST /session': {
    description: 'Spends a launch token: the window is given its key, with the lane’s proof that it knows the token.',
    access: 'public',
    command: 'awaited',
    body: OpenSession,
    answer: OpenedSession,
  },
  'GET /session/run': {
    description:
      'The lane proves that it knows the key of this window, at the host that the window asked. The window ' +
      'shows itself with a proof of its own for this run of the program.',
    access: 'public',
    query: AskRun,
    answer: LaneRun,
  },
  'POST /session/link': {
    description:
      'A page that was loaded again has lost its key: whoever started the terminal is given a new link, at ' +
      'most every few seconds.',
    access: 'public',
    command: 'reading',
    body: AskLink,
  },
  'POST /session/launch-token': {
    description: 'A window that is about to load its page again, and would lose its key, is given a launch token.',
    access: 'window',
    command: 'reading',
    body: AskLink,
    answer: LaunchToken,
  },
  'POST /session/active': {
    description: 'Somebody is there: a key or a touch that asks for nothing. Every command says so too.',
    command: 'reading',
  },
})

export const staffContract = routes('staff', {
  'GET /staff': { description: 'Who may sign in here.', access: 'window', answer: StaffList },
  'POST /sign-in': {
    description:
      'Signs a person in at this window, and out at any other. Who has no PIN yet is told so ' +
      '(`pin-not-set`). When the PIN is locked, the detail `lockedUntil` says until when.',
    access: 'window',
    command: 'awaited',
    body: SignIn,
    answer: SignedIn,
  },
  'POST /sign-in/badge': {
    description: 'Signs in whose badge was read at this lane, where the store lets badges do that.',
    access: 'window',
    command: 'awaited',
    body: SignInByBadge,
    answer: SignedIn,
  },
  // Awaited, because a person can sign out of a terminal whose storage has failed.
  'POST /sign-out': { access: 'window', command: 'awaited' },
  'GET /sessions': {
    description: 'The windows that may talk to this terminal, newest first.',
    access: 'manager',
    answer: SessionList,
  },
  'POST /sessions/:id/end': {
    description:
      'Ends a window: whoever is signed in at it is signed out, and it needs a new link; stands in the ' +
      'audit trail.',
    access: 'manager',
    params: { id: z.string().regex(/^\S{1,40}$/) },
    answer: SessionList,
  },
  'PUT /staff/me/locale': {
    description: 'The language of the signed-in person, kept for the next time.',
    body: z.object({ locale: Locale }),
  },
  'GET /people': { summary: 'Everybody who works or worked here', access: 'manager', answer: PeopleList },
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
    summary: 'Give a person the badge that was read',
    access: 'manager',
    params: { id: StaffId },
    body: AssignBadge,
    answer: PeopleList,
  },
  'POST /people/:id/badge/deactivate': {
    summary: 'Deactivate the badge of a person; it stays known',
    access: 'manager',
    params: { id: StaffId },
    answer: PeopleList,
  },
  'POST /people/:id/lift-lock': {
    summary: 'Let a person whose PIN is locked try again at once; stands in the audit trail',
    access: 'manager',
    command: 'awaited',
    params: { id: StaffId },
    answer: PeopleList,
  },
  // Awaited, because its answer holds a PIN, which must not reach the disk.
  'POST /people/:id/reset-pin': {
    summary: 'Give a person a one-time PIN; it is told once',
    access: 'manager',
    command: 'awaited',
    params: { id: StaffId },
    answer: OneTimePin,
  },
  'GET /waiting-changes': {
    summary: 'Changes of other lanes that wait for a confirmation here',
    access: 'manager',
    answer: WaitingChanges,
  },
  'POST /waiting-changes/confirm': {
    summary: 'Put a waiting change into effect at this lane',
    access: 'manager',
    body: WaitingChangeKey,
    answer: WaitingChanges,
  },
  'POST /waiting-changes/refuse': {
    summary: 'Keep what is in force at this lane',
    access: 'manager',
    body: WaitingChangeKey,
    answer: WaitingChanges,
  },
})

export const settingsContract = routes('settings', {
  'GET /settings': {
    summary: 'Every setting, with what the profile says of it',
    access: 'manager',
    answer: SettingList,
  },
  'PUT /settings/:name': {
    summary: 'Change a setting, at once or from a time to come; or have the profile’s value again',
    access: 'manager',
    params: { name: SettingName },
    body: ChangeSetting,
    answer: SettingList,
  },
  'POST /settings/:name/undo': {
    summary: 'Put back what stood before a change; a planned one is called off',
    access: 'manager',
    params: { name: SettingName },
    body: UndoSetting,
    answer: SettingList,
  },
  'POST /settings/exports': {
    summary: 'What differs from the profile, as a file; stands in the trail',
    access: 'manager',
    body: SettingsExportRequest,
    answer: SettingsExport,
  },
})

export const auditContract = routes('audit', {
  'GET /audit': { summary: 'The audit trail, newest first', access: 'manager', query: AuditQuery, answer: AuditPage },
  'POST /audit/exports': {
    summary: 'Order an export; stands in the trail',
    access: 'manager',
    body: AuditExportRequest,
    answer: AuditExport,
  },
  'GET /audit/exports/:number': {
    summary: 'The ordered export, once, for whoever ordered it',
    access: 'manager',
    params: { number: z.coerce.number().pipe(z.int().min(1)) },
    file: ['text/csv; charset=utf-8', 'application/json; charset=utf-8'],
  },
  'GET /audit/verification': {
    summary: 'Whether the trail is as it was written',
    access: 'manager',
    byItself: true,
    answer: AuditVerification,
  },
  // Awaited: it writes to no table before it ends.
  'POST /audit/verification': {
    summary: 'Read the whole trail and its chain',
    access: 'manager',
    command: 'awaited',
    answer: AuditVerification,
  },
})
