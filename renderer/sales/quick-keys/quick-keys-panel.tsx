import { useQuery } from '@tanstack/react-query'
import { ArrowLeft, ChevronLeft, ChevronRight, LayoutGrid } from 'lucide-react'
import { useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { api } from '../../core/api/terminal-api.ts'
import { useI18n } from '../../core/i18n/i18n.ts'
import { useEvents } from '../../core/state/events.ts'
import { pageOf, useQuickKeys } from './quick-keys.ts'
import { ring } from '../sale-commands.ts'
import { ringQueued } from '../../core/state/waiting-keys.ts'
import { ActionButton, IconButton } from '../../core/ui/button.tsx'
import { LoadFailed } from '../../core/ui/page.tsx'
import { Empty } from '../../core/ui/surface.tsx'
import styles from './quick-keys.module.css'

const COLUMNS = 3
/**
 * Height of a row of quick keys with its gap, and of everything above and below, in pixels: a page contains the rows
 * that fit.
 */
const ROW = 80
const AROUND = 410
const MIN_ROWS = 3
const MAX_ROWS = 7
const tilesShown = (): number =>
  COLUMNS * Math.min(Math.max(Math.floor((window.innerHeight - AROUND) / ROW), MIN_ROWS), MAX_ROWS)

interface Tile {
  readonly id: string
  readonly name: string
  readonly price: string | null
}

/**
 * Panel of the quick keys: departments, then the items of one, which a tap rings. The arrow keys choose, Enter selects,
 * Page Up and Page Down change the page, Esc goes back.
 */
export function QuickKeysPanel() {
  const { t, format } = useI18n()
  const chosen = useQuickKeys((state) => state.department)
  // The quick keys reload after a change of the catalog, which is rare.
  const changes = useEvents((state) => state.catalogCount)
  const quick = useQuery({
    queryKey: ['quick-keys', changes],
    queryFn: api.quickKeys,
    staleTime: Infinity,
    placeholderData: (before) => before,
  })
  if (quick.isPending) return <p role="status">{t('app.loading')}</p>
  if (quick.isError) return <LoadFailed error={quick.error} retry={() => void quick.refetch()} />
  const { departments } = quick.data
  const department = departments.find(({ id }) => id === chosen)
  const tiles: readonly Tile[] = department
    ? department.items.map((item) => ({
        id: item.sku,
        name: format.text(item.name),
        price: format.money(item.priceCents),
      }))
    : departments.map(({ id, name }) => ({ id, name: format.text(name), price: null }))
  return (
    <Tiles
      key={department?.id ?? ''}
      title={department ? format.text(department.name) : t('quick.departments')}
      tiles={tiles}
      onTake={(id) => {
        const item = department?.items.find(({ sku }) => sku === id)
        if (item) ringQueued(format.text(item.name), () => ring(item))
        else useQuickKeys.setState({ department: id })
      }}
    />
  )
}

function Tiles({
  title,
  tiles,
  onTake,
}: {
  readonly title: string
  readonly tiles: readonly Tile[]
  readonly onTake: (id: string) => void
}) {
  const { t } = useI18n()
  const [size] = useState(tilesShown)
  const [asked, setAsked] = useState(0)
  const { shown, page, pages } = pageOf(tiles, asked, size)
  const changePage = (step: 1 | -1): void => setAsked(Math.min(Math.max(page + step, 0), pages - 1))
  return (
    <section
      className={`stack-3 min-height-0 ${styles['panel']}`}
      aria-label={t('quick.title')}
      onKeyDownCapture={(event) => {
        if (event.key !== 'PageUp' && event.key !== 'PageDown') return
        event.preventDefault()
        event.stopPropagation()
        changePage(event.key === 'PageDown' ? 1 : -1)
      }}
    >
      <header className={`flex gap-3 baseline between ${styles['head']}`}>
        <h2 className="text-xl">{title}</h2>
        {pages > 1 && <span className="note nowrap">{t('quick.page', { page: page + 1, pages })}</span>}
      </header>
      <ListBox
        key={page}
        aria-label={title}
        autoFocus="first"
        layout="grid"
        selectionMode="none"
        items={shown}
        dependencies={[t]}
        className={`stack-2 top min-height-0 ringless ${styles['grid']} figures`}
        onAction={(key) => onTake(String(key))}
        renderEmptyState={() => <Empty icon={<LayoutGrid />} title={t('quick.emptyTitle')} text={t('quick.empty')} />}
      >
        {(tile) => (
          <ListBoxItem
            id={tile.id}
            textValue={tile.name}
            className={`grid target round-m ${styles['tile']} ${tile.price === null ? styles['department'] : ''}`}
          >
            <strong className="prose">{tile.name}</strong>
            {tile.price !== null && <small className="note figures">{tile.price}</small>}
          </ListBoxItem>
        )}
      </ListBox>
      <footer className={`stack-2 ${styles['foot']}`}>
        <ActionButton id="back" size="l" icon={<ArrowLeft />} />
        {pages > 1 && (
          <IconButton
            look="plain"
            label={t('quick.previous')}
            icon={<ChevronLeft />}
            isDisabled={page === 0}
            onPress={() => changePage(-1)}
          />
        )}
        {pages > 1 && (
          <IconButton
            look="plain"
            label={t('quick.next')}
            icon={<ChevronRight />}
            isDisabled={page === pages - 1}
            onPress={() => changePage(1)}
          />
        )}
      </footer>
    </section>
  )
}
