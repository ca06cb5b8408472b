import type { ReactNode } from 'react'
import { useLocale } from 'use-intl'
import { useStoreTexts } from './catalogs.ts'
import { useI18n } from './i18n.tsx'

/** Renders content loaded after the sale once its texts are loaded too. */
export function WithStoreTexts({ children }: { readonly children: ReactNode }) {
  const { t } = useI18n()
  return useStoreTexts(useLocale()) ? children : <p role="status">{t('app.loading')}</p>
}
