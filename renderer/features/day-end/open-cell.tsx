import { ChevronRight } from 'lucide-react'
import { IconButton } from '../../ui/button.tsx'
import queueStyles from '../queue/queue.module.css'

/** The end of a row that can be opened. */
export function OpenCell({ label, onOpen }: { readonly label: string; readonly onOpen: () => void }) {
  return (
    <td className={queueStyles['open']}>
      <IconButton icon={<ChevronRight />} label={label} onPress={onOpen} />
    </td>
  )
}
