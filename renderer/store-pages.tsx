import {
  Activity,
  CirclePause,
  FileCheck2,
  HardDrive,
  History,
  Inbox,
  LockKeyhole,
  MonitorCheck,
  PackageSearch,
  Tag as TagIcon,
  Undo2,
  Users,
} from 'lucide-react'
import { Link } from 'wouter'
import { useWords } from './i18n/words.tsx'
import { useTerminal } from './state/terminal.ts'
import { ActionButton } from './ui/button.tsx'
import { Empty } from './ui/surface.tsx'
import { CatalogPage } from './features/catalog/catalog-page.tsx'
import { HeldSalesPage } from './features/held-sales/held-sales-page.tsx'
import { EchoCheck } from './features/echo/echo-check.tsx'
import { OfferPage } from './features/offers/offer-page.tsx'
import { EarlierSalesPage } from './features/receipt/earlier-sales.tsx'
import { StaffPage } from './features/staff/staff-page.tsx'
import { DevicePage } from './features/status-bar/device-page.tsx'
import { ReconciliationPage } from './features/reconciliation/reconciliation-page.tsx'
import { TerminalPage } from './features/status-bar/terminal-page.tsx'
import { QueuePage } from './features/queue/queue-page.tsx'
import styles from './store-pages.module.css'

const SECTIONS = [
  { id: 'echo', icon: <Activity />, page: <EchoCheck />, managerOnly: true },
  { id: 'queue', icon: <Inbox />, page: <QueuePage />, managerOnly: true },
  { id: 'reconciliation', icon: <FileCheck2 />, page: <ReconciliationPage />, managerOnly: true },
  { id: 'catalog', icon: <PackageSearch />, page: <CatalogPage />, managerOnly: true },
  { id: 'staff', icon: <Users />, page: <StaffPage />, managerOnly: true },
  { id: 'held', icon: <CirclePause />, page: <HeldSalesPage />, managerOnly: false },
  { id: 'receipts', icon: <History />, page: <EarlierSalesPage />, managerOnly: false },
  { id: 'devices', icon: <HardDrive />, page: <DevicePage />, managerOnly: false },
  { id: 'terminal', icon: <MonitorCheck />, page: <TerminalPage />, managerOnly: false },
  { id: 'offers', icon: <TagIcon />, page: <OfferPage />, managerOnly: false },
] as const

/**
 * The pages around the sale. Sales on hold, earlier sales, devices, the terminal and offers are for everybody, the rest
 * for managers.
 */
export default function StorePages({ section }: { readonly section: string }) {
  const { t } = useWords()
  const manager = useTerminal((state) => state.terminal?.signedIn?.role === 'manager')
  const here = SECTIONS.find(({ id }) => id === section) ?? SECTIONS[0]
  return (
    <div className={styles['screen']}>
      <nav className={styles['nav']} aria-label={t('app.navLabel')}>
        <h1>{t('store.title')}</h1>
        {SECTIONS.map(({ id, icon, managerOnly }) => (
          <Link
            key={id}
            href={`/manager/${id}`}
            aria-current={id === here.id ? 'page' : undefined}
            className={styles['link'] ?? ''}
          >
            <span aria-hidden="true">{icon}</span>
            {t(`store.${id}`)}
            {managerOnly && !manager && <LockKeyhole className={styles['lock']} aria-hidden="true" />}
          </Link>
        ))}
        <ActionButton id="return" look="quiet" hint={false} icon={<Undo2 />} />
      </nav>
      <section className={styles['page']} aria-label={t(`store.${here.id}`)}>
        {here.managerOnly && !manager ? (
          <Empty icon={<LockKeyhole />} title={t(`store.${here.id}`)} text={t('store.managerOnly')} />
        ) : (
          here.page
        )}
      </section>
    </div>
  )
}
