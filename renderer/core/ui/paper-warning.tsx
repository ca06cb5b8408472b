import { Text } from 'react-aria-components'
import { useWords } from '../i18n/words.tsx'
import { notOnPaper } from '../../../contracts/core/printable-text.ts'

/**
 * Beside a field whose text goes on paper: what the printer has no sign for, while it is typed. Belongs into a
 * TextField.
 */
export function PaperWarning({ text }: { readonly text: string }) {
  const { t } = useWords()
  const signs = notOnPaper(text)
  // Always there: a place that comes with its words is not heard, and does not describe the field.
  return (
    <Text slot="description" role="status" className="text-s warn weight-600 anywhere">
      {signs === '' ? '' : t('note.notOnPaper', { signs })}
    </Text>
  )
}
