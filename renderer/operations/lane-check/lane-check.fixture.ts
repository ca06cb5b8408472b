import type {
  CheckedSection,
  LaneCheck,
  LaneFinding,
  LaneValue,
} from '../../../contracts/operations/lane-check-page.ts'
import {
  LANE_CHECKS,
  worstState,
  type LaneCheckId,
  type LaneFindingCode,
} from '../../../contracts/operations/lane-check.ts'
import type { Localized } from '../../../contracts/core/locales.ts'
import { managed, type ScreenFixture, type ScreenFixtures } from '../../testing/screen-fixture.ts'

const AT = '2026-11-21T14:03:12.000Z'
const found = (code: LaneFindingCode, values: Record<string, LaneValue> = {}): LaneFinding => ({ code, values })
const texts = (english: string, french: string): Localized => ({ 'en-CA': english, 'fr-CA': french })

const HOST = 'services.northstar.example:443'
const SERVICES = texts('token, cash, issuance', 'jeton, comptant, émission')
const PRINTER = texts('Printer', 'Imprimante')
const READER = texts('Card reader', 'Lecteur de cartes')

const HEALTHY: Readonly<Record<LaneCheckId, readonly LaneFinding[]>> = {
  profile: [found('profile-good', { store: '4417' })],
  bundle: [
    found('bundle-in-force', {
      number: '12',
      store: '4417',
      made: texts('November 14, 2026', '14 novembre 2026'),
    }),
    found('keys-trusted', { count: 2, revoked: 1 }),
  ],
  program: [
    found('program-version', { version: '1.4.0', node: '24.21.0' }),
    found('program-reads-database', { schema: '3' }),
  ],
  electron: [found('electron-supported', { major: '45', day: texts('April 7, 2027', '7 avril 2027') })],
  folder: [
    found('folder-closed', { folder: '/home/lane/.local/share/milepost/4417-01' }),
    found('terminal-runs', { pid: '2113' }),
  ],
  key: [found('key-in-key-store')],
  secret: [found('secret-in-key-store')],
  database: [found('database-sound', { size: 38 })],
  backup: [found('backup-kept', { time: texts('November 21, 2026 at 8:01 a.m.', '21 novembre 2026 à 8 h 01') })],
  disk: [found('disk-enough', { free: 41_220, needed: 140 }), found('disk-fast', { ms: 1.4 })],
  memory: [found('memory-enough', { free: 2_310, total: 4_031 })],
  clock: [found('clock-in-step'), found('clock-right')],
  'time-zone': [found('zone-same', { zone: 'America/Toronto' })],
  devices: [found('device-ready', { role: READER }), found('device-ready', { role: PRINTER })],
  paper: [found('paper-there')],
  window: [found('window-electron', { version: '45.3.1' })],
  display: [found('display-several', { count: 2 })],
  autostart: [found('autostart-unit', { file: '/home/lane/.config/systemd/user/milepost.service' })],
  power: [found('power-awake')],
  network: [found('place-reached', { host: HOST, services: SERVICES })],
  certificates: [found('certificate-good', { host: HOST, days: 131 })],
  authorization: [found('secret-accepted')],
  'store-server': [found('store-reached', { host: 'store.example:8443', ms: 4 })],
}

const PROBLEMS: Partial<Record<LaneCheckId, readonly LaneFinding[]>> = {
  devices: [
    found('device-ready', { role: READER }),
    found('device-not-allowed', { role: PRINTER, path: '/dev/usb/lp0', group: 'lp' }),
  ],
  paper: [found('paper-unseen')],
  disk: [found('disk-low', { free: 96, needed: 140 }), found('disk-slow', { ms: 48.2 })],
  'time-zone': [found('zone-other', { machine: 'UTC', store: 'America/Toronto' })],
  network: [
    found('place-failed', {
      host: HOST,
      services: SERVICES,
      cause: texts('Connection refused. (ECONNREFUSED)', 'Connexion refusée. (ECONNREFUSED)'),
      todo: texts(
        'Call support. Installer: check address and firewall.',
        'Appelez le soutien. Installateur : vérifiez l’adresse et le pare-feu.',
      ),
    }),
  ],
  certificates: [found('certificate-unseen', { host: HOST })],
  authorization: [found('authorization-unseen')],
  autostart: [found('autostart-none', { lane: '01' })],
}

const sectionOf = (check: LaneCheckId, findings: readonly LaneFinding[]): CheckedSection => ({
  check,
  state: worstState(findings.map(({ code }) => code)),
  findings: [...findings],
  ms: 12,
})

const laneCheckOf = (change: typeof PROBLEMS = {}): LaneCheck => ({
  id: '4f4a7a0e-0000-4000-8000-000000000007',
  startedAt: AT,
  endedAt: AT,
  parts: LANE_CHECKS.map((check) => sectionOf(check, change[check] ?? HEALTHY[check])),
})
export const LANE_WITH_PROBLEMS = laneCheckOf(PROBLEMS)

export const RUNNING_CHECK: LaneCheck = {
  ...LANE_WITH_PROBLEMS,
  endedAt: null,
  parts: LANE_WITH_PROBLEMS.parts.map((section) =>
    ['devices', 'paper', 'network', 'certificates', 'authorization', 'store-server'].includes(section.check)
      ? { check: section.check, state: 'running', findings: [], ms: null }
      : section,
  ),
}

export const LANE_CHECK_FACTS = { 'GET /api/diagnostics/lane': () => ({ check: laneCheckOf() }) } as const

const checked = (check: LaneCheck | null): ScreenFixture =>
  managed('lane-check', {
    answers: { 'GET /api/diagnostics/lane': { check } },
    act: async (page) => {
      await page.locator('h2').nth(1).waitFor()
      await (
        check === null ? page.getByText(/(Not checked since|Pas vérifiée)/) : page.getByRole('heading', { level: 3 })
      )
        .first()
        .waitFor()
    },
  })

export const LANE_CHECK: ScreenFixtures = {
  'lane-check': checked(LANE_WITH_PROBLEMS),
  'lane-check-well': checked(laneCheckOf()),
  'lane-check-never': checked(null),
  'lane-check-running': checked(RUNNING_CHECK),
  'lane-check-refused': managed('lane-check', {
    refusals: { 'GET /api/diagnostics/lane': 'manager-required' },
    act: (page) => page.getByRole('alert').first().waitFor(),
  }),
}
