/**
 * Campaigns that take turns, a day for each list: together they take longer than a change may wait for. What can lose
 * or double something at a lane is in no list and runs every time: kills, failing disks, seeds, restores. The lists
 * take about as long as each other.
 */
export const TURNS: readonly (readonly string[])[] = [
  [
    'backend/store/observed.campaign.test.ts',
    'backend/testing/release-back.campaign.test.ts',
    'e2e/member-trouble.campaign.spec.ts',
    'scripts/shell-security.campaign.test.ts',
    'scripts/start.campaign.test.ts',
  ],
  [
    'backend/doctor.campaign.test.ts',
    'backend/features/catalog/shared/store-catalog-crash.campaign.test.ts',
    'backend/features/store-vouchers/thirty-lanes.campaign.test.ts',
    'backend/testing/crashes/vouchers.campaign.test.ts',
    'e2e/receipts.campaign.spec.ts',
    'scripts/enrol/enrol.campaign.test.ts',
    'store-server/vouchers/vouchers.campaign.test.ts',
  ],
  [
    'backend/features/catalog/shared/random-lanes.campaign.test.ts',
    'backend/features/held-sales/gone-back.campaign.test.ts',
    'central/main.campaign.test.ts',
    'e2e/store-lanes.campaign.spec.ts',
    'renderer/testing/pseudo-locale.campaign.test.ts',
    'scripts/package.campaign.test.ts',
    'store-server/kills.campaign.test.ts',
  ],
  [
    'backend/features/diagnostics/echo-year.campaign.test.ts',
    'backend/store/collector-turns.campaign.test.ts',
    'backend/store/histories.campaign.test.ts',
    'backend/store/restored-database.campaign.test.ts',
    'e2e/keyed-collector.campaign.spec.ts',
    'e2e/typed-scans.campaign.spec.ts',
    'launcher/launcher.campaign.test.ts',
    'scripts/shell.campaign.test.ts',
  ],
  [
    'backend/features/store-overview/store-overview.campaign.test.ts',
    'backend/store/restored-vouchers.campaign.test.ts',
    'contracts/i18n/third-language.campaign.test.ts',
    'e2e/changes.campaign.spec.ts',
    'e2e/voucher-documents.campaign.spec.ts',
    'renderer/testing/access.campaign.test.ts',
    'renderer/testing/first-screen.campaign.test.ts',
    'store-server/metrics/prometheus.campaign.test.ts',
  ],
  [
    'backend/devices/tool/tool.campaign.test.ts',
    'backend/features/store-returns/claims.campaign.test.ts',
    'e2e/sounds.campaign.spec.ts',
    'e2e/support-secrets.campaign.spec.ts',
    'hardware/msr/wiping.campaign.test.ts',
    'launcher/failing-versions.campaign.test.ts',
    'scripts/lane/bundle-on-lane.campaign.test.ts',
    'store-server/several-servers.campaign.test.ts',
  ],
  [
    'backend/provision.campaign.test.ts',
    'e2e/exchange.campaign.spec.ts',
    'e2e/held-sales.campaign.spec.ts',
    'e2e/line-display.campaign.spec.ts',
    'renderer/loading/loading.campaign.test.ts',
    'renderer/testing/slow-answers.campaign.test.ts',
    'scripts/lane/doctor.campaign.test.ts',
    'scripts/lane/mistaken-installer.campaign.test.ts',
    'store-server/db/roles.campaign.test.ts',
    'store-server/holds/holds.campaign.test.ts',
  ],
  [
    'backend/features/vouchers/activation.campaign.test.ts',
    'backend/store/slow-line.campaign.test.ts',
    'e2e/comfort.campaign.spec.ts',
    'e2e/effort.campaign.spec.ts',
    'e2e/quick-keys.campaign.spec.ts',
    'hardware/noise.campaign.test.ts',
    'renderer/testing/outages.campaign.test.ts',
    'scripts/mutants/types.campaign.test.ts',
    'scripts/packages/packages.campaign.test.ts',
    'store-server/overview/overview.campaign.test.ts',
  ],
  [
    'backend/features/receipts/render/render.campaign.test.ts',
    'backend/testing/crashes/store-holds.campaign.test.ts',
    'e2e/maintenance.campaign.spec.ts',
    'e2e/return-draft.campaign.spec.ts',
    'e2e/status-bar.campaign.spec.ts',
    'hardware/replug-printer.campaign.test.ts',
    'renderer/testing/reach.campaign.test.ts',
    'scripts/bundles/many.campaign.test.ts',
    'scripts/fleet/fleet.campaign.test.ts',
    'scripts/start-folder.campaign.test.ts',
  ],
  [
    'backend/devices/training-panel.campaign.test.ts',
    'backend/features/store-returns/partner-miles.campaign.test.ts',
    'backend/testing/stores/stores.campaign.test.ts',
    'delivery/shelf.campaign.test.ts',
    'e2e/bad-input.campaign.spec.ts',
    'e2e/page-walls.campaign.spec.ts',
    'e2e/switch-cashier.campaign.spec.ts',
    'electron/provision.campaign.test.ts',
    'electron/unusable-bundle.campaign.test.ts',
    'renderer/testing/touch.campaign.test.ts',
  ],
]

const DAY_MS = 86_400_000

/** Those that rest on this day (UTC). */
export function restingOn(day: Date): readonly string[] {
  const turn = Math.floor(day.getTime() / DAY_MS) % TURNS.length
  return TURNS.filter((_, list) => list !== turn).flat()
}
