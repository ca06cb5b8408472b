import type { z } from 'zod'
import type { CatalogImport } from '../../../contracts/api/catalog-manager.ts'
import { useWords } from '../../i18n/words.tsx'
import { TableWrap, pageStyles } from '../../ui/page.tsx'
import styles from './catalog.module.css'

type Refused = Extract<z.infer<typeof CatalogImport>, { phase: 'refused' }>

/** What is wrong with a file, row by row. */
export function RefusedRows({ refused }: { readonly refused: Refused }) {
  const { t, format } = useWords()
  return (
    <section className={styles['preview']} aria-label={t('catalog.import.refusedTitle')}>
      <div role="alert" className={styles['bad']}>
        <h3>{t('catalog.import.refusedTitle')}</h3>
        <p>{t('catalog.import.refused', { count: refused.refused, file: refused.fileName })}</p>
        <p>{t('catalog.import.refusedTodo')}</p>
        {refused.rows.length < refused.refused && (
          <p>{t('catalog.import.refusedShown', { count: refused.rows.length })}</p>
        )}
      </div>
      <TableWrap>
        <table className={`${pageStyles['table']} selectable`} aria-label={t('catalog.import.refusedTitle')}>
          <thead>
            <tr>
              <th scope="col">{t('catalog.import.line')}</th>
              <th scope="col">{t('catalog.import.column')}</th>
              <th scope="col">{t('catalog.import.problem')}</th>
            </tr>
          </thead>
          <tbody>
            {refused.rows.map(({ line, column, messages }, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- a row may be wrong twice in the same words
              <tr key={index}>
                <th scope="row">{line ?? ''}</th>
                <td>{column ?? ''}</td>
                <td>{messages[format.locale]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableWrap>
    </section>
  )
}
