import type { ReactNode } from 'react'
import { useLocale } from 'use-intl'
import { useStoreTexts } from './catalogs.ts'
import { useI18n } from './i18n.ts'

export function WithStoreTexts({ children }: { readonly children: ReactNode }) {
  const { t } = useI18n()
  return useStoreTexts(useLocale()) ? children : <p role="status">{t('app.loading')}</p>
}
