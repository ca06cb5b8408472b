export const LANE_CHECKS = [
  'profile',
  'bundle',
  'program',
  'electron',
  'folder',
  'key',
  'secret',
  'database',
  'backup',
  'disk',
  'memory',
  'clock',
  'time-zone',
  'devices',
  'paper',
  'window',
  'display',
  'autostart',
  'power',
  'network',
  'certificates',
  'authorization',
  'store-server',
] as const
export type LaneCheckId = (typeof LANE_CHECKS)[number]

/** State of a finding. `unseen`: the check could not be made, or not from here; the text has the reason. */
export const LANE_STATES = ['ok', 'unseen', 'attention', 'wrong'] as const
export type LaneState = (typeof LANE_STATES)[number]

/**
 * All findings with the resulting state. A finding that needs an action has a text for the action, under the same name.
 */
export const LANE_FINDINGS = {
  'profile-good': 'ok',
  'profile-wrong': 'wrong',
  'profile-more-wrong': 'wrong',
  'profile-no-lane': 'wrong',
  'profile-none': 'wrong',
  'profile-other-than-bundle': 'attention',
  'profile-training': 'attention',
  'needs-profile': 'unseen',

  'bundle-none': 'ok',
  'bundle-in-force': 'ok',
  'bundle-waiting': 'ok',
  'bundle-waits-for-quiet': 'ok',
  'bundle-expired': 'attention',
  'bundle-damaged': 'wrong',
  'bundle-other-lane': 'wrong',
  'bundle-not-taken': 'wrong',
  'keys-trusted': 'ok',
  'keys-damaged': 'wrong',

  'program-version': 'ok',
  'program-reads-database': 'ok',
  'program-upgrades-database': 'attention',
  'program-too-old': 'wrong',
  'program-changed': 'wrong',
  'start-refused': 'wrong',
  'update-none': 'ok',
  'update-waiting': 'ok',
  'update-trial': 'attention',
  'update-refused': 'attention',

  'electron-supported': 'ok',
  'electron-ends-soon': 'attention',
  'electron-ended': 'attention',
  'electron-none': 'unseen',

  'terminal-runs': 'ok',
  'terminal-stopped': 'ok',
  'folder-closed': 'ok',
  'folder-new': 'ok',
  'folder-open': 'attention',
  'folder-shared': 'wrong',
  'folder-holds-more': 'wrong',
  'folder-foreign-lock': 'wrong',
  'folder-not-ours': 'wrong',
  'folder-other-lane': 'wrong',
  'folder-unreadable-mark': 'wrong',

  'key-in-file': 'ok',
  'key-in-key-store': 'ok',
  'key-new': 'ok',
  'key-needs-shell': 'unseen',
  'key-missing': 'wrong',
  'key-open': 'wrong',
  'key-damaged': 'wrong',
  'key-other': 'wrong',
  'key-store-away': 'wrong',

  'secret-in-file': 'ok',
  'secret-in-key-store': 'ok',
  'secret-given': 'ok',
  'secret-training': 'ok',
  'secret-needs-shell': 'unseen',
  'secret-missing': 'wrong',
  'secret-open': 'wrong',

  'database-sound': 'ok',
  'database-new': 'ok',
  'database-large': 'ok',
  'database-missing': 'wrong',
  'database-damaged': 'wrong',
  'database-not-ours': 'wrong',

  'backup-kept': 'ok',
  'backup-old': 'attention',
  'backup-none': 'attention',
  'backup-none-yet': 'attention',
  'backup-failed': 'attention',

  'disk-enough': 'ok',
  'disk-low': 'attention',
  'disk-short': 'wrong',
  'disk-read-only': 'wrong',
  'disk-fast': 'ok',
  'disk-slow': 'attention',
  'disk-speed-unseen': 'unseen',

  'memory-enough': 'ok',
  'memory-low': 'attention',

  'clock-in-step': 'ok',
  'clock-not-in-step': 'attention',
  'clock-right': 'ok',
  'clock-off': 'wrong',
  'clock-off-store': 'wrong',
  'clock-before-journal': 'wrong',
  'clock-unseen': 'unseen',
  'clock-behind': 'wrong',
  'clock-far-ahead': 'attention',

  'zone-same': 'ok',
  'zone-other': 'attention',

  'device-ready': 'ok',
  'device-virtual': 'ok',
  'device-with-terminal': 'unseen',
  'device-unseen': 'unseen',
  'devices-none': 'unseen',
  'device-trouble': 'wrong',
  'device-attention': 'attention',
  'device-not-allowed': 'wrong',
  'device-moves': 'attention',

  'paper-there': 'ok',
  'paper-low': 'attention',
  'paper-out': 'wrong',
  'paper-cover-open': 'wrong',
  'paper-unseen': 'unseen',
  'paper-no-printer': 'unseen',

  'window-browser': 'ok',
  'window-electron': 'ok',
  'window-here': 'ok',
  'window-none': 'wrong',
  'window-unseen': 'unseen',

  'display-one': 'ok',
  'display-several': 'ok',
  'display-none': 'attention',
  'display-unseen': 'unseen',

  'autostart-unit': 'ok',
  'autostart-entry': 'ok',
  'autostart-off': 'attention',
  'autostart-other-folder': 'attention',
  'autostart-none': 'attention',
  'autostart-no-program': 'wrong',
  'autostart-unseen': 'unseen',

  'power-awake': 'ok',
  'power-sleeps': 'attention',
  'power-unseen': 'unseen',

  'place-reached': 'ok',
  'place-reached-by-proxy': 'ok',
  'place-failed': 'wrong',
  'network-training': 'unseen',

  'certificate-good': 'ok',
  'certificate-ends-soon': 'attention',
  'certificate-wrong': 'wrong',
  'certificate-plain': 'unseen',
  'certificate-unseen': 'unseen',

  'secret-accepted': 'ok',
  'secret-refused': 'wrong',
  'authorization-unseen': 'unseen',

  'store-alone': 'ok',
  'store-reached': 'ok',
  'store-away': 'attention',
  'store-refused': 'wrong',
  'store-other-mode': 'wrong',
  'store-other-version': 'wrong',
  'store-unseen': 'unseen',

  'took-too-long': 'unseen',
  hangs: 'wrong',
  'broke-off': 'wrong',
  'could-not-look': 'unseen',
} as const satisfies Record<string, LaneState>
export type LaneFindingCode = keyof typeof LANE_FINDINGS

/** Findings that need an action, for which there is a text. */
export type ToDoCode = {
  [Code in LaneFindingCode]: (typeof LANE_FINDINGS)[Code] extends 'attention' | 'wrong' ? Code : never
}[LaneFindingCode]

export const isToDo = (code: LaneFindingCode): code is ToDoCode =>
  LANE_FINDINGS[code] === 'attention' || LANE_FINDINGS[code] === 'wrong'

/**
 * Findings that need a CLI command or an account of the computer: for these, a manager's page refers to the installer's
 * guide.
 */
const OF_INSTALLER: ReadonlySet<LaneFindingCode> = new Set<ToDoCode>([
  'profile-no-lane',
  'bundle-not-taken',
  'folder-open',
  'folder-shared',
  'folder-holds-more',
  'folder-not-ours',
  'folder-other-lane',
  'key-open',
  'secret-missing',
  'secret-open',
  'database-not-ours',
  'clock-not-in-step',
  'autostart-off',
  'autostart-other-folder',
  'autostart-none',
  'autostart-no-program',
  'power-sleeps',
])
export const isOfInstaller = (code: LaneFindingCode): boolean => OF_INSTALLER.has(code)

/** Returns the most urgent state of several findings; `unseen` if none has another state. */
export const worstState = (codes: readonly LaneFindingCode[]): LaneState => {
  const states = codes.map((code) => LANE_FINDINGS[code])
  for (const state of ['wrong', 'attention', 'ok'] as const) if (states.includes(state)) return state
  return 'unseen'
}
