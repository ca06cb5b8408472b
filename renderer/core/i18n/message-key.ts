import type { useTranslations } from 'use-intl'

export type Translate = ReturnType<typeof useTranslations<never>>
export type MessageKey = Parameters<Translate>[0]
