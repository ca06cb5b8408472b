import {
  CATALOG_FILE_PATHS,
  FetchPartAnswer,
  OfferFileAnswer,
  SendPartAnswer,
  SoldAnswer,
} from '../../../../contracts/store/catalog-files.ts'
import { STORE_PROTOCOL } from '../../../../contracts/store/protocol.ts'
import type { StoreLink } from '../../../store/store-link.ts'
import type { Stamp } from '../../../store/changes/order.ts'

/** A file of items, by the SHA-256 of its parts in hex. */
export interface StoreFile {
  readonly hash: string
  readonly bytes: number
  readonly parts: number
}

/** The files of the store's server. What cannot be asked now is answered null, and may be asked again at any time. */
export interface StoreFiles {
  /** The numbers of the parts that it lacks; none: it has them all. `full`: it takes no more now. */
  missing(file: StoreFile): Promise<readonly number[] | 'full' | null>
  send(hash: string, number: number, chunk: Uint8Array): Promise<SendPartAnswer['kind'] | null>
  fetch(hash: string, number: number): Promise<Buffer | 'later' | null>
  /** By which import this lane sells. */
  sold(stamp: Stamp): Promise<boolean>
}

/** The same over the lane's way to its store; nobody at the checkout waits for it. */
export function createStoreFiles(store: Pick<StoreLink, 'tell'>): StoreFiles {
  const protocol = STORE_PROTOCOL
  return {
    async missing({ hash, bytes, parts }) {
      const request = { protocol, hash, bytes, parts }
      const heard = await store.tell(CATALOG_FILE_PATHS.offer, request, OfferFileAnswer)
      if (heard.kind !== 'answer') return null
      switch (heard.body.kind) {
        case 'whole':
          return []
        case 'full':
          return 'full'
        case 'partly':
          return heard.body.missing
      }
    },
    async send(hash, number, chunk) {
      const request = { protocol, hash, number, chunk: Buffer.from(chunk).toString('base64') }
      const heard = await store.tell(CATALOG_FILE_PATHS.part, request, SendPartAnswer)
      return heard.kind === 'answer' ? heard.body.kind : null
    },
    async fetch(hash, number) {
      const heard = await store.tell(CATALOG_FILE_PATHS.fetch, { protocol, hash, number }, FetchPartAnswer)
      if (heard.kind !== 'answer') return null
      return heard.body.kind === 'part' ? Buffer.from(heard.body.chunk, 'base64') : 'later'
    },
    async sold({ clock, lane }) {
      const heard = await store.tell(CATALOG_FILE_PATHS.sold, { protocol, clock, lane }, SoldAnswer)
      return heard.kind === 'answer'
    },
  }
}
