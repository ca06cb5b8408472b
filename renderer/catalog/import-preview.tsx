import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { Check, Trash2, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import type { z } from 'zod'
import type { CatalogDifference, CatalogImport, DifferenceKind } from '../../contracts/catalog/catalog.ts'
import { catalogApi } from '../core/api/store-api.ts'
import { useI18n } from '../core/i18n/i18n.ts'
import { clearProblems, notify } from '../core/state/notices.ts'
import { Button } from '../core/ui/button.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../core/ui/page.tsx'
import { Tag } from '../core/ui/surface.tsx'
import styles from './catalog.module.css'
import { changedFields } from './fields.tsx'

type Ready = Extract<z.infer<typeof CatalogImport>, { phase: 'ready' }>
type Difference = z.infer<typeof CatalogDifference>
type Kind = z.infer<typeof DifferenceKind>
const KINDS = ['price', 'planned', 'new', 'other', 'gone'] as const satisfies readonly Kind[]

export function ImportPreview({ ready, onDone }: { readonly ready: Ready; readonly onDone: () => void }) {
  const { t, format } = useI18n()
  const { counts } = ready
  const [kind, setKind] = useState<Kind>(KINDS.find((one) => counts[one] > 0) ?? 'price')
  const changes = KINDS.reduce((sum, one) => sum + counts[one], 0)
  const apply = useMutation({
    mutationFn: () => catalogApi.apply(ready.id),
    onSuccess: () => {
      clearProblems()
      notify('success', (i18n) => i18n.t('catalog.import.applied', { count: changes }))
      onDone()
    },
  })
  const drop = useMutation({ mutationFn: () => catalogApi.drop(ready.id), onSuccess: onDone })
  const busy = apply.isPending || drop.isPending
  return (
    <section
      className="stack-4 single ringless"
      aria-label={t('catalog.import.previewTitle', { file: ready.fileName })}
    >
      <div>
        <h3 className="prose">{t('catalog.import.previewTitle', { file: ready.fileName })}</h3>
        <p className="note">
          {t('catalog.import.readAs', {
            encoding: t(`catalog.import.encoding.${ready.encoding}`),
            separator: t(`catalog.import.separator.${ready.separator}`),
          })}
        </p>
      </div>
      {apply.isError && <LoadFailed error={apply.error} retry={() => apply.mutate()} />}
      {drop.isError && <LoadFailed error={drop.error} retry={() => drop.mutate()} />}
      {counts.gone > 0 && (
        <p>
          <Tag tone="warn" icon={<TriangleAlert />}>
            {t('catalog.import.goneWarning', { count: counts.gone })}
          </Tag>
        </p>
      )}
      <div className="row-3 wraps">
        {changes > 0 && (
          <Button look="primary" icon={<Check />} isDisabled={busy} onPress={() => apply.mutate()}>
            {apply.isPending ? t('catalog.import.applying') : t('catalog.import.apply', { count: changes })}
          </Button>
        )}
        <Button icon={<Trash2 />} isDisabled={busy} onPress={() => drop.mutate()}>
          {t('catalog.import.drop')}
        </Button>
      </div>
      {changes > 0 ? (
        <>
          <ToggleButtonGroup
            aria-label={t('catalog.import.counts')}
            disallowEmptySelection
            selectedKeys={[kind]}
            className={`wrap-2 ${styles['kinds']}`}
            onSelectionChange={(keys) => {
              const chosen = KINDS.find((one) => keys.has(one))
              if (chosen) setKind(chosen)
            }}
          >
            {KINDS.map((one) => (
              <ToggleButton key={one} id={one}>
                <span>{t(`catalog.import.kind.${one}`)}</span> <strong>{format.miles(counts[one])}</strong>
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
          <Differences key={kind} id={ready.id} kind={kind} />
        </>
      ) : (
        <p role="status">{t('catalog.import.same')}</p>
      )}
    </section>
  )
}

function Differences({ id, kind }: { readonly id: string; readonly kind: Kind }) {
  const { t } = useI18n()
  const pages = useInfiniteQuery({
    queryKey: ['catalog-differences', id, kind],
    queryFn: ({ pageParam }) => catalogApi.differences(kind, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    gcTime: 0,
  })
  if (pages.isPending) return <p role="status">{t('app.loading')}</p>
  if (!pages.data) return <LoadFailed error={pages.error} retry={() => void pages.refetch()} />
  const rows = pages.data.pages.flatMap(({ differences }) => differences)
  if (rows.length === 0) return <p role="status">{t('catalog.import.none')}</p>
  return (
    <>
      <TableWrap>
        <table className={pageStyles['table']} aria-label={t(`catalog.import.kind.${kind}`)}>
          <thead>
            <tr>
              <th scope="col">{t('catalog.item')}</th>
              <th scope="col">{t('catalog.sku')}</th>
              <th scope="col">{t('catalog.import.before')}</th>
              <th scope="col">{t('catalog.import.after')}</th>
              <th scope="col">{t('catalog.import.what')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.number} row={row} />
            ))}
          </tbody>
        </table>
      </TableWrap>
      {pages.hasNextPage && (
        <div className="row-3 wraps">
          <Button isDisabled={pages.isFetching} onPress={() => void pages.fetchNextPage()}>
            {t('catalog.more')}
          </Button>
        </div>
      )}
    </>
  )
}

function Row({ row: { before, after, planned } }: { readonly row: Difference }) {
  const i18n = useI18n()
  const { t, format } = i18n
  const item = after ?? before
  if (item === null) return null
  return (
    <tr>
      <th scope="row" className="prose">
        {format.text(item.name)}
      </th>
      <td>{item.sku}</td>
      <td>{before && format.money(before.priceCents)}</td>
      <td>
        {planned ? (
          <>
            {format.money(planned.priceCents)}
            <br />
            <small>{t('catalog.import.fromAt', { time: format.dateTime(planned.fromAt) })}</small>
          </>
        ) : (
          after && format.money(after.priceCents)
        )}
      </td>
      <td className="prose">
        {changedFields(before, after, i18n).map((line) => (
          <div key={line}>{line}</div>
        ))}
      </td>
    </tr>
  )
}
