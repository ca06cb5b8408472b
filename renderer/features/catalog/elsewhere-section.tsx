import type { CatalogElsewhere } from '../../../contracts/api/catalog-manager.ts'
import { catalogApi } from '../../api/catalog-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { LoadFailed, TableWrap, pageStyles } from '../../ui/page.tsx'
import { ChangedElsewhere } from '../settings/changed-elsewhere.tsx'
import styles from './catalog.module.css'
import { useCatalog } from './use-catalog.ts'

/** Items that other lanes of the store changed last; nothing at a lane alone. */
export function ElsewhereSection() {
  const { t } = useWords()
  const found = useCatalog('elsewhere', catalogApi.elsewhere)
  if (found.isPending) return null
  if (!found.data) return <LoadFailed error={found.error ?? new Error()} retry={() => void found.refetch()} />
  const { isOfStore, items } = found.data
  if (!isOfStore) return null
  return (
    <section aria-label={t('catalog.store.changedTitle')}>
      <h3>{t('catalog.store.changedTitle')}</h3>
      {items.length === 0 ? (
        <p className={styles['hint']}>{t('catalog.store.changedNone')}</p>
      ) : (
        <ChangedItems items={items} />
      )}
    </section>
  )
}

/** Items that are sold without their barcode, since another lane gave it to another: whatever section is open. */
export function LostBarcodes() {
  const { t, format } = useWords()
  const { barcodes = [] } = useCatalog('elsewhere', catalogApi.elsewhere).data ?? {}
  if (barcodes.length === 0) return null
  return (
    <div role="alert" className={`${styles['bad']} ${styles['lost']}`}>
      <h3>{t('catalog.store.barcodesTitle')}</h3>
      <p>{t('catalog.store.barcodesText')}</p>
      <ul>
        {barcodes.map(({ sku, name, barcode, toSku, toName }) => (
          <li key={sku} className="words">
            {t('catalog.store.barcodeOf', {
              name: name ? format.text(name) : sku,
              barcode,
              other: toName ? format.text(toName) : toSku,
            })}
          </li>
        ))}
      </ul>
    </div>
  )
}

function ChangedItems({ items }: Pick<CatalogElsewhere, 'items'>) {
  const { t, format } = useWords()
  return (
    <TableWrap>
      <table className={`${pageStyles['table']} ${styles['rows']}`} aria-label={t('catalog.store.changedTitle')}>
        <thead>
          <tr>
            <th scope="col">{t('catalog.item')}</th>
            <th scope="col">{t('catalog.sku')}</th>
            <th scope="col">{t('catalog.store.when')}</th>
            <th scope="col">{t('catalog.store.where')}</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ sku, name, at, elsewhere }) => (
            <tr key={sku}>
              <th scope="row" className="words">
                {name ? format.text(name) : t('catalog.store.removed')}
              </th>
              <td>{sku}</td>
              <td>{format.dateTime(at)}</td>
              <td className={styles['where']}>
                <ChangedElsewhere elsewhere={elsewhere} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableWrap>
  )
}
