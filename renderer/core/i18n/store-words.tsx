import type { ReactNode } from 'react'
import { useLocale } from 'use-intl'
import { useStoreWords } from './catalogs.ts'
import { useWords } from './words.tsx'

/** What is loaded behind the sale, once its words are here too. */
export function BehindStoreWords({ children }: { readonly children: ReactNode }) {
  const { t } = useWords()
  return useStoreWords(useLocale()) ? children : <p role="status">{t('app.loading')}</p>
}
