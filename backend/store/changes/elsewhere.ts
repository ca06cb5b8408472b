import type { Elsewhere } from '../../../contracts/api/store.ts'
import type { ChangedAt } from './changes.ts'

/** What a list says of a change that was made at another lane; nothing of one that was made here. */
export const elsewhereOf = (
  changed: ChangedAt | null,
  staffName: (id: string) => string,
): { readonly elsewhere?: Elsewhere } =>
  changed?.elsewhere
    ? {
        elsewhere: {
          lane: changed.lane,
          by: changed.byId === null ? null : staffName(changed.byId),
          inPlaceOf: changed.overId === null ? null : staffName(changed.overId),
        },
      }
    : {}
