import { http, refusalOf, unanswered } from './client.ts'

export interface NamedFile {
  readonly name: string
  readonly file: Blob
}

/** A file that takes as long as it takes, under the name that the backend gives it. Throws ApiProblem. */
export async function downloadNamed(path: string): Promise<NamedFile> {
  try {
    const response = await http(path, { method: 'get', timeout: false })
    const [, name = ''] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
    return { name, file: await response.blob() }
  } catch (error) {
    throw refusalOf(error) ?? unanswered(error)
  }
}

export const download = async (path: string): Promise<Blob> => (await downloadNamed(path)).file
