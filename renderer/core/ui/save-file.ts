/** Offers a text to be kept as a file, under the browser's own way of saving. */
export const saveFile = (name: string, type: 'text/csv' | 'application/json', text: string): void =>
  saveBlob(name, new Blob([text], { type: `${type};charset=utf-8` }))

export function saveBlob(name: string, file: Blob): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has taken the bytes by the next turn of its loop.
  setTimeout(() => {
    URL.revokeObjectURL(address)
  })
}
