import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { storeApi } from '../../api/store-api.ts'
import { useWords } from '../../i18n/words.tsx'
import { clearProblems, notify, report } from '../../state/notices.ts'
import { Button } from '../../ui/button.tsx'
import { saveBlob } from '../../ui/save-file.ts'

/** The card is ordered first, which writes it into the audit trail, and then fetched. */
export function ShelfCardButton({ id }: { readonly id: string }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const save = useMutation({
    mutationFn: async () => {
      const { number, fileName } = await storeApi.orderShelfCard(id)
      saveBlob(fileName, await storeApi.shelfCard(number))
    },
    onSuccess: () => {
      clearProblems()
      notify('success', (words) => words.t('offersManager.shelfCardSaved'))
    },
    onError: report,
    onSettled: () => queries.invalidateQueries({ queryKey: ['audit'] }),
  })
  return (
    <Button size="l" look="primary" icon={<Download />} isPending={save.isPending} onPress={() => save.mutate()}>
      {t(save.isPending ? 'offersManager.shelfCardMaking' : 'offersManager.shelfCard')}
    </Button>
  )
}
