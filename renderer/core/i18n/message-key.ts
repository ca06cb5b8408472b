import type { useTranslations } from 'use-intl'

/** What `useTranslations()` answers: a message of the catalog by its whole path. */
export type Words = ReturnType<typeof useTranslations<never>>
/** The path of a message in the screens catalog. */
export type MessageKey = Parameters<Words>[0]
