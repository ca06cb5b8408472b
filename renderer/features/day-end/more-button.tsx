import { useWords } from '../../i18n/words.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './day-end.module.css'

export function MoreButton({
  pages: { hasNextPage, isFetching, fetchNextPage },
}: {
  readonly pages: {
    readonly hasNextPage: boolean
    readonly isFetching: boolean
    readonly fetchNextPage: () => Promise<unknown>
  }
}) {
  const { t } = useWords()
  if (!hasNextPage) return null
  return (
    <p className={styles['more']}>
      <Button isDisabled={isFetching} onPress={() => void fetchNextPage()}>
        {t('dayEnd.more')}
      </Button>
    </p>
  )
}
