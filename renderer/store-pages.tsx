import {
  Activity,
  Building2,
  BookOpenText,
  CalendarCheck2,
  ChartColumn,
  ChevronRight,
  CirclePause,
  ClipboardCheck,
  DatabaseBackup,
  Download,
  FileCheck2,
  HardDrive,
  History,
  HandCoins,
  Inbox,
  LayoutDashboard,
  LockKeyhole,
  MonitorCheck,
  Network,
  ScrollText,
  ListChecks,
  SlidersHorizontal,
  Stethoscope,
  PackageSearch,
  Tag as TagIcon,
  Tags,
  Undo2,
  Users,
} from 'lucide-react'
import { useEffect, useRef, type ReactElement } from 'react'
import { Link } from 'wouter'
import { useLocale } from 'use-intl'
import { useStoreTexts } from './core/i18n/catalogs.ts'
import { useI18n } from './core/i18n/i18n.ts'
import { useTerminal } from './core/state/terminal.ts'
import { ActionButton } from './core/ui/button.tsx'
import { Notices } from './core/ui/notices.tsx'
import { Empty } from './core/ui/surface.tsx'
import { CatalogPage } from './catalog/catalog-page.tsx'
import { HeldSalesPage } from './sales/held-sales-page.tsx'
import { DayEndPage } from './day/day-end/day-end-page.tsx'
import { OverviewPage } from './day/overview/overview-page.tsx'
import { DrawerPage } from './day/drawer/drawer-page.tsx'
import { LaneCheckPage } from './operations/lane-check/lane-check-page.tsx'
import { ConnectionPage } from './operations/connection/connection-page.tsx'
import { BackupsPage } from './operations/backups/backups-page.tsx'
import { AuditPage } from './staff/audit/audit-page.tsx'
import { JournalSearchPage } from './day/journal-search-page.tsx'
import { ReportsPage } from './day/reports/reports-page.tsx'
import { OfferPage } from './loyalty/offers/offer-page.tsx'
import { OffersManagerPage } from './loyalty/offers-manager/offers-manager-page.tsx'
import { EarlierSalesPage } from './payments/earlier-sales/earlier-sales-page.tsx'
import { SettingsPage } from './staff/settings/settings-page.tsx'
import { StaffPage } from './staff/people/staff-page.tsx'
import { DevicePage } from './operations/support/device-page.tsx'
import { ReconciliationPage } from './loyalty/reconciliation-page.tsx'
import { TerminalPage } from './operations/support/terminal-page.tsx'
import { StoreDayPage } from './day/store-overview/day-page.tsx'
import { LanesPage } from './day/store-overview/lanes-page.tsx'
import { StoreQueuePage, StoreReconciliationPage } from './day/store-overview/queue-page.tsx'
import { UpdatesPage } from './operations/updates/updates-page.tsx'
import { QueuePage } from './loyalty/queue/queue-page.tsx'
import styles from './store-pages.module.css'

interface Section {
  readonly id: string
  readonly icon: ReactElement
  readonly page: ReactElement
  readonly managerOnly?: true
}

const GROUPS = [
  {
    id: 'today',
    sections: [
      { id: 'overview', icon: <LayoutDashboard />, page: <OverviewPage />, managerOnly: true },
      { id: 'drawer', icon: <HandCoins />, page: <DrawerPage /> },
      { id: 'day', icon: <CalendarCheck2 />, page: <DayEndPage />, managerOnly: true },
    ],
  },
  {
    id: 'sales',
    sections: [
      { id: 'receipts', icon: <History />, page: <EarlierSalesPage /> },
      { id: 'held', icon: <CirclePause />, page: <HeldSalesPage /> },
      { id: 'reports', icon: <ChartColumn />, page: <ReportsPage />, managerOnly: true },
      { id: 'journal', icon: <BookOpenText />, page: <JournalSearchPage />, managerOnly: true },
    ],
  },
  {
    id: 'miles',
    sections: [
      { id: 'queue', icon: <Inbox />, page: <QueuePage />, managerOnly: true },
      { id: 'reconciliation', icon: <FileCheck2 />, page: <ReconciliationPage />, managerOnly: true },
      { id: 'offers', icon: <TagIcon />, page: <OfferPage /> },
      { id: 'program-offers', icon: <Tags />, page: <OffersManagerPage />, managerOnly: true },
    ],
  },
  {
    id: 'team',
    sections: [
      { id: 'catalog', icon: <PackageSearch />, page: <CatalogPage />, managerOnly: true },
      { id: 'staff', icon: <Users />, page: <StaffPage />, managerOnly: true },
      { id: 'audit', icon: <ScrollText />, page: <AuditPage />, managerOnly: true },
      { id: 'settings', icon: <SlidersHorizontal />, page: <SettingsPage />, managerOnly: true },
    ],
  },
  {
    id: 'lane',
    sections: [
      { id: 'echo', icon: <Activity />, page: <ConnectionPage />, managerOnly: true },
      { id: 'devices', icon: <HardDrive />, page: <DevicePage /> },
      { id: 'lane-check', icon: <Stethoscope />, page: <LaneCheckPage />, managerOnly: true },
      { id: 'terminal', icon: <MonitorCheck />, page: <TerminalPage /> },
      { id: 'backups', icon: <DatabaseBackup />, page: <BackupsPage />, managerOnly: true },
      { id: 'updates', icon: <Download />, page: <UpdatesPage />, managerOnly: true },
    ],
  },
  {
    id: 'lanes',
    sections: [
      { id: 'store-lanes', icon: <Network />, page: <LanesPage />, managerOnly: true },
      { id: 'store-day', icon: <Building2 />, page: <StoreDayPage />, managerOnly: true },
      { id: 'store-queue', icon: <ListChecks />, page: <StoreQueuePage />, managerOnly: true },
      { id: 'store-reconciliation', icon: <ClipboardCheck />, page: <StoreReconciliationPage />, managerOnly: true },
    ],
  },
] as const satisfies readonly { readonly id: string; readonly sections: readonly Section[] }[]

interface Group {
  readonly id: (typeof GROUPS)[number]['id']
  readonly sections: readonly (Section & { readonly id: (typeof GROUPS)[number]['sections'][number]['id'] })[]
}
const groups: readonly Group[] = GROUPS
const FIRST: Group = GROUPS[0]

/**
 * Navigation and content of the pages around the sale. Only one group shows its page names, because all would not fit;
 * one touch opens another group. Pages for managers only are visible to all, with a lock.
 */
export default function StorePages({ section }: { readonly section: string }) {
  const { t } = useI18n()
  const manager = useTerminal((state) => state.terminal?.signedIn?.role === 'manager')
  const hasTexts = useStoreTexts(useLocale())
  const open = groups.find(({ sections }) => sections.some(({ id }) => id === section)) ?? FIRST
  const here = open.sections.find(({ id }) => id === section) ?? firstOf(open, manager)
  const names = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The braces discard the promise that newer browsers return from `scrollIntoView`: React would treat it as a
    // cleanup function.
    names.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [here.id])
  return (
    <div className={styles['screen']}>
      <nav className={styles['nav']} aria-label={t('app.navLabel')}>
        <h1>{t('store.title')}</h1>
        <div className={styles['names']} ref={names}>
          {groups.map((group) =>
            group === open ? (
              <OpenGroup key={group.id} group={group} here={here.id} manager={manager} />
            ) : (
              <Link key={group.id} href={`/manager/${firstOf(group, manager).id}`} className={styles['group'] ?? ''}>
                {t(`store.groups.${group.id}`)}
                <ChevronRight aria-hidden="true" />
              </Link>
            ),
          )}
        </div>
        {/* The group of Sales history needs no button for it. */}
        {open.id !== 'sales' && <ActionButton id="earlier-sales" look="quiet" hint={false} icon={<History />} />}
        <ActionButton id="return" look="quiet" hint={false} icon={<Undo2 />} />
      </nav>
      <section className={styles['page']} aria-label={t(`store.${here.id}`)}>
        {!hasTexts ? (
          <p role="status">{t('app.loading')}</p>
        ) : here.managerOnly && !manager ? (
          <Empty icon={<LockKeyhole />} title={t(`store.${here.id}`)} text={t('store.managerOnly')} />
        ) : (
          here.page
        )}
      </section>
      <div className={styles['notices']}>
        <Notices />
      </div>
    </div>
  )
}

/** Returns the first page of a group that this person may see. */
const firstOf = ({ sections }: Group, manager: boolean): Group['sections'][number] =>
  sections.find(({ managerOnly }) => manager || !managerOnly) ?? (sections[0] as Group['sections'][number])

interface OpenGroupProps {
  readonly group: Group
  readonly here: Group['sections'][number]['id']
  readonly manager: boolean
}

function OpenGroup({ group, here, manager }: OpenGroupProps) {
  const { t } = useI18n()
  return (
    <>
      <h2>{t(`store.groups.${group.id}`)}</h2>
      {group.sections.map(({ id, icon, managerOnly }) => (
        <Link
          key={id}
          href={`/manager/${id}`}
          aria-current={id === here ? 'page' : undefined}
          className={styles['link'] ?? ''}
        >
          <span aria-hidden="true">{icon}</span>
          {t(`store.${id}`)}
          {managerOnly && !manager && <LockKeyhole className={styles['lock']} aria-hidden="true" />}
        </Link>
      ))}
    </>
  )
}
