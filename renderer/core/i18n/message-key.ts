import type { useTranslations } from 'use-intl'

/** Type of `useTranslations()`: looks up a message by its full path. */
export type Translate = ReturnType<typeof useTranslations<never>>
/** The path of a message in the catalog of the screens. */
export type MessageKey = Parameters<Translate>[0]
