import { useWords } from '../../i18n/words.tsx'

/** Lanes by their numbers, for a sentence: “lane 03”, “lanes 03, 04”. */
export function useNamedLanes(): (lanes: readonly string[]) => string {
  const { t } = useWords()
  return (lanes) => t('wholeStore.named', { count: lanes.length, lanes: lanes.join(', ') })
}
