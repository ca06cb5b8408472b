import { type UseQueryResult, keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChevronRight, Search } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { FieldError, Input, Label, SearchField } from 'react-aria-components'
import type { Item } from '../../contracts/catalog/catalog.ts'
import { api } from '../core/api/terminal-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { useEvents } from '../core/state/events.ts'
import { IconButton } from '../core/ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../core/ui/page.tsx'
import { Empty } from '../core/ui/surface.tsx'
import styles from './catalog.module.css'

const MAX_RESULTS = 25

export function ItemFinder({
  onChoose,
  missing = false,
  autoFocus = false,
  empty = false,
}: {
  readonly onChoose: (item: Item) => void
  readonly missing?: boolean
  readonly autoFocus?: boolean
  readonly empty?: boolean
}) {
  const { t } = useI18n()
  const changes = useEvents((state) => state.catalogCount)
  const [text, setText] = useState('')
  const asked = useDeferredValue(text.trim())
  const found = useQuery({
    queryKey: ['catalog-items', asked, changes],
    queryFn: ({ signal }) => api.findItems(asked, MAX_RESULTS, signal),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const items = asked === '' ? [] : (found.data?.items ?? [])
  return (
    <div className="stack-4 single ringless">
      <SearchField
        value={text}
        onChange={setText}
        isInvalid={missing}
        autoFocus={autoFocus}
        className={`stack-1 single field ${styles['field']}`}
      >
        <Label>{t('catalog.items.search')}</Label>
        <Input maxLength={80} autoComplete="off" spellCheck="false" placeholder={t('catalog.items.searchHint')} />
        <FieldError>{t('catalog.missing')}</FieldError>
      </SearchField>
      {found.isError && <LoadFailed error={found.error} retry={() => void found.refetch()} />}
      {asked === '' && empty && (
        <div className="nothing">
          <Empty icon={<Search />} title={t('catalog.items.emptyTitle')} text={t('catalog.items.empty')} />
        </div>
      )}
      {asked !== '' && found.isSuccess && items.length === 0 && (
        <p role="status" className="prose">
          {t('catalog.items.none', { query: asked })}
        </p>
      )}
      {items.length > 0 && (
        <FoundItems items={items} act={empty ? 'catalog.items.edit' : 'catalog.items.choose'} onChoose={onChoose} />
      )}
    </div>
  )
}

interface FoundItemsProps {
  readonly items: readonly Item[]
  readonly act: 'catalog.items.edit' | 'catalog.items.choose'
  readonly onChoose: (item: Item) => void
}

function FoundItems({ items, act, onChoose }: FoundItemsProps) {
  const { t, format } = useI18n()
  return (
    <TableWrap>
      <table
        className={`${pageStyles['table']} ${styles['rows']} ${styles['choose']}`}
        aria-label={t('catalog.tab.items')}
      >
        <thead>
          <tr>
            <th scope="col">{t('catalog.item')}</th>
            <th scope="col">{t('catalog.sku')}</th>
            <th scope="col" className="prose">
              {t('catalog.items.barcode')}
            </th>
            <th scope="col">{t('catalog.price')}</th>
            <th scope="col">
              <span className="sr-only">{t('catalog.items.search')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.sku}>
              <th scope="row" className="prose">
                {format.text(item.name)}
              </th>
              <td>{item.sku}</td>
              <td>{item.barcode}</td>
              <td>{format.money(item.priceCents)}</td>
              <td className={`right ${styles['act']}`}>
                <IconButton
                  icon={<ChevronRight />}
                  label={t(act, { name: format.text(item.name) })}
                  onPress={() => onChoose(item)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}

/** Loads data of the catalog, and loads it again after each change of the catalog. */
export function useCatalog<Answer>(name: string, ask: () => Promise<Answer>): UseQueryResult<Answer> {
  const changes = useEvents((state) => state.catalogCount)
  return useQuery({
    queryKey: ['catalog', name, changes],
    queryFn: ask,
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
}
